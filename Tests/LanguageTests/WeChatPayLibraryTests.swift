import Foundation
import OtherPrograms
import StrictJSON
import Testing

/// An SDK that shares nothing with us as a merchant's server: `wechatpayv3` from PyPI against `counterfoil simulator`.
@Suite struct `A WeChat Pay library of another maker` {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let python = package.appending(path: ".build/python/bin/python").path

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: python),
      ".build/python is absent: scripts/python-for-tests makes it, and make test calls that"), .timeLimit(.minutes(5)))
  func `orders, queries, closes, refunds, reads bills and notifications of the simulator, by both kinds of keys`() throws {
    let report = try Tool.withFolder { folder in
      let simulator = try RunningSimulator(in: folder)
      defer { simulator.stop() }
      let output = folder.appending(path: "output.json")
      let script = Self.package.appending(path: "Tests/Tools/wechat_pay_sdk.py").path
      try Tool.run(Self.python, ["-B", script, simulator.port, output.path])
      return try JSONReader.read(Data(contentsOf: output), limits: JSONLimits(bytesMax: 1 << 20))
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["done"]?.integer ?? 0 >= 60, "\(report["done"]?.integer ?? 0) checks")
  }
}

/// `counterfoil simulator` on a port of the system's choice, until it is stopped.
final class RunningSimulator {
  let port: String
  private let process: OtherProgram

  init(in folder: URL) throws {
    process = try OtherProgram(
      try Tool.program(), ["simulator", "--data", folder.appending(path: "simulator").path, "--port", "0"])
    // It says where it listens once it does.
    while !process.output.contains("merchant "), !process.hasEnded { sched_yield() }
    guard let match = process.output.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/simulator\/wechat-pay/) else {
      throw Tool.Failure(description: process.output + process.errors)
    }
    port = String(match.output.1)
  }

  func stop() {
    process.terminate()
    process.end()
  }
}
