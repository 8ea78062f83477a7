import SimulationKit
import Testing

/// Each trap has a row with its trigger and its test, in both languages, and each of them exists.
@Suite struct `The page of traps` {
  private static let pages = ["docs/traps.md", "docs/traps.zh-CN.md"]

  /// A row: the trigger, the test's file and its name.
  private struct Row: Equatable {
    let trigger: String
    let file: String
    let test: String
  }

  private func rows(of page: String) throws -> [Row] {
    try #require(Repository.file(page), "\(page) is missing").lines.compactMap { line in
      guard line.hasPrefix("| `"), let name = line.firstMatch(of: /\| `([a-z0-9-]+)` \|/),
        let test = line.firstMatch(of: /`(Tests\/[A-Za-z\/]+\.swift)`(?:: |：)“(.+)” \|$/)
      else { return nil }
      return Row(trigger: String(name.output.1), file: String(test.output.1), test: String(test.output.2))
    }
  }

  @Test(arguments: pages)
  func `has one row for each trigger, and none for another`(page: String) throws {
    let named = try rows(of: page).map(\.trigger)
    let known = Scenario.all.map(\.name)
    #expect(known.filter { !named.contains($0) } == [], "without a row")
    #expect(named.filter { !known.contains($0) } == [], "no such trigger")
    #expect(Set(named).count == named.count)
    // Each row of a table is understood.
    let lines = try #require(Repository.file(page)).lines.count { $0.hasPrefix("| `") }
    #expect(lines == named.count)
  }

  @Test(arguments: pages)
  func `names a test that exists for each trap`(page: String) throws {
    for row in try rows(of: page) {
      let file = Repository.file(row.file)
      let isThere = file?.text.contains("func `\(row.test)") == true && file?.text.contains("@Test") == true
      #expect(isThere, "\(row.trigger): \(row.file) has no test “\(row.test)”")
    }
  }

  @Test func `says the same tests in both languages`() throws {
    #expect(try rows(of: Self.pages[0]) == rows(of: Self.pages[1]))
  }
}
