import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// The OpenAPI document against the built server: `Tests/Tools/schema_runs.py` states the checks.
@Suite struct `The server beside its document` {
  @Test(
    .enabled(
      if: Tool.hasPackages && Tier.among(test: false, check: false, night: true),
      "its packages are absent, or this is no night: scripts/python-for-tests"),
    .timeLimit(.minutes(30)))
  func `answers made-up requests with each kind of credential as documented, and never with a 5xx`() async throws {
    let report = try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder)
      defer { served.stop() }
      return try await Tool.packaged(
        "schema_runs.py", [served.serverPort, served.simulatorPort, served.folder.path, "8", "1"], in: folder,
        within: .seconds(1700))
    }
    #expect(try #require(report["wrong"]?.array).compactMap(\.string) == [])
    let calls = try #require(report["calls"]?.object)
    #expect(calls.count == 10)
    // By a key with each permission, and by an operator of each role.
    #expect(report["successes"]?.integer == 17)
    for one in calls { #expect((one.value.integer ?? 0) > 200, "\(one.name)") }
  }
}
