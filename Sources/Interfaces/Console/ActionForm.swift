import Markup
import PaymentPrimitives

/// The form of an action, closed until it is wanted. It works without a script.
struct ActionForm {
  let action: ConsoleAction
  let target: LinkTarget
  let formToken: String
  /// Names one press of the button.
  let press: String
  /// Whether it is what this page suggests.
  var isMain = false
  /// Whether a user's purchase has to be named, as for a charge of WeChat Pay.
  var namesPurchase = false
  /// Whether another operator has to approve it.
  var needsSecond = false
  /// What the page fills in.
  var given: [ActionField: String] = [:]
  /// Which of several things of one kind it is about.
  var about: String?

  func markup(_ language: Language) -> Markup {
    let id = "\(action.rawValue)-\(press.prefix(8))"
    var fields = action.fields(namesPurchase: namesPurchase).map { Self.field(id, $0, given: given[$0], in: language) }
    fields.append(ReasonField.markup(id, in: language))
    return .element(
      .details, [.style("act")],
      .element(.summary, [.style(isMain ? "button main" : "button")], .text(action.title[language])),
      .element(
        .form, [.of(.method, "post"), .action(target)], PageFrame.hidden("token", formToken),
        PageFrame.hidden("press", press), .element(.p, .text(action.explanation[language])),
        about.map { .element(.p, .foreign($0)) } ?? Markup(),
        needsSecond ? .element(.p, .text(Self.second[language])) : Markup(), Markup(fields),
        .element(.button, [.style("button main"), .of(.type, "submit")], .text(action.title[language]))))
  }

  private static func field(
    _ id: String, _ field: ActionField, given: String?, in language: Language
  ) -> Markup {
    let name = "\(id)-\(field.rawValue)"
    if field.isHidden { return PageFrame.hidden(field.rawValue, given ?? "") }
    if field.isGiven {
      return .element(.p, .text(field.label[language] + ": "), given.map { .foreign($0) } ?? Markup())
        + PageFrame.hidden(field.rawValue, given ?? "")
    }
    let label = Markup.element(.label, [.of(.for, name)], .text(field.label[language]))
    guard field.choices.isEmpty else {
      let options = field.choices.map { Markup.element(.option, [.of(.value, $0.value)], .text($0.words[language])) }
      return .element(
        .div, [.style("field")], label,
        .element(.select, [.of(.id, name), .of(.name, field.rawValue), .of(.required)], all: options))
    }
    return .element(
      .div, [.style("field")], label,
      .element(
        .input,
        [.of(.id, name), .of(.name, field.rawValue)] + (field.isRequired ? [.of(.required)] : [])
          + (given.map { [.of(.value, $0)] } ?? [])
          + [.of(.maxlength, "\(field.bytesMax)"), .of(.autocomplete, "off")]))
  }

  private static let second = BilingualText(
    "Another operator has to approve it within 24 hours.", "须由另一位操作员在 24 小时内复核。")
}
