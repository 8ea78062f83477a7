import Testing

/// What code, tests and pages cite stands in the repository.
@Suite struct `The specification` {
  private let specification = Specification(Repository.markdown)

  @Test func `has each scenario and each attack once`() {
    let expected = (1...20).flatMap { ["S\($0)", "A\($0)"] } + Checklist.expectedNames
    #expect(specification.numbers == Set(expected))
    for name in expected {
      let rows = Repository.markdown.filter { $0.isIn(Specification.folder) }.flatMap(\.lines)
        .filter { $0.hasPrefix("| \(name) |") }
      #expect(rows.count == 1, "\(name)")
    }
  }

  @Test func `has the rules of matching and the invariants`() throws {
    let matching = try #require(specification.places["matching"])
    let invariants = try #require(specification.places["invariants"])
    #expect((0...5).allSatisfy { matching.contains("rule \($0)") })
    #expect((1...9).allSatisfy { invariants.contains("invariant \($0)") })
  }

  @Test func `is what all files cite, and nothing else is cited`() {
    #expect(Repository.files.flatMap { CitationRule.findings(in: $0, specification) }.report == "")
  }

  @Test func `has no link that leads nowhere`() {
    #expect(Repository.markdown.flatMap { CitationRule.deadLinks(in: $0, Repository.paths) }.report == "")
  }

  /// A17 is not built yet: its page says so.
  @Test func `has a test for each scenario and each attack`() {
    let tests = Repository.files.filter { $0.isIn("Tests") && !$0.isIn("Tests/TidyTests") }
    let cited = Set(tests.flatMap { file in file.lines.flatMap { CitationRule.numbers(in: $0) } })
    let uncited = (1...20).flatMap { ["S\($0)", "A\($0)"] }.filter { !cited.contains($0) }
    #expect(uncited == ["A17"])
  }
}
