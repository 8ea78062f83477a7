import Foundation
import Testing

/// Each item of the checklist has a test that cites it, or a page that says it, or stands among those of later work.
@Suite struct `The checklist` {
  private func items() throws -> [Checklist.Item] {
    Checklist.items(in: try #require(Repository.file(Checklist.page), "\(Checklist.page) is missing"))
  }

  private func tests() -> [SourceFile] {
    Repository.files.filter { $0.isIn("Tests") && !$0.isIn("Tests/TidyTests") }
  }

  @Test func `has all items, each once and in order`() throws {
    let names = try items().map(\.name)
    #expect(names == Checklist.expectedNames)
  }

  @Test func `has a citation for each item, but for those that the ratchet names`() throws {
    let cited = Checklist.citations(in: tests())
    let items = try items()
    let table = Checklist.table(items, cited).joined(separator: "\n") + "\n"
    try Data(table.utf8).write(to: Repository.root.appending(path: ".build/checklist.txt"))
    let uncovered = items.map(\.name).filter { cited[$0] == nil && Checklist.pages[$0] == nil }
    let listed = ChecklistRatchet.later
    #expect(uncovered.filter { !listed.contains($0) } == [], "no test cites these items")
    #expect(listed.subtracting(uncovered).sorted() == [], "a test cites these items: take them off the list")
  }

  @Test func `has pages that exist where a page is the answer`() {
    let missing = Checklist.pages.filter { Repository.file($0.value) == nil }
    #expect(missing.isEmpty, "\(missing.values.sorted())")
  }

  @Test(arguments: [
    ("`kills the app (1A.50, 1A.74; S1)`", ["1A.50", "1A.74"]), ("\"1B 17: twice\"", ["1B.17"]),
    ("1A.54, 58", ["1A.54"]), ("11A.5, 1A.500, X1a, AX1", []), ("X3 and X21.", ["X3", "X21"]),
  ])
  func `counts a number as cited where it stands alone`(text: String, numbers: [String]) {
    #expect(Checklist.citations(in: text).sorted() == numbers.sorted())
  }

  @Test func `takes no comment for a test`() {
    let file = SourceFile("Tests/WorldTests/A.swift", "// 1A.1\n/// 1A.2\n@Test func `buys (1A.3)`() { f(\"1A.4\") }\n")
    #expect(Checklist.citations(in: [file]).keys.sorted() == ["1A.3", "1A.4"])
  }
}
