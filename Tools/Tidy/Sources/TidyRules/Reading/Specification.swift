/// What the pages of `docs/specification` define, and what can be cited of them.
package struct Specification: Equatable {
  static let folder = "docs/specification"

  /// By the name of the page (`matching`): `rule 2`, `invariant 4`, `4.6`, `row 6`, and its headings.
  private(set) var places: [String: Set<String>] = [:]
  /// `S7`, `A14`, `X5`, `1A.50`.
  private(set) var numbers: Set<String> = []

  package init(_ pages: [SourceFile]) {
    for page in pages where page.isIn(Self.folder) && page.language == .markdown {
      places[page.name, default: []].formUnion(Self.places(of: page))
      numbers.formUnion(page.lines.compactMap { Self.firstCell(of: $0) }.filter { Self.isNumber($0.utf8) })
    }
  }

  /// Whether a word has the form of a number that is unique over all pages: `S7`, `A14`, `X5`, `1A.50`, `1B.3`.
  package static func isNumber(_ word: some Collection<UInt8>) -> Bool {
    let capitals = [UInt8(ascii: "S"), UInt8(ascii: "A"), UInt8(ascii: "X")]
    if word.starts(with: "1A.".utf8) || word.starts(with: "1B.".utf8) { return isDigits(word.dropFirst(3)) }
    return word.first.map { capitals.contains($0) } == true && word.count <= 4 && isDigits(word.dropFirst())
  }

  private static func isDigits(_ text: some Collection<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func places(of page: SourceFile) -> Set<String> {
    var places = Set(PageRule.headings(in: page).map(\.text))
    // `## Rule 0: line` is `rule 0`, `## Invariant 2: …` is `invariant 2`.
    places.formUnion(places.map { String($0.prefix { $0 != ":" }).lowercased() })
    for (_, line) in PageRule.prose(of: page) {
      if let cell = firstCell(of: line), isDigits(cell.utf8) { places.insert("row \(cell)") }
      let word = line.prefix { $0 != " " }
      if word.last == ".", isDigits(word.dropLast().utf8) { places.insert("rule \(word.dropLast())") }
      // `- **4.6** …`
      if line.hasPrefix("- **") { places.insert(String(line.dropFirst(4).prefix { $0 != "*" })) }
    }
    return places
  }

  static func firstCell(of line: String) -> String? {
    guard line.hasPrefix("| ") else { return nil }
    return String(line.dropFirst(2).prefix { $0 != " " })
  }
}
