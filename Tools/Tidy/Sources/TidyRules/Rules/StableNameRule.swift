/// A name that a caller, a stored row, a dashboard or an alert depends on never goes away:
/// docs/reference/stable-names.txt lists them.
///
/// Each line of the list is a kind and a name. A new name is added when it is released; no line is removed.
package enum StableNameRule {
  static let page = "docs/reference/stable-names.txt"

  /// The kinds whose names stand in SQL, the others being whole string literals.
  private static let kindsInSQL: Set<String> = ["table", "column"]

  /// - Parameter sources: the Swift files under `Sources`.
  package static func findings(in list: SourceFile, _ sources: [SourceFile]) -> [Finding] {
    var literals: Set<String> = []
    var words: Set<String> = []
    for file in sources where file.isIn("Sources") {
      for token in file.code where token.kind == .text {
        literals.insert(token.text)
        guard file.path.contains("/Schema/") else { continue }
        words.formUnion(token.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
      }
    }
    return list.lines.enumerated().compactMap { number, line in
      let parts = line.split(separator: " ").map(String.init)
      if parts.isEmpty { return nil }
      guard parts.count == 2 else { return Finding(list, number + 1, "a line is a kind and a name") }
      let isThere =
        kindsInSQL.contains(parts[0])
        ? parts[1].split(separator: ".").allSatisfy { words.contains(String($0)) } : literals.contains(parts[1])
      return isThere
        ? nil : Finding(list, number + 1, "the \(parts[0]) \(parts[1]) is gone: such a name stays for ever")
    }
  }
}
