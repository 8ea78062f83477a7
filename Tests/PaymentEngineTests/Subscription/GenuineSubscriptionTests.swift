import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON
import TestDoubles
import TestTier
import Testing

/// Seven notifications that Apple signed about one subscription in its sandbox. Not in this repository.
private enum GenuineSubscription {
  static let originalTransaction: TransactionIdentifier = "2000001024993299"
  static let bundleId = "com.loki-project.loki-messenger"
  static let appAppleId: Int64 = 1_470_168_868
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "shared/fixtures/apple-jws/genuine")

  /// The signed payloads; none where the fixtures are absent.
  static let payloads: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    return names.filter { $0.hasPrefix("notification") && $0.hasSuffix(".jws") }.sorted().compactMap { name in
      guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { return nil }
      let signed = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let verdict = try? SignedDataVerifier(.production).verifyNotification(
        signed, expecting: SignedDataExpectations(apps: nil, environments: nil), at: Timestamp(seconds: 1_795_000_000))
      return verdict?.transaction?.verified?.payload.originalTransactionId == originalTransaction.text ? signed : nil
    }
  }()
}

@Suite(.enabled(if: !GenuineSubscription.payloads.isEmpty, "../shared/fixtures is absent: no genuine notifications"))
struct `Genuine notifications of one subscription` {
  private struct Outcome: Hashable {
    let entitlements: [Entitlement]
    let payments: [String]
    let subscription: Subscription?
  }

  private static let appEnvironment = AppEnvironment(app: "shop", environment: .sandbox)
  private static let now = Timestamp(seconds: 1_760_592_000)

  private static func outcome(of payloads: [String]) async throws -> Outcome {
    var app = AppSettings(
      id: "shop", home: .production,
      identity: AppIdentity(bundleId: GenuineSubscription.bundleId, appAppleId: GenuineSubscription.appAppleId),
      catalog: try Catalog([
        Product(
          id: "pro", kind: .autoRenewable, grant: .entitlement("pro", period: nil),
          appStoreProducts: ["com.getsession.org.pro_sub", "com.getsession.org.pro_sub_3_months"])
      ]))
    app.policy.deliverFrom = Timestamp(seconds: 1_700_000_000)
    var setup = EngineFixture.Setup()
    (setup.dependencies, setup.verifier) = (StandingClock(now).dependencies, try SignedDataVerifier(.production))
    let shop = try EngineFixture(serving: [app], setup)
    let (engine, database) = (shop.engine, shop.database)
    // They carry no token: a user has claimed the subscription before.
    let key = PaymentKey(
      app: "shop", store: .appStore, environment: .sandbox, transaction: GenuineSubscription.originalTransaction)
    try await database.transact { try $0.put(Subscription(key: key, claimant: "alice")) }.get()
    for signed in payloads {
      let body = JSONValue.members([("signedPayload", .string(signed))]).bytes
      let receipt = try await engine.receiveAppStoreNotification(body, for: nil)
      #expect(receipt.effect == "applied")
    }
    let payments = try await database.read { database in
      try database.payments(ofOriginal: key).map {
        "\($0.key.transaction.text) \($0.state.name) \($0.owner?.text ?? "-")"
      }
    }
    #expect(try await engine.auditInvariants(atRest: true).violations == [])
    return Outcome(
      entitlements: try await engine.readEntitlements(of: "alice", in: appEnvironment), payments: payments,
      subscription: try await database.read { try $0.subscription(key) })
  }

  /// Every rotation, in both directions, and random orders; seven notifications have 5040 orders.
  @Test func `end in one state, in any order`() async throws {
    let payloads = GenuineSubscription.payloads
    #expect(payloads.count == 7)
    let expected = try await Self.outcome(of: payloads)
    #expect(expected.payments.count == 5)
    #expect(expected.payments.allSatisfy { $0.hasSuffix("fulfilled alice") })
    // The newest notification is from the day on which a three-month period began.
    #expect(expected.entitlements.first?.state == .active)
    #expect(expected.entitlements.first?.renewsTo == "com.getsession.org.pro_sub_3_months")
    let asked = Tier.among(test: 14, check: 300, night: 5040)
    var orders = payloads.indices.map { Array(payloads[$0...] + payloads[..<$0]) }
    orders += orders.map { $0.reversed() }
    var chance = SplitMix64(seed: 7)
    while orders.count < asked {
      orders.append(payloads.map { ($0, chance.next()) }.sorted { $0.1 < $1.1 }.map(\.0))
    }
    for order in orders.prefix(max(asked, 14)) {
      #expect(try await Self.outcome(of: order) == expected)
    }
  }
}
