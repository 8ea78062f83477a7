import Foundation
import StrictJSON
import TestTier
import Testing

/// What `counterfoil receiver code` prints: each receiver is started and held against `counterfoil receiver test`, each
/// program that pulls against a feed with faults.
@Suite(.serialized) struct `The printed receiver` {
  /// `make test` runs one that starts without a compiler.
  private static let languages = Tier.among(
    test: ["python"], check: ["python", "node", "php", "ruby", "go", "java", "swift"],
    night: ["python", "node", "php", "ruby", "go", "java", "swift"])
  private static let tools = ["python": "python3", "java": "javac", "swift": "swiftc"]

  private static func isPresent(_ language: String) -> Bool { Tool.onPath(tools[language] ?? language) != nil }

  @Test(arguments: languages.filter(isPresent)) func `passes all 25 checks, killed in between (22.4)`(
    language: String
  ) async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.python(
        "receiver_code.py", [try Tool.program(), language, folder.path], in: folder, within: .seconds(580))
    }
    let failed = (report["checks"]?.array ?? []).filter { $0["outcome"]?.string != "passed" }.map(\.text)
    #expect(failed == [] && report["passed"]?.integer == 25, "\(report["said"]?.string ?? report.text)")
  }

  @Test(arguments: languages.filter(isPresent))
  func `that pulls the feed books each event once, killed in between and after a restore (22.4)`(
    language: String
  ) async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.python(
        "feed_code.py", [try Tool.program(), language, folder.path], in: folder, within: .seconds(580))
    }
    let failed = (report["checks"]?.array ?? []).filter { $0["outcome"]?.string != "passed" }.map(\.text)
    #expect(failed == [] && report["checks"]?.array?.count == 7, "\(report["said"]?.string ?? report.text)")
  }
}
