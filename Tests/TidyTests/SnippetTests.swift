import Testing

@Suite struct `The Swift code of the pages` {
  private let snippets = Repository.swift.filter { $0.isIn("Tests/SnippetTests") }
    .flatMap { SnippetRule.snippets(in: $0) }

  @Test func `is compiled: each block is a snippet`() {
    #expect(Repository.markdown.flatMap { SnippetRule.findings(in: $0, snippets) }.report == "")
    #expect(Repository.markdown.contains { !SnippetRule.blocks(of: $0).isEmpty })
  }

  @Test func `is all that is compiled for it: no snippet lies idle`() {
    #expect(SnippetRule.idle(snippets, in: Repository.markdown) == [])
  }

  @Test func `hides no import: where a page shows imports it shows all of them`() {
    let files = Repository.swift.filter { $0.isIn("Tests/SnippetTests") }
    #expect(files.flatMap { SnippetRule.hiddenImports(in: $0) }.report == "")
    let planted = SourceFile("A.swift", "import B\n\n// snippet: a\nimport A\n// snippet: end\nlet a = 1")
    #expect(SnippetRule.hiddenImports(in: planted).map(\.line) == [1])
    #expect(SnippetRule.hiddenImports(in: SourceFile("A.swift", "import B\n// snippet: a\nf()")).isEmpty)
  }

  @Test func `names tests that exist`() {
    #expect(Repository.markdown.flatMap { NamedTestRule.findings(in: $0, Repository.swift) }.report == "")
  }

  // MARK: the rules

  private let file = SourceFile(
    "Tests/SnippetTests/A.swift",
    """
    // snippet: a
    import A

    // snippet: end
    func b() {
      // snippet: a
      if c {
        d()
      }
      // snippet: end
    }
    """)

  private func page(_ code: String) -> SourceFile { SourceFile("A.md", "# A\n\n```swift\n\(code)\n```\n") }

  @Test func `may come from several places of one file, without their indentation`() {
    let snippets = SnippetRule.snippets(in: file)
    #expect(SnippetRule.findings(in: page("import A\n\nif c {\n  d()\n}"), snippets).isEmpty)
    #expect(SnippetRule.idle(snippets, in: [page("import A\n\nif c {\n  d()\n}")]) == [])
  }

  @Test func `may not differ from what is compiled by a letter`() {
    let snippets = SnippetRule.snippets(in: file)
    #expect(SnippetRule.findings(in: page("import A\n\nif c {\n  e()\n}"), snippets).map(\.line) == [3])
    #expect(SnippetRule.idle(snippets, in: []) == ["Tests/SnippetTests/A.swift: a"])
  }

  @Test func `is not mistaken for other code`() {
    #expect(SnippetRule.findings(in: SourceFile("A.md", "```sh\nmake\n```\n"), []).isEmpty)
  }

  @Test func `may not name a test that is gone`() {
    let tests = SourceFile("Tests/B.swift", "@Test func `does it (1A.1)`() {}")
    func findings(_ line: String) -> Int { NamedTestRule.findings(in: SourceFile("A.md", line), [tests]).count }
    #expect(findings("| a | `Tests/B.swift` “does it (1A.1)” | `Tests/B.swift` “does it (1A.1)” |") == 0)
    #expect(findings("| a | `Tests/B.swift` “did it” |") == 1)
    #expect(findings("| a | `Tests/C.swift` “does it (1A.1)” |") == 1)
    #expect(findings("a “word” and `Tests/B.swift`") == 0)
  }
}
