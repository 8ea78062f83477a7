import Foundation
import StrictJSON
import TestSubprocess
import Testing

/// Traces of whole purchases, as a collector receives them that reads each request by `opentelemetry-proto` from PyPI.
@Suite struct `A collector of traces` {
  /// Spec of the operators, section 15, row 12: the trace arrives whole, and a dead collector costs nothing.
  @Test(
    .enabled(
      if: Tool.hasPackages,
      ".build/python is absent: scripts/python-for-tests makes it, and make test calls that"), .timeLimit(.minutes(5)))
  func `gets each purchase as one tree under the order's id, and holds up none if it misbehaves`() async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.packaged("traces_runs.py", [try Tool.program(), folder.path], in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["spans"]?.integer ?? 0 > 60)
    #expect(report["requests"]?.integer ?? 0 > 10)
  }
}
