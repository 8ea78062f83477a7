import Foundation
import StrictJSON
import TestTier
import Testing

/// The backends of `Examples/Backends`, each against the built server and both simulated stores:
/// `Tests/Tools/backend_runs.py` has the purchases, refunds, repeats, restarts and forged deliveries.
@Suite(.serialized) struct `The backends in other languages` {
  private static let driver = "/usr/share/java/sqlite-jdbc.jar"
  private static let absence =
    "a tool is absent: scripts/bootstrap --for-check installs them on Debian; make test runs only some languages"
  /// `make test` runs those that start without a compiler: a run takes 15 seconds of processor time.
  private static let languages: Set<String> = Tier.among(test: ["python", "php"], check: all, night: all)
  private static let all: Set<String> = ["java", "spring", "go", "node", "python", "php", "swift"]

  private static func runs(_ language: String) -> Bool { languages.contains(language) }

  /// Runs the same purchases through a backend and compares its book with the ledger.
  private func run(_ language: String) async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.packaged(
        "backend_runs.py", [try Tool.program(), language, folder.path], in: folder, within: .seconds(580))
    }
    let wrong = try #require(report["wrong"]?.array).compactMap(\.string)
    #expect(wrong == [], "\(report["said"]?.string ?? "")")
    #expect(report["purchases"]?.integer == 18)
    #expect(try #require(report["done"]?.integer) > 230)
  }

  @Test(
    .enabled(
      if: Self.runs("java") && Tool.hasPackages && Tool.arePresent("java", "javac") && Tool.isThere(driver),
      Comment(rawValue: absence)),
    .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in Java (1B.16, 1B.17)`() async throws {
    try await run("java")
  }

  @Test(
    .enabled(
      if: Self.runs("spring") && Tool.hasPackages && Tool.arePresent("java", "javac") && Tool.isThere(driver)
        && Tool.isThere("/usr/share/java/spring3-web.servlet.jar")
        && Tool.isThere("/usr/share/java/tomcat9-catalina.jar"),
      Comment(rawValue: absence)), .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in Java with Spring (1B.16, 1B.17)`() async throws {
    try await run("spring")
  }

  @Test(
    .enabled(
      if: Self.runs("go") && Tool.hasPackages && Tool.onPath("go") != nil
        && Tool.isThere("/usr/share/gocode/src/github.com/mattn/go-sqlite3"), Comment(rawValue: absence)),
    .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in Go (1B.16, 1B.17)`() async throws {
    try await run("go")
  }

  @Test(.enabled(if: Self.runs("node") && Tool.hasPackages, Comment(rawValue: absence)), .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in Node.js (1B.16, 1B.17)`() async throws {
    try await run("node")
  }

  @Test(.enabled(if: Self.runs("python") && Tool.hasPackages, Comment(rawValue: absence)), .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in Python (1B.16, 1B.17)`() async throws {
    try await run("python")
  }

  @Test(
    .enabled(if: Self.runs("php") && Tool.hasPackages && Tool.arePresent("php"), Comment(rawValue: absence)),
    .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in PHP (1B.16, 1B.17)`() async throws {
    try await run("php")
  }

  @Test(
    .enabled(if: Self.runs("swift") && Tool.hasPackages && Tool.onPath("swiftc") != nil, Comment(rawValue: absence)),
    .timeLimit(.minutes(10)))
  func `sell at both stores and book each delivery once, in Swift without the package (1B.16, 1B.17)`() async throws {
    try await run("swift")
  }

  @Test(.enabled(if: Tool.hasPackages, "its packages are absent: scripts/python-for-tests"), .timeLimit(.minutes(10)))
  func `a client made from the OpenAPI document buys at both stores (1B.16)`() async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.packaged("generated_client.py", [try Tool.program(), folder.path], in: folder)
    }
    #expect(try #require(report["wrong"]?.array).compactMap(\.string) == [])
    #expect(report["modules"]?.integer ?? 0 > 60, "one for each call")
    #expect(report["done"]?.integer ?? 0 > 20)
  }

  /// A file's own statement about being run must stay true.
  @Test func `state that they run in tests`() throws {
    for name in [
      "java/CounterfoilBackend.java", "java/SpringServer.java", "go/backend.go", "node/backend.mjs",
      "python/backend.py", "php/backend.php", "swift/Backend.swift",
    ] {
      let text = try String(contentsOfFile: Tool.place("Examples/Backends/" + name), encoding: .utf8)
      let head = text.split(separator: "\n").prefix(4).joined(separator: " ")
      #expect(head.contains("runs in our"), "\(name)")
    }
  }
}
