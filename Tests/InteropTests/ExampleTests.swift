import Foundation
import StrictJSON
import Testing

/// The files of `Examples/OverHTTP` that can be run here, against the built server and the simulated App Store.
@Suite struct `The examples over plain HTTP` {
  static let absence = "nodejs is absent: scripts/bootstrap --for-tests installs it, and make test calls that"

  @Test(
    .enabled(if: Tool.arePresent("node", "python3"), Comment(rawValue: absence)),
    .timeLimit(.minutes(5)))
  func `sell from JavaScript through a backend in spite of kills, and book each delivery once (1B.16, 1B.17)`()
    async throws
  {
    let node = try #require(Tool.onPath("node"))
    let report = try await Tool.withFolder { folder in
      try await Tool.python("language_runs.py", [try Tool.program(), node, folder.path], in: folder)
    }
    let wrong = try #require(report["wrong"]?.array).compactMap(\.string)
    #expect(wrong == [])
    // Two clients bought undisturbed, one with lost answers, three were killed after the charge, and one bought with
    // the server killed. The client that was killed before it could pay was not charged. `BackendTests` kills backends.
    #expect(report["said"]?["charges"]?.integer == 7)
    #expect(report["said"]?["bookings"]?.integer == 7)
  }
}
