/// Each scenario of `counterfoil-lab trigger` has a row in the page of traps with its test, in both languages.
package enum TrapsRule {
  static let pages = ["docs/traps.md", "docs/traps.zh-CN.md"]

  private struct Row: Equatable {
    let trigger: String
    let file: String
    let test: String
  }

  private static func rows(of page: SourceFile) -> [Row] {
    page.lines.compactMap { line in
      guard line.hasPrefix("| `"), let name = line.firstMatch(of: /\| `([a-z0-9-]+)` \|/),
        let test = line.firstMatch(of: /`(Tests\/[A-Za-z\/]+\.swift)`(?:: |：)“(.+)” \|$/)
      else { return nil }
      return Row(trigger: String(name.output.1), file: String(test.output.1), test: String(test.output.2))
    }
  }

  package static func findings(in page: SourceFile, triggers: [String], _ files: [SourceFile]) -> [Finding] {
    let rows = rows(of: page)
    let named = rows.map(\.trigger)
    var problems = triggers.filter { !named.contains($0) }.map { "the trigger \($0) has no row" }
    problems += named.filter { !triggers.contains($0) }.map { "there is no trigger \($0)" }
    if Set(named).count < named.count { problems.append("a trigger has two rows") }
    if page.lines.count(where: { $0.hasPrefix("| `") }) != rows.count {
      problems.append("a row of the table has no trigger or no test")
    }
    problems += rows.compactMap { row in
      let text = files.first { $0.path == row.file }?.text
      let isThere = text?.contains("func `\(row.test)") == true && text?.contains("@Test") == true
      return isThere ? nil : "\(row.trigger): \(row.file) has no test “\(row.test)”"
    }
    return problems.map { Finding(page, 1, $0) }
  }

  package static func differences(_ first: SourceFile, _ second: SourceFile) -> [Finding] {
    rows(of: first) == rows(of: second)
      ? [] : [Finding(second, 1, "\(first.path) has other triggers, other tests or another order")]
  }
}
