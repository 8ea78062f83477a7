import Foundation
import StrictJSON
import Testing

/// A client that has only HTTP, a file as its vault, and the simulator: `Tests/Tools/http_client.py`.
@Suite struct `A client over plain HTTP` {
  /// The checklist items and scenarios that its scenarios prove stand beside them in `Tests/Tools/http_scenarios.py`.
  @Test(
    .enabled(if: Tool.arePresent("python3"), "python3 is absent: scripts/bootstrap --for-tests installs it"),
    .timeLimit(.minutes(10)))
  func `grants each charge once wherever it is killed (1A.50, 1A.52, 1A.72, S15, S18, S19)`() throws {
    let report = try Tool.withFolder { folder in
      let served = try ServedSimulator(in: folder)
      defer { served.stop() }
      return try Tool.python(
        "http_client_runs.py", [served.serverPort, served.simulatorPort, served.folder.path], in: folder)
    }
    let wrong = try #require(report["wrong"]?.array).compactMap(\.string)
    #expect(wrong == [], "\(wrong.count) runs ended wrong")
    let scenarios = try #require(report["scenarios"]?.object)
    var (kills, charges) = (0 as Int64, 0 as Int64)
    for scenario in scenarios {
      let killed = try #require(scenario.value["kills"]?.integer)
      let runs = try #require(scenario.value["runs"]?.integer)
      // Each run but the last was killed, and each step was reached.
      #expect(runs == killed + 1, "\(scenario.name)")
      #expect(killed == 0 || killed > 10, "\(scenario.name)")
      kills += killed
      charges += try #require(scenario.value["charges"]?.integer)
    }
    #expect(scenarios.count == 52 && kills > 600 && charges > 500, "\(scenarios.count) \(kills) \(charges)")
    // 1A.63: without an answer it asks after 10, 30 and 120 s.
    #expect(
      report["scenarios"]?["network down for a while, by phone alone"]?["pauses"]?.array?.compactMap(\.integer)
        == [10, 30, 120])
  }
}

/// `counterfoil serve --simulator` on ports of the system's choice, until it is stopped.
final class ServedSimulator {
  let folder: URL
  let serverPort: String
  let simulatorPort: String
  private let process = Process()

  init(in parent: URL) throws {
    folder = parent.appending(path: "data")
    let errors = parent.appending(path: "server-errors")
    try Data().write(to: errors)
    let output = Pipe()
    process.executableURL = URL(filePath: try Tool.program())
    process.arguments = ["serve", "--simulator", "--data", folder.path, "--port", "0"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    // It says where it listens once it does; the read waits for that.
    var words = ""
    while !words.contains("data  "), case let piece = output.fileHandleForReading.availableData, !piece.isEmpty {
      words += String(decoding: piece, as: UTF8.self)
    }
    let ports = words.split(separator: "http://127.0.0.1:").dropFirst().map { String($0.prefix { $0.isNumber }) }
    guard ports.count == 2 else {
      process.terminate()
      throw Tool.Failure(description: words + String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
    (serverPort, simulatorPort) = (ports[0], ports[1])
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}
