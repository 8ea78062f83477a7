import Testing
import TidyRules

/// The rules about declarations, imports, pages and trees, each with what it must find.
@Suite struct `A rule about declarations and pages` {
  @Test(arguments: [
    "public func f() {}", "  public static let a = 1", "public struct A {\n}", "/// A.\n\npublic struct A {}",
    "// A.\npublic struct A {}", "/// A.\npublic enum A {\n  case a\n}",
    "/// A.\npublic protocol P {\n  func f()\n}", "/// A.\npublic protocol P {\n  var a: Int { get }\n}",
    "/// A.\n@frozen\npublic struct A {\n  public init() {}\n}", "@discardableResult\npublic func f() {}",
    "public private(set) var a = 1", "public static func + (a: A, b: A) -> A { a }",
  ])
  func `finds a public declaration without documentation`(text: String) {
    #expect(DocumentationRule.findings(in: SourceFile("Sources/A/A.swift", text)).count == 1, "\(text)")
  }

  @Test(arguments: [
    "/// A.\n@available(macOS 15, *)\n@discardableResult\npublic static func f() {}", "public import A", "func f() {}",
    "enum A {\n  case a\n}",
    "/// A.\npublic enum A {\n  /// a\n  case a, b\n  func f() { switch self { case .a: break } }\n}",
    "public static func == (a: A, b: A) -> Bool { true }", "public var description: String { \"\" }",
    "public init(stringLiteral value: String) {}", "protocol P {\n  func f()\n}", "/** A. */\npublic struct A {}",
    "public func hash(into hasher: inout Hasher) {}",
  ])
  func `leaves alone what is documented, or is not public`(text: String) {
    #expect(DocumentationRule.findings(in: SourceFile("Sources/A/A.swift", text)) == [])
  }

  private let manifest = Manifest(targets: [
    .init(
      name: "PaymentModel", path: "Sources/Core/PaymentModel", kind: "regular", dependencies: ["PaymentPrimitives"]),
    .init(name: "PaymentModelTests", path: "Tests/PaymentModelTests", kind: "test", dependencies: ["PaymentModel"]),
    .init(name: "HTTPClient", path: "Sources/Platform/HTTPClient", kind: "regular", dependencies: ["CCurl"]),
  ])

  @Test(arguments: [
    ("Sources/Core/PaymentModel/A.swift", "import SQLiteDatabase"),
    ("Sources/Core/PaymentModel/A.swift", "import Foundation"),
    ("Sources/Core/PaymentModel/A.swift", "public import StrictJSON"),
    ("Sources/Core/PaymentModel/A.swift", "import struct HTTPClient.A"),
    ("Sources/Core/PaymentModel/A.swift", "#if canImport(Dispatch)\nimport Dispatch\n#endif"),
    ("Sources/Core/Unknown/A.swift", "import A"),
    ("Sources/Platform/HTTPClient/A.swift", "import HTTPMessages"),
    ("Sources/Platform/HTTPClient/A.swift", "import PaymentEngine"),
    ("Tests/PaymentModelTests/A.swift", "import PaymentEngine"),
    ("Tests/PaymentModelTests/A.swift", "import StrictJSON"), ("Sources/C/CTOML/A.cpp", "#include <boost/beast.hpp>"),
    ("Sources/C/CHTTPServer/A.cpp", "#include <toml++/toml.h>"),
  ])
  func `finds a forbidden import`(path: String, text: String) {
    #expect(ImportRule.findings(in: SourceFile(path, text), manifest: manifest).count == 1, "\(path) \(text)")
  }

  @Test(arguments: [
    ("Sources/Core/PaymentModel/A.swift", "public import PaymentPrimitives"),
    ("Tests/PaymentModelTests/A.swift", "import PaymentModel"),
    ("Tests/PaymentModelTests/A.swift", "import Testing\nimport Foundation"),
    ("Sources/Core/PaymentModel/A.swift", "// import SQLiteDatabase"),
    ("Sources/C/CTOML/A.cpp", "#include <toml++/toml.h>\n#include <vector>"),
  ])
  func `leaves an allowed import alone`(path: String, text: String) {
    #expect(ImportRule.findings(in: SourceFile(path, text), manifest: manifest) == [])
  }

  @Test func `finds paths of one machine and hosts of registries`() {
    let machine = ["/" + "work/main", "see /" + "root/.cache", "'/" + "home/me'", "cd /" + "Users/me"]
    let registry = ["https://pypi" + ".org/simple", "deb http://deb.debian" + ".org/debian"]
    for line in machine + registry {
      #expect(TextRule.findings(in: SourceFile("a.md", line + "\n")).count == 1, "\(line)")
    }
    for line in [
      "Sources/" + "root/a", "a/" + "work/b", "/workers", "the root", "https://www.swift.org/install/", "/homes",
    ] {
      #expect(TextRule.findings(in: SourceFile("a.md", line + "\n")) == [], "\(line)")
    }
  }

  @Test(arguments: ["a \n", "a\t\n", "a\r\n", "a"])
  func `finds untidy ends of lines`(text: String) {
    #expect(!TextRule.findings(in: SourceFile("a.txt", text)).isEmpty)
    #expect(TextRule.findings(in: SourceFile("a.txt", "a\n\nb\n")).isEmpty)
  }

  @Test func `finds a page with two titles or none, headings in code left out`() {
    #expect(PageRule.findings(in: SourceFile("a.md", "# A\n## B\n```sh\n# not a title\n```\n")).isEmpty)
    #expect(PageRule.findings(in: SourceFile("a.md", "# A\n# B\n")).count == 1)
    #expect(PageRule.findings(in: SourceFile("a.md", "A\n")).count == 1)
  }

  @Test func `finds a file without a target, a target without a file, and two files of one name in one target`() {
    let paths: Set = ["Sources/Core/A/A.swift", "Tests/B/A.swift", "Sources/C/C/C.h", "README.md"]
    func problems(_ more: Set<String>, _ targets: Set<String>) -> [String] {
      TreeRule.problems(paths: paths.union(more), targets: targets, systemLibraries: ["C"])
    }
    #expect(problems([], ["A", "B", "C"]) == [])
    #expect(problems(["Sources/Stray.swift"], ["A", "B", "C"]).count == 1)
    #expect(problems([], ["A", "C"]).count == 1)
    #expect(problems(["Sources/Core/D/x.md"], ["A", "B", "C", "D"]).count == 1)
    #expect(problems(["Sources/Core/A/B/A.swift"], ["A", "B", "C"]).count == 1)
  }

  private let known = ReferenceRule.Known(
    paths: ["Sources/A/Match.swift", "docs/a.md", "docs/b.md"],
    declarations: Declarations([
      SourceFile(
        "Sources/A/Match.swift",
        """
        public enum Match {
          case one(Int), two
          static func decide(_ a: Int) {}
          struct Inner { let x = 1 }
        }
        extension Match { var late: Int { 1 } }
        """
      )
    ]), foreign: ["StoreKit"], modules: ["PaymentModel"])

  @Test(arguments: [
    "`Sources/A/Gone.swift`", "`Gone.swift`", "`docs/gone/`", "[a](c.md)", "[a](../c.md#b)", "`Match.gone`", "`Gone`",
    "`Match.Inner.y`", "`Match.Gone.x`", "`Sources/*/Gone.swift`",
  ])
  func `finds what a page names and does not exist`(text: String) {
    #expect(ReferenceRule.findings(in: SourceFile("docs/a.md", text), known).count == 1, "\(text)")
  }

  @Test(arguments: [
    "`Sources/A/Match.swift`", "`Match.swift`", "`A/Match.swift`", "`Sources/A/`", "`Sources/A`", "`b.md`",
    "[a](b.md#there)",
    "[a](https://example.org/x.md)",
    "`Match`", "`Match.decide`", "`Match.decide(_:)`", "`Match.two`", "`Match.late`", "`Match.Inner.x`", "`StoreKit`",
    "`PaymentModel`", "`GET /v1/orders`", "`/v1/orders`", "`application/json`", "`out_trade_no`",
    "`COUNTERFOIL_LISTEN`",
    "`make run`", "`grant.created`", "`.build/python`", "`Sources/*/Match.swift`", "`Sources/A/…`",
    "```\nGone.swift\n```",
    "`Idempotency-Key`", "`false`", "`../docs/a.md`",
  ])
  func `leaves alone what exists, and what is neither path nor symbol`(text: String) {
    #expect(ReferenceRule.findings(in: SourceFile("docs/a.md", text), known) == [])
  }
}
