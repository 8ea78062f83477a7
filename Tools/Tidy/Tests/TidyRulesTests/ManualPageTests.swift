import Testing
import TidyRules

/// The rules that compare pages with each other.
@Suite struct `A rule about the pages of the manual` {
  private let english = SourceFile(
    "a.md", "# A\n## How to begin\n```sh\nmake run # starts\n```\n```text\nstarted\n```\n")

  private func differences(_ chinese: String) -> Int {
    TranslationRule.differences(english, SourceFile("a.zh-CN.md", chinese)).count
  }

  @Test func `finds a heading, an anchor or a piece of code that one of two languages lacks`() {
    let anchor = "<a id=\"how-to-begin\"></a>\n\n"
    let code = "```sh\nmake run # 启动\n```\n```text\n已启动\n```\n"
    #expect(differences("# 一\n\(anchor)## 开始\n\(code)") == 0)
    #expect(differences("# 一\n## How to begin\n\(code)") == 0)
    #expect(differences("# 一\n\(code)") == 1)
    #expect(differences("# 一\n## 开始\n\(code)") == 1)
    #expect(differences("# 一\n\(anchor)## 开始\n") == 1)
    #expect(differences("# 一\n\(anchor)## 开始\n```sh\nmake test\n```\n```text\n```\n") == 1)
    #expect(differences("# 一\n\(anchor)## 开始\n```sh\nmake run\n```\n```text\nmake run\n```\n") == 1)
  }

  @Test func `compares each page with the page of its name in the other language`() {
    let other = SourceFile("b.zh-CN.md", "# 二\n")
    #expect(TranslationRule.findings(among: [english, other, SourceFile("a.zh-CN.md", "# 一\n")]).count == 2)
    #expect(TranslationRule.findings(among: [english, other]).isEmpty)
  }

  @Test func `finds a link to an anchor that its page lacks`() {
    func findings(_ link: String) -> Int {
      let page = SourceFile("docs/b.md", "# B\n## Its `own` part\n[a](\(link))\n")
      let errors = SourceFile("docs/reference/errors.md", "# E\n| <a id=\"field_unknown\"></a>`field_unknown` |\n")
      return AnchorRule.findings(among: [page, errors, SourceFile("a.md", "# A\n## Apple's key, 4.\n")]).count
    }
    #expect(findings("#its-own-part") == 0)
    #expect(findings("#part") == 1)
    #expect(findings("../a.md#apples-key-4") == 0)
    #expect(findings("../a.md#apple's-key") == 1)
    #expect(findings("reference/errors.md#field_unknown") == 0)
    #expect(findings("reference/errors.md#other") == 1)
    #expect(findings("https://example.com/#anything") == 0)
  }
}
