import Foundation
import StrictJSON
import TestTier
import Testing

/// The tables of the methods that the vendors' SDKs have, each driven against `counterfoil-lab simulator`.
///
/// The SDKs themselves say which methods they have, so a method that a new version adds has no row and fails the test.
@Suite(.serialized) struct `Each method of the vendors' SDKs` {
  /// The tables belong to `make check` and `make night`.
  private static let isDriven = Tier.among(test: false, check: true, night: true)

  @Test(
    .enabled(if: Tool.hasPackages && isDriven, "for make check, with the packages of scripts/python-for-tests"),
    .timeLimit(.minutes(5)), arguments: [("apple_methods.py", 72), ("wechat_pay_methods.py", 171)])
  func `behaves as against the vendor, or is named as not imitated`(script: String, methods: Int64) async throws {
    let report = try await Tool.withFolder { folder in
      let simulator = try await RunningSimulator(in: folder)
      defer { simulator.stop() }
      return try await Tool.packaged(script, [simulator.port], in: folder)
    }
    #expect(report["missing"]?.array?.compactMap(\.string) == [])
    #expect(report["gone"]?.array?.compactMap(\.string) == [])
    #expect(report["wrong"]?.array?.compactMap(\.string) == [])
    #expect(report["methods"]?.integer == methods)
    #expect((report["done"]?.integer ?? 0) > methods)
  }
}
