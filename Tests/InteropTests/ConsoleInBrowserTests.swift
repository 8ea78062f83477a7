import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// The console of the built `counterfoil-lab run`, in Chromium. `Tests/Tools/console_in_chromium.py` states the checks.
@Suite struct `The console in a browser` {
  private static let browser = ["chromium", "chromedriver"].compactMap(Tool.onPath)

  /// The fewest checks that pass in each part of the run: one that silently did nothing is not a proof.
  private static let leastChecks: [String: Int64] = [
    "cases": 37, "second person": 70, "claim": 40, "complaint": 10, "keys": 40, "compared day": 2, "pages": 500,
    "keyboard": 35, "passkey": 50, "no script": 95, "simulator": 25,
  ]

  @Test(
    .enabled(
      if: browser.count == 2 && Tool.hasPackages && Tier.among(test: false, check: true, night: true),
      "chromium or chromedriver is absent, or this is `make test`: scripts/bootstrap --for-check installs them"),
    .timeLimit(.minutes(10)))
  func `signs in, searches, acts alone and with a second person, with and without a script`() async throws {
    let report = try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder, options: ["--approvals"])
      defer { served.stop() }
      let links = try await served.consoleLinks()
      return try await Tool.packaged(
        "console_in_chromium.py",
        Self.browser + links + [served.serverPort, served.simulatorPort, served.folder.path], in: folder,
        within: .seconds(540))
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    for (scene, least) in Self.leastChecks {
      let done = report["scenes"]?[scene]?.integer ?? 0
      #expect(done >= least, "\(scene): \(done) checks passed, and \(least) are there")
    }
  }
}
