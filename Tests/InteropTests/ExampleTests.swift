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

  /// It is not compiled here. An old error must not come back: a deleted record read as paid.
  @Test func `report bought only if the server reports it, in the source text of Objective-C`() throws {
    #expect(try Tool.example("CounterfoilClient.m").contains("isPaid ? @\"bought\" : @\"closed\""))
  }

  /// A file's own statement about being run must stay true.
  @Test func `state whether they are run here`() throws {
    for (name, words) in [
      ("CounterfoilClient.m", "NOT COMPILED HERE")
    ] {
      let head = try Tool.example(name).split(separator: "\n").prefix(6).joined(separator: "\n")
      #expect(head.contains(words), "\(name)")
    }
  }
}
