import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// A client that has only HTTP, a file as its vault, and the simulator: `Tests/Tools/http_client.py`.
@Suite struct `A client over plain HTTP` {
  /// `Tests/Tools/http_scenarios.py` lists the checklist items and scenarios that each of its scenarios proves.
  private static let gap = Tier.among(test: 4, check: 2, night: 1)

  @Test(
    .enabled(if: Tool.arePresent("python3"), "python3 is absent: scripts/bootstrap --for-tests installs it"),
    .timeLimit(.minutes(10)))
  func `grants each charge once wherever it is killed (1A.50, 1A.52, 1A.72, S15, S18, S19)`() async throws {
    let report = try await Tool.withFolder { folder in
      let served = try await ServedSimulator(in: folder)
      defer { served.stop() }
      return try await Tool.python(
        "http_client_runs.py", [served.serverPort, served.simulatorPort, served.folder.path, "\(Self.gap)"], in: folder,
        within: .seconds(570))
    }
    let wrong = try #require(report["wrong"]?.array).compactMap(\.string)
    #expect(wrong == [], "\(wrong.count) runs ended with an error")
    let scenarios = try #require(report["scenarios"]?.object)
    var (kills, charges) = (0 as Int64, 0 as Int64)
    for scenario in scenarios {
      let killed = try #require(scenario.value["kills"]?.integer)
      let runs = try #require(scenario.value["runs"]?.integer)
      // Each run except the last was killed, and each step was reached.
      #expect(runs == killed + 1, "\(scenario.name)")
      #expect(killed == 0 || killed > 10 / Self.gap, "\(scenario.name)")
      kills += killed
      charges += try #require(scenario.value["charges"]?.integer)
    }
    #expect(
      scenarios.count == 52 && kills > 600 / Self.gap && charges > 500 / Self.gap,
      "\(scenarios.count) \(kills) \(charges)")
    // 1A.63: without an answer it retries after 10, 30 and 120 s.
    #expect(
      report["scenarios"]?["network down for a while, by phone alone"]?["pauses"]?.array?.compactMap(\.integer)
        == [10, 30, 120])
  }
}

/// `counterfoil-lab run` on ports that the system chooses, until it is stopped.
final class ServedSimulator {
  let folder: URL
  let serverPort: String
  let simulatorPort: String
  private let process: OtherProgram

  init(in parent: URL, options: [String] = []) async throws {
    folder = parent.appending(path: "data")
    let process = try OtherProgram(
      try Tool.program("counterfoil-lab"), ["run", "--data", folder.path, "--port", "0"] + options,
      within: .seconds(580))
    // It prints its addresses once it listens.
    try await process.awaitOutput("data  ")
    let ports = process.output.split(separator: "http://localhost:").dropFirst().map {
      String($0.prefix { $0.isNumber })
    }
    // Both simulated stores have one address; the console's may follow.
    guard ports.count >= 3, ports[1] == ports[2] else {
      throw Tool.Failure(description: process.output + process.errors)
    }
    (serverPort, simulatorPort) = (ports[0], ports[1])
    self.process = process
  }

  /// The links that sign in to the console, once each: with the option `--approvals`, those of two operators.
  func consoleLinks() async throws -> [String] {
    // It stands behind the last link.
    try await process.awaitOutput("for another browser")
    let links = process.output.split { $0.isWhitespace }.filter { $0.contains("/console/enter#") }
    guard links.count == 2 else { throw Tool.Failure(description: process.output + process.errors) }
    return links.map(String.init)
  }

  func stop() {
    process.terminate()
    process.end()
  }
}
