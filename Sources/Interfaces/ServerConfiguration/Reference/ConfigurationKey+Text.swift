package import PaymentPrimitives
import TOMLConfiguration

extension ConfigurationKey {
  /// Its kind with bounds and unit: "whole number from 1 to 100, in percent".
  package var kind: BilingualText {
    guard let unit else { return shape.words }
    return BilingualText("\(shape.words.english); unit: \(unit.english)", "\(shape.words.chinese)；单位：\(unit.chinese)")
  }

  /// What holds without it, in words.
  package var standardWords: BilingualText {
    switch standard {
    case .required: BilingualText("required", "必填")
    case .none: BilingualText("none", "无")
    case .value(let text): BilingualText(text, text)
    case .depends(let words): words
    }
  }

  /// Its facts beside the meaning, each with its title.
  package var facts: [(title: BilingualText, text: BilingualText)] {
    var facts = [(BilingualText("Type", "类型"), kind)]
    facts.append(
      standard == .required
        ? (BilingualText("Required", "必填"), BilingualText("yes", "是"))
        : (BilingualText("Default", "默认值"), standardWords))
    facts.append((BilingualText("After a change", "更改后"), reload.words))
    if isSecret {
      let places = #"{ file = "path" }, { credential = "name" }, { environment = "NAME" }"#
      facts.append((BilingualText("Secret", "机密"), BilingualText("yes: \(places)", "是：\(places)")))
    }
    if let overrules {
      let words = "\(overrules.flag), \(overrules.variable)"
      facts.append((BilingualText("Overruled by", "可被覆盖"), BilingualText(words, words)))
    }
    if isSimulatedOnly {
      facts.append(
        (BilingualText("Only with", "仅用于"), BilingualText(#"profile = "simulated""#, #"profile = "simulated""#)))
    }
    return facts
  }
}
