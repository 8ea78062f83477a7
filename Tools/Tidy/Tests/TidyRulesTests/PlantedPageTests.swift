import Testing
import TidyRules

/// The rules that compare pages and lists with sources and tests.
@Suite struct `A rule about pages and tests` {
  // MARK: error codes

  private func code(
    _ code: String = "configuration_syntax", type: String = "ConfigurationErrorCode", remedy: String = "Fix it."
  ) -> Catalog.ErrorCode {
    .init(
      module: "TOMLConfiguration", type: type, name: "syntax", code: code,
      meaning: .init(english: "It is | wrong.", chinese: "有误。"), remedy: .init(english: remedy, chinese: "请修正。"),
      isRetriable: false)
  }

  private let declaring = SourceFile(
    "Sources/A/A.swift", "package enum ConfigurationErrorCode: String, ErrorCode {}\nenum B: String {}")

  @Test func `finds an error code that is not listed, doubled, no plain word or has no remedy in a language`() {
    #expect(ErrorCodeRule.problems([code()], in: [declaring]) == [])
    #expect(ErrorCodeRule.problems([], in: [declaring]).count == 1)
    #expect(ErrorCodeRule.problems([code(), code("other", type: "Gone")], in: [declaring]).count == 1)
    #expect(ErrorCodeRule.problems([code(), code()], in: [declaring]).count == 1)
    #expect(ErrorCodeRule.problems([code("camelCase")], in: [declaring]).count == 1)
    #expect(ErrorCodeRule.problems([code(remedy: "请修正。")], in: [declaring]).count == 1)
  }

  @Test func `finds an error code that no test reaches by its text, or by its case where the module is imported`() {
    func unreached(_ text: String, later: Set<String> = []) -> Int {
      ErrorCodeRule.unreached([code()], by: [SourceFile("Tests/A/A.swift", text)], later: later).count
    }
    #expect(unreached("\"configuration_syntax\"") == 0)
    #expect(unreached("import TOMLConfiguration\n#expect(a == .syntax)") == 0)
    #expect(unreached("#expect(a == .syntax)") == 1)
    #expect(unreached("// configuration_syntax") == 1)
    #expect(unreached("import TOMLConfiguration\n// .syntax") == 1)
    #expect(unreached("", later: ["configuration_syntax"]) == 0)
    #expect(unreached("\"configuration_syntax\"", later: ["configuration_syntax"]) == 1)
  }

  @Test func `writes each error code as a row of a table, with its anchor`() {
    let row =
      "| <a id=\"configuration_syntax\"></a>`configuration_syntax` | It is \\| wrong.<br>有误。 "
      + "| Fix it.<br>请修正。 | no 否 |\n"
    #expect(ErrorCodeRule.text([code()]).hasSuffix(row))
  }

  // MARK: traps

  private func traps(_ row: String) -> SourceFile { SourceFile("docs/traps.md", "| trap | test |\n\(row)\n") }

  @Test func `finds a trap without a trigger or a test, and a trigger without a trap`() {
    let tests = SourceFile("Tests/A/B.swift", "@Test func `does it (S1)`() {}")
    func findings(_ row: String, _ triggers: [String] = ["a-b"]) -> Int {
      TrapsRule.findings(in: traps(row), triggers: triggers, [tests]).count
    }
    let row = "| `a-b` | words | `Tests/A/B.swift`: “does it” |"
    #expect(findings(row) == 0)
    #expect(findings(row, ["a-b", "c"]) == 1)
    #expect(findings(row, []) == 1)
    #expect(findings(row + "\n" + row) == 1)
    #expect(findings("| `a-b` | words | `Tests/A/B.swift`: “did it” |") == 1)
    #expect(findings(row + "\n| `c` | no test |") == 1)
    let other = traps("| `a-b` | 文字 | `Tests/A/B.swift`：“does it again” |")
    #expect(TrapsRule.differences(traps(row), traps(row)) == [])
    #expect(TrapsRule.differences(traps(row), other).count == 1)
  }

  // MARK: privacy

  private func manifest(
    calls: String = "", tracking: String = "false", purpose: String = "AppFunctionality", types: [String] = []
  ) -> String {
    let types = types.map {
      """
      <dict><key>NSPrivacyCollectedDataType</key><string>NSPrivacyCollectedDataType\($0)</string>
      <key>NSPrivacyCollectedDataTypeTracking</key><false/><key>NSPrivacyCollectedDataTypeLinked</key><true/>
      <key>NSPrivacyCollectedDataTypePurposes</key>
      <array><string>NSPrivacyCollectedDataTypePurpose\(purpose)</string></array></dict>
      """
    }
    return """
      <plist version="1.0"><dict><key>NSPrivacyTracking</key><\(tracking)/>
      <key>NSPrivacyTrackingDomains</key><array/><key>NSPrivacyCollectedDataTypes</key><array>\(types.joined())</array>
      <key>NSPrivacyAccessedAPITypes</key><array>\(calls)</array></dict></plist>
      """
  }

  @Test func `finds a call, a purpose or tracking that the privacy manifest does not declare`() {
    let file = SourceFile("Sources/Client/Counterfoil/X.swift", "let a = UserDefaults.standard.bool(forKey: \"x\")")
    let quiet = SourceFile("Sources/Client/Counterfoil/X.swift", "// UserDefaults")
    let declared = """
      <dict><key>NSPrivacyAccessedAPIType</key><string>NSPrivacyAccessedAPICategoryUserDefaults</string>
      <key>NSPrivacyAccessedAPITypeReasons</key><array><string>CA92.1</string></array></dict>
      """
    #expect(PrivacyRule.problems(in: manifest(), [quiet]) == [])
    #expect(PrivacyRule.problems(in: manifest(calls: declared), [file]) == [])
    #expect(PrivacyRule.problems(in: manifest(), [file]).count == 1)
    #expect(PrivacyRule.problems(in: manifest(calls: declared), [quiet]).count == 1)
    #expect(PrivacyRule.problems(in: manifest(tracking: "true"), [quiet]).count == 1)
    let sender = SourceFile("Sources/Client/CounterfoilStoreKit/X.swift", "let a = AppStore.deviceVerificationID")
    #expect(PrivacyRule.problems(in: manifest(types: ["DeviceID"]), [sender]) == [])
    #expect(PrivacyRule.problems(in: manifest(types: ["DeviceID"]), [quiet]).count == 1, "it is not sent")
    #expect(PrivacyRule.problems(in: manifest(), [sender]).count == 1)
    #expect(PrivacyRule.problems(in: manifest(purpose: "Analytics", types: ["DeviceID"]), [sender]).count == 1)
    #expect(PrivacyRule.problems(in: "", [quiet]).count == 1)
    #expect(PrivacyRule.problems(in: manifest(), []).count == 1, "nothing was compared")
  }

  // MARK: the checklist

  @Test(arguments: [
    ("`kills the app (1A.50, 1A.74; S1)`", ["1A.50", "1A.74"]), ("\"1B 17: twice\"", ["1B.17"]),
    ("1A.54, 58", ["1A.54"]), ("11A.5, 1A.500, X1a, AX1", []), ("X3 and X21.", ["X3", "X21"]),
  ])
  func `counts a number as cited where it stands alone`(text: String, numbers: [String]) {
    #expect(ChecklistRule.citations(in: text).sorted() == numbers.sorted())
  }

  @Test func `takes no comment for a test`() {
    let file = SourceFile(
      "Tests/CounterfoilCLITests/A.swift", "// 1A.1\n/// 1A.2\n@Test func `buys (1A.3)`() { f(\"1A.4\") }\n")
    #expect(ChecklistRule.citations(in: [file]).keys.sorted() == ["1A.3", "1A.4"])
  }

  @Test func `finds an item without a test, and a checklist that lacks one`() {
    let rows = ChecklistRule.expectedNames.map { "| \($0) | rule |\n" }
    let items = ChecklistRule.items(in: SourceFile("a.md", rows.joined()))
    var cited = Dictionary(uniqueKeysWithValues: items.map { ($0.name, Set(["A.swift"])) })
    #expect(ChecklistRule.problems(in: items, cited) == [])
    #expect(ChecklistRule.problems(in: Array(items.dropFirst()), cited).count == 1)
    #expect(ChecklistRule.problems(in: items, cited, later: ["X5"]).count == 1)
    cited["X5"] = nil
    #expect(ChecklistRule.problems(in: items, cited) == ["no test cites the item X5"])
    #expect(ChecklistRule.problems(in: items, cited, later: ["X5"]) == [])
  }

  // MARK: snippets

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

  @Test func `takes a snippet from several places of one file, without its indentation`() {
    let snippets = SnippetRule.snippets(in: file)
    let whole = page("import A\n\nif c {\n  d()\n}")
    #expect(SnippetRule.findings(in: whole, snippets) == [])
    #expect(SnippetRule.idle(snippets, in: [whole]) == [])
    #expect(SnippetRule.findings(in: SourceFile("A.md", "```sh\nmake\n```\n"), []) == [])
    let taken = "```swift\nlet a = 1\n```\n"
    #expect(SnippetRule.findings(in: SourceFile("A.md", "<!-- from: A.swift -->\n" + taken), []) == [])
    #expect(SnippetRule.findings(in: SourceFile("A.md", "\n" + taken), []).count == 1)
  }

  @Test func `finds code of a page that nothing compiles, and a snippet that no page shows`() {
    let snippets = SnippetRule.snippets(in: file)
    #expect(SnippetRule.findings(in: page("import A\n\nif c {\n  e()\n}"), snippets).map(\.line) == [3])
    #expect(SnippetRule.idle(snippets, in: []) == ["Tests/SnippetTests/A.swift: a"])
  }

  @Test func `finds an import that a page hides although it shows others`() {
    let planted = SourceFile("A.swift", "import B\n\n// snippet: a\nimport A\n// snippet: end\nlet a = 1")
    #expect(SnippetRule.hiddenImports(in: planted).map(\.line) == [1])
    #expect(SnippetRule.hiddenImports(in: SourceFile("A.swift", "import B\n// snippet: a\nf()")) == [])
  }

  @Test func `finds a named test that is gone`() {
    let tests = SourceFile("Tests/B.swift", "@Test func `does it (1A.1)`() {}")
    func findings(_ line: String) -> Int { NamedTestRule.findings(in: SourceFile("A.md", line), [tests]).count }
    #expect(findings("| a | `Tests/B.swift` “does it (1A.1)” | `Tests/B.swift` “does it (1A.1)” |") == 0)
    #expect(findings("| a | `Tests/B.swift` “did it” |") == 1)
    #expect(findings("| a | `Tests/C.swift` “does it (1A.1)” |") == 1)
    #expect(findings("a “word” and `Tests/B.swift`") == 0)
  }

  @Test func `finds a named test of another client that is gone`() {
    let files = [
      SourceFile("Clients/android/A.kt", "checks.check(\"does it (S1)\") {"),
      SourceFile("Tests/Tools/b.mjs", "export const ALL = { \"does that\": 1 };"),
    ]
    func findings(_ line: String) -> Int { NamedTestRule.findings(in: SourceFile("A.md", line), files).count }
    #expect(findings("| `Clients/android/A.kt` “does it (S1)” | `Tests/Tools/b.mjs` “does that” |") == 0)
    #expect(findings("| `Clients/android/A.kt` “does it” |") == 1)
    #expect(findings("| `Tests/Tools/b.mjs` “does it” |") == 1)
    #expect(findings("| `Clients/android/C.kt` “does it (S1)” |") == 1)
  }

  @Test func `finds a file that a list of changes forgets, and one that it lists in vain`() {
    let files = ["Sources/A/One.swift", "Sources/A/Two.swift", "Sources/B/Three.swift"].map {
      SourceFile($0, "let scene = 1")
    }
    func findings(_ listed: String...) -> [String] {
      let list = listed.map { "1. `\($0)`: a" }.joined(separator: "\n")
      let page = SourceFile("A.md", "## A\n\nExample: `scene`, a.\nSearched in `Sources/A`.\n\n\(list)\n\n## B\n")
      return ChangeListRule.findings(in: page, files).map(\.message)
    }
    #expect(findings("Sources/A/One.swift", "Sources/A/Two.swift") == [])
    #expect(findings("Sources/A/One.swift") == ["Sources/A/Two.swift contains scene, too"])
    #expect(
      findings("Sources/A/One.swift", "Sources/A/Two.swift", "Sources/B/Three.swift") == [
        "Sources/B/Three.swift does not contain scene"
      ])
    #expect(ChangeListRule.findings(in: SourceFile("A.md", "## A\n"), files).count == 1)
  }

  @Test func `finds a name that a caller or a stored row depends on and that is gone`() {
    let sources = [
      SourceFile("Sources/A/One.swift", #"log(.info, "order.paid", [("price", 1)])"#),
      SourceFile("Sources/B/Schema/Two.swift", #"let sql = "CREATE TABLE orders (id TEXT, price INTEGER)""#),
    ]
    func findings(_ line: String) -> Int { StableNameRule.findings(in: SourceFile("A.txt", line), sources).count }
    #expect(findings("log order.paid\ncolumn orders.price\nfield price\n") == 0)
    for line in ["log order.closed", "column orders.amount", "table payments", "field orders", "order.paid"] {
      #expect(findings(line) == 1, "\(line)")
    }
  }

  // MARK: public interfaces

  @Test func `writes a public interface without its comments, each declaration apart`() {
    let interface =
      "import A\n\n/// A shop.\n@MainActor\npublic struct Shop {\n\n    /// One.\n    public let a: Int\n}\n\n"
    let page = PublicInterface.page(of: "M", interface + "public func b()\n")
    #expect(
      page.hasSuffix("\n\nimport A\n\n@MainActor\npublic struct Shop {\n    public let a: Int\n}\n\npublic func b()\n"))
  }
}
