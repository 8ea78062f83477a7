import Foundation
import StrictJSON
import TestSubprocess
import Testing

/// The cashier's pages of `counterfoil-lab simulator` as a user sees them: `Tests/Tools/cashier_in_chromium.py`.
@Suite struct `The cashier's page in a browser` {
  private static let browser = ["chromium", "chromedriver"].compactMap(Tool.onPath)
  private static let present = browser.count == 2 && Tool.hasPackages

  @Test(
    .enabled(if: present, "chromium or chromedriver is absent: scripts/bootstrap --for-check installs them"),
    .timeLimit(.minutes(5)))
  func `accepts a payment, a cancellation and a payer who leaves, for Native and H5`() async throws {
    let report = try await Tool.withFolder { folder in
      let simulator = try await RunningSimulator(in: folder)
      defer { simulator.stop() }
      return try await Tool.packaged("cashier_in_chromium.py", Self.browser + [simulator.port], in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["done"]?.integer == 17)
  }
}
