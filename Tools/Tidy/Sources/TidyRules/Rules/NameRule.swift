/// A name says what a thing is; these endings say nothing (CONVENTIONS 1).
package enum NameRule {
  static let emptyWords: Set<String> = [
    "Manager", "Helper", "Helpers", "Utility", "Utilities", "Util", "Utils", "Common", "Misc", "Base", "Impl",
  ]

  private static let declaring: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

  package static func findings(in file: SourceFile) -> [Finding] {
    var findings: [Finding] = []
    for part in file.path.split(separator: "/") {
      // `Match+Claim.swift` has two names.
      for name in part.split(whereSeparator: { "+.-_".contains($0) }) {
        if let word = emptyEnding(of: String(name)) {
          findings.append(
            Finding(file, 1, "the path ends a name with \(word), which says nothing: name it after its purpose"))
        }
      }
    }
    for (word, name) in zip(file.code, file.code.dropFirst())
    where word.kind == .word && declaring.contains(word.text) && name.kind == .word {
      guard let ending = emptyEnding(of: name.text) else { continue }
      findings.append(
        Finding(file, name.line, "\(name.text) ends with \(ending), which says nothing: name it after its purpose"))
    }
    return findings
  }

  /// The last word of a name in camel case, if it is an empty one: `OrderManager`, not `Database`.
  package static func emptyEnding(of name: String) -> String? {
    let start = name.lastIndex(where: \.isUppercase) ?? name.startIndex
    let last = String(name[start...])
    let capitalized = last.prefix(1).uppercased() + last.dropFirst()
    return emptyWords.contains(capitalized) ? last : nil
  }
}
