import CounterfoilAPI
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestDoubles
import TestTier
import Testing

@Suite struct `A sequence of updates of one subscription` {
  /// One update, by its notification.
  private struct Update {
    let type: String
    let transaction: String
    let renewal: String?
  }

  /// The facts that must not depend on the order of the updates.
  private struct Outcome: Hashable {
    let entitlements: [Entitlement]
    let payments: [String]
    let renewal: VerifiedRenewal?
  }

  private static let end: Double = 100

  private static func subscription() async throws -> SubscriptionFixture {
    let shop = try EngineFixture()
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: SubscriptionFixture.day(end) - EngineFixture.noon)
    return subscription
  }

  private static func second(_ subscription: SubscriptionFixture, signed: Double, revoked day: Double? = nil) -> String
  {
    subscription.period("9002", day: 30, signed: signed, named: false) { payload in
      if let day { revoked(day)(&payload) }
    }
  }

  private static func revoked(_ day: Double) -> (inout [String: JSONValue]) -> Void {
    { $0["revocationDate"] = .integer(SubscriptionFixture.day(day).milliseconds) }
  }

  /// A year of a subscription in Apple's notifications: first purchase, renewals, a refund and its reversal, a
  /// cancellation.
  private static func update(_ subscription: SubscriptionFixture) -> [Update] {
    [
      Update(
        type: "SUBSCRIBED", transaction: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0)),
      Update(
        type: "DID_RENEW", transaction: second(subscription, signed: 30), renewal: subscription.renewal(signed: 30)),
      Update(
        type: "REFUND", transaction: second(subscription, signed: 40, revoked: 40), renewal: nil),
      Update(type: "REFUND_REVERSED", transaction: second(subscription, signed: 45), renewal: nil),
      Update(
        type: "DID_RENEW", transaction: subscription.period("9003", day: 60),
        renewal: subscription.renewal(signed: 60)),
      Update(
        type: "DID_CHANGE_RENEWAL_STATUS", transaction: subscription.period("9003", day: 60, signed: 70),
        renewal: subscription.renewal(signed: 70, renews: false)),
      Update(type: "REFUND", transaction: subscription.period("9003", day: 60, signed: 80, revoked(80)), renewal: nil),
      Update(
        type: "SUBSCRIBED", transaction: subscription.period("9004", day: 90, signed: 90),
        renewal: subscription.renewal(signed: 90)),
      Update(
        type: "DID_FAIL_TO_RENEW", transaction: subscription.period("9003", day: 60, signed: 89.5, revoked(80)),
        renewal: subscription.renewal(signed: 89.5) { $0["isInBillingRetryPeriod"] = .bool(true) }),
      Update(
        type: "RENEWAL_EXTENDED",
        transaction: subscription.period("9004", day: 90, signed: 95) {
          $0["expiresDate"] = .integer(SubscriptionFixture.day(130).milliseconds)
        }, renewal: subscription.renewal(signed: 95)),
    ]
  }

  private static func outcome(of order: [Int]) async throws -> Outcome {
    let subscription = try await subscription()
    let update = update(subscription)
    for (number, index) in order.enumerated() {
      let piece = update[index]
      try await subscription.receive("n\(number)", piece.type, about: piece.transaction, renewal: piece.renewal)
    }
    let payments = try await subscription.shop.database.read { database in
      try ["9001", "9002", "9003", "9004"].map { id in
        guard let payment = try database.payment(EngineFixture.key(id)) else { return "none" }
        let grant = try database.grant(payment.key)
        return "\(payment.owner?.text ?? "-") \(grant?.isInForce ?? false) \(payment.order == subscription.token)"
      }
    }
    #expect(try await subscription.shop.violations() == [])
    let renewal = try await subscription.shop.database.read { try $0.subscription(EngineFixture.key("9001"))?.renewal }
    return Outcome(entitlements: try await subscription.shop.allEntitlements(), payments: payments, renewal: renewal)
  }

  /// There are 720 orders; if not all are tested, the tested ones are spread evenly.
  @Test func `ends in the same state for any order of the first six updates`() async throws {
    let expected = try await Self.outcome(of: Array(0..<6))
    #expect(expected.entitlements.first?.until == SubscriptionFixture.day(90))
    #expect(expected.entitlements.first?.willRenew == false)
    let orders = Array(0..<6).permutations
    #expect(orders.count == 720)
    for index in stride(from: 0, to: orders.count, by: Tier.among(test: 29, check: 5, night: 1)) {
      let order = orders[index]
      let found = try await Self.outcome(of: order)
      #expect(found == expected, "\(order)")
    }
  }

  /// Each order is random, seeded by its number.
  @Test func `ends in the same state for random orders of ten updates, some of them repeated`() async throws {
    let count: UInt64 = Tier.among(test: 15, check: 200, night: 10_000)
    let expected = try await Self.outcome(of: Array(0..<10))
    #expect(expected.entitlements.first?.until == SubscriptionFixture.day(130))
    #expect(expected.entitlements.first?.state == .active)
    for seed in 0..<count {
      var chance = SplitMix64(seed: seed)
      var order = (0..<10).map { ($0, chance.next()) }.sorted { $0.1 < $1.1 }.map(\.0)
      order.insert(order[0], at: 1 + Int(chance.next() % 9))
      let found = try await Self.outcome(of: order)
      #expect(found == expected, "seed \(seed): \(order)")
    }
  }
}

extension Array {
  /// All orders of the elements.
  fileprivate var permutations: [[Element]] {
    guard let first else { return [[]] }
    return Array(dropFirst()).permutations.flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0] + [first] + rest[$0...]) }
    }
  }
}
