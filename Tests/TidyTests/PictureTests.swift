import Testing

@Suite struct `The picture of the floors` {
  @Test(arguments: ["ARCHITECTURE.md", "README.md", "README.zh-CN.md"])
  func `shows every module on its floor, and no other`(path: String) throws {
    let page = try #require(Repository.file(path))
    #expect(PictureRule.problems(in: page) == [])
  }

  private let expected: [String: Set<String>] = ["6": ["Program"], "0": ["Ground", "Words"], "doors": ["Clock"]]

  private func problems(_ lines: String...) -> [String] {
    let page = SourceFile("A.md", (["# A", "```text"] + lines + ["```"]).joined(separator: "\n") + "\n")
    return PictureRule.problems(in: page, expected: expected)
  }

  @Test func `lacks a module that is not drawn`() {
    #expect(
      problems("6  program     Program    main", "0  ground      Ground", "doors          Clock")
        == ["A.md: row 0 lacks Words"])
  }

  @Test func `may not show a module that is gone, or on another floor`() {
    #expect(
      problems("6  program     Program · Words", "0  ground      Ground · Words · Old", "门  Clock")
        == ["A.md: row 0 shows Old, which is not there", "A.md: row 6 shows Words, which is not there"])
  }

  @Test func `is missing where no page draws it`() {
    #expect(problems("a page without a picture").count == 4)
  }

  @Test func `may have remarks, and rows of two lines`() {
    #expect(
      problems(
        "6  program     Program    main only", "0  ground      Ground (values) ·", "            Words（词）",
        "doors (programs)    Clock") == [])
  }
}
