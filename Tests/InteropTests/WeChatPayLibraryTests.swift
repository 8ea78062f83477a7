import Foundation
import StrictJSON
import TestSubprocess
import Testing

/// An independent SDK as a merchant's server: `wechatpayv3` from PyPI against `counterfoil-lab simulator`.
@Suite struct `An independent WeChat Pay library` {
  @Test(
    .enabled(
      if: Tool.hasPackages,
      ".build/python is absent: scripts/python-for-tests makes it, and make test calls that"), .timeLimit(.minutes(5)))
  func `orders, queries, closes, refunds, and reads bills and notifications, with both kinds of keys`() async throws {
    let report = try await Tool.withFolder { folder in
      let simulator = try await RunningSimulator(in: folder)
      defer { simulator.stop() }
      return try await Tool.packaged("wechat_pay_sdk.py", [simulator.port], in: folder)
    }
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["done"]?.integer == 96)
  }
}

/// `counterfoil-lab simulator` on a port that the system chooses, until it is stopped.
final class RunningSimulator {
  let port: String
  private let process: OtherProgram

  init(in folder: URL) async throws {
    process = try OtherProgram(
      try Tool.program("counterfoil-lab"),
      ["simulator", "--data", folder.appending(path: "simulator").path, "--port", "0"],
      within: .seconds(290))
    // It prints its address once it listens.
    try await process.awaitOutput("merchant ")
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
