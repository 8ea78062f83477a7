import Foundation

/// The items of `docs/specification/checklist.md`, and the tests that cite them.
package enum ChecklistRule {
  package struct Item: Equatable {
    /// `1A.50`, `1B.17` or `X5`.
    package let name: String
    let rule: String
  }

  static let page = "docs/specification/checklist.md"

  /// All items, in the order of the page.
  package static let expectedNames =
    (1...80).map { "1A.\($0)" } + (1...23).map { "1B.\($0)" } + (1...25).map { "X\($0)" }

  /// Items that are told to people rather than done by code, and the page that tells them.
  static let pages: [String: String] = ["1A.79": "Sources/Client/Counterfoil/Counterfoil.docc/TestingYourApp.md"]

  package static func items(in page: SourceFile) -> [Item] {
    page.lines.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("| "), cells.count == 2, expectedNames.contains(cells[0]) else { return nil }
      return Item(name: cells[0], rule: cells[1])
    }
  }

  /// The items that tests cite, each with the files that do so. Comments do not count: a test that runs does.
  package static func citations(in tests: [SourceFile]) -> [String: Set<String>] {
    var cited: [String: Set<String>] = [:]
    for file in tests {
      let texts = file.language == .swift ? file.code.map(\.text) : file.path.hasSuffix(".py") ? file.lines : []
      for text in texts {
        for name in citations(in: text) { cited[name, default: []].insert(file.path) }
      }
    }
    return cited
  }

  /// The items that a text names: `1A.50`, `1B 17`, `X5`, standing alone.
  package static func citations(in text: String) -> Set<String> {
    guard CitationRule.mayHaveNumber(text.utf8) else { return [] }
    let words = text.split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == " ") }
    var names: Set<String> = []
    for word in words {
      let parts = word.split { $0 == " " || $0 == "." }.map(String.init)
      for (index, part) in parts.enumerated() {
        if part == "1A" || part == "1B", index + 1 < parts.count { names.insert("\(part).\(parts[index + 1])") }
        if part.hasPrefix("X") { names.insert(part) }
      }
    }
    return names.intersection(expectedNames)
  }

  /// What is wrong with the page, and the items without a test.
  package static func problems(
    in items: [Item], _ cited: [String: Set<String>], later: Set<String> = Ratchets.uncitedItems
  ) -> [String] {
    let uncited = items.map(\.name).filter { cited[$0] == nil && pages[$0] == nil }
    return (items.map(\.name) == expectedNames ? [] : ["an item is missing, doubled or out of order"])
      + uncited.filter { !later.contains($0) }.map { "no test cites the item \($0)" }
      + later.subtracting(uncited).sorted().map { "a test cites the item \($0): take it off the ratchet" }
  }

  /// One line for each item: its number, its tests or its page, its rule.
  package static func table(_ items: [Item], _ cited: [String: Set<String>]) -> [String] {
    items.map { item in
      let files = cited[item.name, default: []].sorted().map { $0.split(separator: "/").last.map(String.init) ?? $0 }
      let proof = files.isEmpty ? pages[item.name] ?? "NOT COVERED YET" : files.joined(separator: ", ")
      return "\(item.name)  \(item.rule)  [\(proof)]"
    }
  }
}

extension Repository {
  private func checklistItems() throws -> [ChecklistRule.Item] {
    ChecklistRule.items(in: try file(ChecklistRule.page))
  }

  package func checklistProblems() throws -> [String] {
    ChecklistRule.problems(in: try checklistItems(), ChecklistRule.citations(in: tests))
      + ChecklistRule.pages.values.filter { !paths.contains($0) }.map { "there is no page \($0)" }
  }

  /// Each item of the checklist with the tests that cite it.
  package func checklist() throws -> [String] {
    ChecklistRule.table(try checklistItems(), ChecklistRule.citations(in: tests))
  }
}
