import StrictJSON
import Testing

/// `app-store-server-library` with its online checks, which Apple's own introduction turns on.
@Suite struct `Apple's own verifier with online checks` {
  @Test(
    .enabled(if: Tool.hasPackages, "scripts/python-for-tests makes .build/python, and make test calls that"),
    .timeLimit(.minutes(5)))
  func `verifies what the simulated App Store signs, and refuses what was revoked (AS-KEY-7, AS-KEY-8)`() async throws {
    let report = try await Tool.withFolder { folder in
      let simulator = try await RunningSimulator(in: folder)
      defer { simulator.stop() }
      return try await Tool.packaged("apple_online_checks.py", [simulator.port], in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["done"]?.integer == 9)
  }
}
