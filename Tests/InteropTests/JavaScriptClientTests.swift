import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// `Clients/javascript`, under Node.js and in Chromium, against the built server and both simulated stores.
/// `Tests/Tools/javascript_wechat.mjs` and `javascript_app_store.mjs` state the checklist items of each scenario.
@Suite struct `The JavaScript client` {
  private static let absence: Comment =
    "nodejs or node-typescript is absent: scripts/bootstrap --for-tests installs them"
  private static let hasNode = Tool.arePresent("node")
  private static let browser = ["chromium", "chromedriver"].compactMap(Tool.onPath)

  @Test(.enabled(if: hasNode && Tool.arePresent("tsc"), absence), .timeLimit(.minutes(5)))
  func `has the types that it declares, and the texts of Clients/messages.json`() async throws {
    try await OtherProgram.run(try #require(Tool.onPath("tsc")), ["-p", Tool.place("Clients/javascript")])
    let node = try #require(Tool.onPath("node"))
    try await OtherProgram.run(node, [Tool.place("Clients/javascript/messages-from-json.mjs"), "--check"])
  }

  @Test(.enabled(if: hasNode, absence), .timeLimit(.minutes(5)))
  func `answers bad input, damaged vaults and silent stores with a clear error in both languages`() async throws {
    for (script, checks) in [("javascript_calls.mjs", 302), ("javascript_answers.mjs", 153)] {
      let report = try await Tool.withFolder { try await Tool.node(script, [], in: $0) }
      #expect(report["wrong"]?.array?.compactMap(\.string) == [])
      #expect(report["done"]?.integer == Int64(checks))
    }
  }

  @Test(.enabled(if: hasNode, absence), .timeLimit(.minutes(20)))
  func `grants each payment at WeChat Pay once, by every way to pay, wherever it is killed (1A.14, 1A.15, X20)`()
    async throws
  {
    let gap = Tier.among(test: 60, check: 12, night: 1)
    let report = try await Self.runs("javascript_wechat_runs.mjs", gap: gap)
    try Self.expectKills(report, scenarios: 178, gap: gap)
  }

  @Test(.enabled(if: hasNode, absence), .timeLimit(.minutes(20)))
  func `grants each charge of the App Store once wherever it is killed (1A.50, 1A.52, 1A.58, 1A.72, S15, S18, S19)`()
    async throws
  {
    let gap = Tier.among(test: 60, check: 16, night: 1)
    let report = try await Self.runs("javascript_app_store_runs.mjs", gap: gap)
    try Self.expectKills(report, scenarios: 68, gap: gap)
    // 1A.63: without an answer it retries after 10, 30 and 120 s.
    let pauses = report["scenarios"]?["network down for a while, by phone alone"]?["pauses"]?.array
    #expect(pauses?.compactMap(\.integer).suffix(3) == [10, 30, 120])
  }

  @Test(
    .enabled(
      if: browser.count == 2 && Tool.hasPackages,
      "chromium or chromedriver is absent: scripts/bootstrap --for-check installs them"),
    .timeLimit(.minutes(10)))
  func `sells in a browser by QR code, by H5 and inside WeChat`() async throws {
    let report = try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder)
      defer { served.stop() }
      let ports = [served.serverPort, served.simulatorPort, served.folder.path]
      return try await Tool.packaged("javascript_in_chromium.py", Self.browser + ports, in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["done"]?.integer == 38)
  }

  private static func runs(_ script: String, gap: Int) async throws -> JSONValue {
    try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder)
      defer { served.stop() }
      return try await Tool.node(
        script, [served.serverPort, served.simulatorPort, served.folder.path, "\(gap)"], in: folder,
        within: .seconds(1150))
    }
  }

  /// Checks the runs of a report: each run except the last was killed, and the kills reach to the last step.
  private static func expectKills(_ report: JSONValue, scenarios count: Int, gap: Int) throws {
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    let scenarios = try #require(report["scenarios"]?.object)
    #expect(scenarios.count == count)
    var total: Int64 = 0
    for scenario in scenarios {
      let kills = try #require(scenario.value["kills"]?.integer)
      let steps = try #require(scenario.value["steps"]?.integer)
      #expect(scenario.value["runs"]?.integer == kills + 1, "\(scenario.name)")
      #expect(steps >= 25, "\(scenario.name): \(steps) steps")
      total += kills
    }
    #expect(total > 1000 / gap, "\(total) kills")
  }
}
