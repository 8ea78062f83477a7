import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// The console of the built `counterfoil-lab run`, in Chromium. `Tests/Tools/console_in_chromium.py` states the checks.
@Suite struct `The console in a browser` {
  private static let browser = ["chromium", "chromedriver"].compactMap(Tool.onPath)

  @Test(
    .enabled(
      if: browser.count == 2 && Tool.hasPackages && Tier.among(test: false, check: true, night: true),
      "chromium or chromedriver is absent, or this is `make test`: scripts/bootstrap --for-check installs them"),
    .timeLimit(.minutes(10)))
  func `signs in, searches, acts with and without a script, in both languages, at every width`() async throws {
    let report = try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder, options: ["--approvals"])
      defer { served.stop() }
      let links = try await served.consoleLinks()
      return try await Tool.packaged(
        "console_in_chromium.py",
        Self.browser + links + [served.serverPort, served.simulatorPort, served.folder.path], in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
  }
}
