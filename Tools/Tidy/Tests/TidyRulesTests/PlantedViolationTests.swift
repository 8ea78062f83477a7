import Testing
import TidyRules

/// Each rule is a function over a path and a text. Here each meets what it must find, beside what looks like it and is
/// fine.
@Suite struct `A rule of the conventions` {
  private func swift(_ text: String, at path: String = "Sources/Services/PaymentEngine/Planted.swift") -> SourceFile {
    SourceFile(path, text)
  }

  @Test(arguments: [
    "let a = Date()", "let a = Foundation.Date ( )", "Date.now", "UUID()", "(1...9).random(in: x)", "list.shuffled()",
    "try await Task.sleep(for: .seconds(1))", "Task.detached { }", "getenv(\"HOME\")",
    "ProcessInfo.processInfo.environment",
    "DispatchQueue.main.async {}", "usleep(1)", "ContinuousClock.now", "SuspendingClock()", "clock_gettime(0, &t)",
    "arc4random_uniform(5)", "SystemRandomNumberGenerator()", "FileManager.default", "print(1)", "fatalError()",
    "try! f()",
    "a as! B", "@testable import X", "pthread_create(a)", "URLSession.shared", "exit(1)", "// TODO: later",
    "/* FIXME */",
    "/// XXX", "@Test(.disabled()) func a() {}", "@Test(.disabled) func a() {}", "\"\\(Date())\"",
    "let a = [1] ; print (a)",
  ])
  func `finds a banned call`(text: String) {
    #expect(BannedCallRule.findings(in: swift(text)).count == 1, "\(text)")
  }

  @Test(arguments: [
    "// Date()", "\"Date()\"", "Date(milliseconds: 1)", "console.print(1)", "func print(_ text: String) {}",
    "try !done()",
    "fingerprint(1)", "#\"\\(Date())\"#", "/* a /* b */ Date() */", "`Date()`",
    "@Test(.disabled(\"the store is closed\")) func a() {}",
    "@Test(.disabled(if: x, \"why\")) func a() {}", "\"\"\"\nDate()\n\"\"\"", "let methodology = 1 // methodical",
    "func f(print: (String) -> Void) { print(\"a\") }",
    "x.exit(1)",
  ])
  func `leaves alone what only looks like a banned call`(text: String) {
    #expect(BannedCallRule.findings(in: swift(text)) == [])
  }

  @Test func `allows a call where it is at home, and nowhere else`() {
    #expect(BannedCallRule.findings(in: swift("usleep(1)", at: "Sources/Platform/HTTPClient/A.swift")).isEmpty)
    #expect(BannedCallRule.findings(in: swift("usleep(1)", at: "Sources/HTTPClientele/A.swift")).count == 1)
    #expect(BannedCallRule.findings(in: swift("Date()", at: "Sources/Platform/HTTPClient/A.swift")).count == 1)
    // A program without the package has no dependencies to be handed in.
    #expect(BannedCallRule.findings(in: swift("Date()", at: "Examples/Backends/swift/A.swift")).isEmpty)
    #expect(BannedCallRule.findings(in: swift("try! a()", at: "Examples/Backends/swift/A.swift")).count == 1)
  }

  @Test func `names an exception that nothing needs`() {
    let file = swift("usleep(1)")
    let needed = (pattern: "usleep", path: file.path, reason: "it waits for a thread")
    #expect(BannedCallRule.findings(in: file, exceptions: [needed]).isEmpty)
    #expect(BannedCallRule.idleExceptions([needed], among: [file]).isEmpty)
    #expect(BannedCallRule.idleExceptions([("getenv", file.path, "why")], among: [file]).count == 1)
    #expect(BannedCallRule.idleExceptions([("usleep", "Sources/Gone.swift", "why")], among: [file]).count == 1)
    #expect(BannedCallRule.idleExceptions([("usleep", file.path, "")], among: [file]).count == 1)
  }

  @Test func `finds a type that is too long over all its files`() {
    func slice(_ lines: Int, _ head: String, at path: String) -> SourceFile {
      SourceFile(path, head + " {\n" + String(repeating: "  // a line\n", count: lines - 2) + "}\n")
    }
    let files = [
      slice(300, "struct Shop", at: "Sources/A/Shop.swift"), slice(300, "extension Shop", at: "Sources/A/Shop+B.swift"),
    ]
    let one = slice(2, "extension Shop", at: "Sources/A/Shop+C.swift")
    #expect(LengthRule.longTypes(in: files, longer: [:]) == [])
    #expect(LengthRule.longTypes(in: files + [one], longer: [:]).count == 1)
    #expect(LengthRule.longTypes(in: files + [one], longer: ["Shop": 602]) == [])
    #expect(LengthRule.longTypes(in: files + [one], longer: ["Shop": 603]).count == 1)
    #expect(LengthRule.longTypes(in: files, longer: ["Shop": 602]).count == 1)
  }

  @Test(arguments: [
    ("func f(_ a: Int, _ b: Int, _ c: Int) {}", 1), ("init(_ a: Int, _ b: Int, to d: Int, _ c: Int) {}", 1),
    ("func f(_ a: Int, _ b: Int, c: Int) {}", 0), ("func f(_ a: Int, _ b: Int, _ work: () -> Void) {}", 0),
  ])
  func `finds a function whose arguments a reader cannot tell apart`(text: String, count: Int) {
    #expect(LengthRule.findings(in: swift("struct A { \(text) }")).count == count)
  }

  @Test func `finds a file, a function and a line that are too long, and none that just fits`() {
    func file(lines: Int) -> SourceFile { swift(String(repeating: "\n", count: lines)) }
    func function(lines: Int) -> SourceFile {
      swift(
        "struct A {\n  func f(a: Int = { 1 }()) async throws -> [Int] {" + String(repeating: "\n", count: lines - 1)
          + "}\n}\n")
    }
    #expect(LengthRule.findings(in: file(lines: 300)).isEmpty)
    #expect(LengthRule.findings(in: file(lines: 301)).count == 1)
    #expect(LengthRule.findings(in: function(lines: 60)).isEmpty)
    #expect(LengthRule.findings(in: function(lines: 61)).count == 1)
    #expect(LengthRule.findings(in: swift("//" + String(repeating: "我", count: 118))).isEmpty)
    #expect(LengthRule.findings(in: swift("//" + String(repeating: "我", count: 119))).count == 1)
  }

  @Test func `lets a length stay on the ratchet while it is needed, and no longer`() {
    let file = swift(String(repeating: "\n", count: 310))
    #expect(LengthRule.findings(in: file, longer: [file.path: 310]).isEmpty)
    #expect(LengthRule.findings(in: file, longer: [file.path: 309]).count == 1)
    #expect(LengthRule.idle([file.path: 310], among: [file]).isEmpty)
    #expect(LengthRule.idle([file.path: 311], among: [file]).count == 1)
    #expect(LengthRule.idle([file.path: 310], among: []).count == 1)
    #expect(LengthRule.idle([file.path: 310], among: [swift("")]).count == 1)
  }

  @Test(arguments: [
    "init(a: Int) {BODY}", "var a: Int {BODY}", "subscript(a: Int) -> Int {BODY}", "deinit {BODY}",
    "static func == (a: A, b: A) -> Bool {BODY}", "func f<T: P>(a: T) where T.A == Int {BODY}",
    "func `is a sentence`() {BODY}",
  ])
  func `measures every kind of function`(text: String) {
    let body = String(repeating: "\n", count: 60)
    #expect(
      swift("struct A {\n\(text.split(separator: "BODY").joined(separator: body))\n}").functions.map(\.lines) == [61])
  }

  @Test func `measures functions of C and C++, and no loops`() {
    let body = String(repeating: "\n", count: 60)
    let long = "int f(int a) {\(body)}\nvoid A::g() const noexcept {\(body)}\n"
    let short = "void h() { if (a) {\n} for (;;) {\n} }\nint k(void);\n"
    let functions = SourceFile("Sources/C/CTOML/A.cpp", long + short).functions
    #expect(functions.map(\.lines) == [61, 61, 3])
  }

  @Test func `takes a requirement without a body for none`() {
    let text = "protocol P {\n  func f() -> Int\n  var a: Int { get }\n  init()\n}\nfunc g() {\n}\n"
    #expect(swift(text).functions.map(\.name) == ["a", "g"])
  }

  @Test(arguments: ["struct OrderManager {}", "enum PaymentHelpers {}", "protocol KeyImpl {}", "class FooBase {}"])
  func `finds a name that says nothing`(text: String) {
    #expect(NameRule.findings(in: swift(text)).count == 1)
    #expect(NameRule.findings(in: swift("", at: "Sources/Services/PaymentEngine/Utils/A.swift")).count == 1)
    #expect(NameRule.findings(in: swift("", at: "Sources/Services/PaymentEngine/Order+Helper.swift")).count == 1)
  }

  @Test(arguments: [
    "struct InMemoryStorage {}", "struct Commonsense {}", "struct Basement {}", "struct ManagersDesk {}",
  ])
  func `leaves alone a name that only holds such a word`(text: String) {
    #expect(NameRule.findings(in: swift(text)) == [])
  }

  @Test(arguments: [
    "final class A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1", "@preconcurrency import A",
  ])
  func `finds what the compiler cannot check outside of the one file`(text: String) {
    let home = ["Sources/Services/SQLiteDatabase/Handle.swift": "a reason"]
    #expect(
      UncheckedRule.findings(in: swift(text, at: "Sources/Services/SQLiteDatabase/A.swift"), files: home).count == 1)
    #expect(
      UncheckedRule.findings(in: swift(text, at: "Sources/Services/SQLiteDatabase/Handle.swift"), files: home).isEmpty)
    #expect(UncheckedRule.idle(home, among: [swift("", at: "Sources/Services/SQLiteDatabase/Handle.swift")]).count == 1)
    #expect(UncheckedRule.listProblems(home).isEmpty)
    #expect(UncheckedRule.listProblems(["Sources/Core/PaymentModel/A.swift": "a reason"]).count == 1)
    #expect(
      UncheckedRule.listProblems([
        "Sources/Services/SQLiteDatabase/A.swift": "", "Sources/Services/SQLiteDatabase/B.swift": "",
      ]).count == 1)
  }

  @Test(arguments: ["let a: Double = b", "let a = 1.5", "let a = 1e3", "let a = 0x1p3", "Float(a)"])
  func `finds floating point near money`(text: String) {
    #expect(FloatingPointRule.findings(in: swift(text, at: "Sources/Core/PaymentModel/A.swift")).count == 1)
    #expect(FloatingPointRule.findings(in: swift(text, at: "Sources/Interfaces/TOMLConfiguration/A.swift")).isEmpty)
  }

  @Test(arguments: [
    "let a = 0...9", "let a = 0xE5", "let a = 1_000", "let doubled = 2", "tuple.0.1", "pairs.map { $0.0.1 }",
  ])
  func `leaves whole numbers alone`(text: String) {
    #expect(FloatingPointRule.findings(in: swift(text, at: "Sources/Core/PaymentModel/A.swift")) == [])
  }

  // MARK: citations

  private let specification = Specification([
    SourceFile(
      "docs/specification\u{2F}rules.md",
      "# Rules\n\n## Rule 2: two\n\n- **4.6** A\n\n| S7 | a |\n| 1A.50 | b |\n| 6 | c |\n\n## Who may\n\n11. d\n")
  ])

  @Test(arguments: [
    "// By the pages (design \u{A7}4).", "// RFC 7515 and (\u{A7}4)", "/// By client\u{20}spec 2.2.",
    "/// As the\u{20}design says.", "// docs/specification\u{2F}gone.md", "// docs/specification\u{2F}rules.md, rule 3",
    "// docs/specification\u{2F}rules.md,\n// 4.7", "// docs/specification\u{2F}rules.md, “Who must”",
    "// docs/specification\u{2F}rules.md, rules 2 to 4", "@Test func `is planted (S8)`() {}",
    "// 1A.51: planted", "// X5",
  ])
  func `finds a citation of what is not in the repository`(text: String) {
    #expect(CitationRule.findings(in: swift(text), specification).count == 1, "\(text)")
  }

  @Test(arguments: [
    "// RFC 7515 \u{A7}4.1, RFC 5754 \u{A7}2", "// (RFC 5280\n// \u{A7}4.2)", "// X.690 \u{A7}8", "// S7 (1A.50).",
    "// docs/specification\u{2F}rules.md, rule 2.", "// docs/specification\u{2F}rules.md,\n// 4.6: a",
    "// AS-X-5, x5t#S256, S7a",
    "// docs/specification\u{2F}rules.md, rules 2 and 11", "// (docs/specification\u{2F}rules.md, “Who may”)",
    "// docs/specification\u{2F}rules.md, row 6", "// docs/specification\u{2F}README.md", "// A design that waits",
  ])
  func `leaves alone a citation of what is there`(text: String) {
    #expect(CitationRule.findings(in: swift(text), specification) == [])
  }

  @Test func `finds a number of the specification without a row or a test, and a place that is missing`() {
    let numbers = (1...20).flatMap { ["S\($0)", "A\($0)"] }
    func problems(without missing: String = "", uncited: String = "A17", rules: ClosedRange<Int> = 0...5) -> [String] {
      let rows = (numbers + ChecklistRule.expectedNames).filter { $0 != missing }.map { "| \($0) | a |" }
      let matching = rules.map { "## Rule \($0)" }
      let invariants = (1...9).map { "## Invariant \($0)" }
      let cited = numbers.filter { $0 != uncited && $0 != "A17" }.joined(separator: " ")
      let pages = [("rows", rows), ("matching", matching), ("invariants", invariants)].map {
        SourceFile("docs/specification\u{2F}\($0).md", $1.joined(separator: "\n"))
      }
      return CitationRule.problems(in: pages, [SourceFile("Tests/A/A.swift", "// \(cited)")])
    }
    #expect(problems() == [])
    #expect(problems(without: "X5") == ["X5 does not have exactly one row"])
    #expect(problems(uncited: "S7") == ["no test cites S7"])
    #expect(problems(rules: 0...4) == ["the page matching has no rule 5"])
  }

  @Test func `finds a link of the specification that leads nowhere`() {
    let text = "# A\n\n[b](b.md) [c](../c.md) [d](d.md) [e](https://example.org)\n"
    let page = SourceFile("docs/specification\u{2F}a.md", text)
    let paths: Set = ["docs/specification\u{2F}b.md", "docs/c.md", "docs/d.md"]
    #expect(CitationRule.deadLinks(in: page, paths).map(\.message) == ["the link to d.md leads nowhere"])
  }
}
