import Foundation
import StrictJSON
import Testing

/// Apple's own client as a shop's server: `app-store-server-library` from PyPI against `counterfoil-lab simulator`.
@Suite struct `Apple's own client of the App Store Server API` {
  @Test(
    .enabled(
      if: Tool.hasPackages,
      ".build/python is absent: scripts/python-for-tests makes it, and make test calls that"), .timeLimit(.minutes(5)))
  func `reads transactions, histories, statuses and notifications, and gets the same errors as from Apple`()
    async throws
  {
    let report = try await Tool.withFolder { folder in
      let simulator = try await RunningSimulator(in: folder)
      defer { simulator.stop() }
      return try await Tool.packaged("apple_api_client.py", [simulator.port], in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["done"]?.integer == 28)
  }
}
