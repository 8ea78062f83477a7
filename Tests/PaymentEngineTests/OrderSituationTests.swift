import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The sentence about an order` {
  private static let every: [OrderSituation] =
    [
      .waitingForPayment, .waitingForApproval, .closedUnpaid, .alreadyOwned, .pendingAtStore, .weChatUnknown, .setAside,
      .unclaimed, .revoked, .imported, .observed, .paidGrantedAcknowledged, .paidGrantedNotTold(attempts: 0),
      .paidGrantedNotTold(attempts: 6), .paidGrantedParked, .paidTwice, .boughtSomethingElse, .paidLate,
      .sandboxCounterpart, .reversed(whole: true), .reversed(whole: false), .reinstated, .refundUnderWay, .refundStuck,
      .refundAskedAtApple(until: EngineFixture.noon), .contradicted, .frozen,
    ] + HoldReason.allCases.map { .held($0) }

  @Test(arguments: every)
  func `has words of its own for the operator and the customer in both languages`(situation: OrderSituation) {
    let sentence = situation.sentence(.init(amount: "¥6.00", goods: "100 coin"))
    for text in [sentence.headline, sentence.detail, sentence.customer] {
      #expect(text.english.hasSuffix(".") && !text.english.contains("¥6.00 ¥"))
      #expect(text.chinese.hasSuffix("。") && text.chinese.unicodeScalars.contains { $0.value >= 0x4E00 })
    }
    // A customer is told nothing that only operators know.
    for word in ["backend", "order id", "dlv_", "held", "unclaimed"] {
      #expect(!sentence.customer.english.contains(word), "\(situation)")
    }
    let without = situation.sentence(.init(amount: nil, goods: "100 coin"))
    #expect(!without.customer.english.contains("¥") && !without.customer.english.contains("nil"))
  }

  @Test func `differs from situation to situation`() {
    let headlines = Self.every.map { $0.sentence(.init(amount: "¥6.00", goods: "100 coin")).headline }
    #expect(Set(headlines).count == headlines.count)
  }

  /// The situation of an order.
  private func situation(_ shop: EngineFixture, _ order: OrderIdentifier) async throws -> OrderSituation {
    let story = try await shop.engine.tellOrder(.id(order), in: shop.app.userEnvironments)
    return OrderSituation(story, at: shop.now())
  }

  @Test func `tells an order that waits, waits for approval, or is closed`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    #expect(try await situation(shop, order) == .waitingForPayment)
    _ = try await shop.engine.noteApprovalPending(.id(order), in: EngineFixture.appEnvironment, of: "alice")
    #expect(try await situation(shop, order) == .waitingForApproval)
    _ = try await shop.engine.closeOrder(
      .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
    #expect(try await situation(shop, order) == .closedUnpaid)
    _ = try await shop.submit(shop.transaction("1", token: order), orders: [order])
    #expect(try await situation(shop, order) == .paidGrantedNotTold(attempts: 0))
    try await acknowledge(shop, order)
    #expect(try await situation(shop, order) == .paidLate)
  }

  @Test func `tells a paid order whose backend is told, has acknowledged, or whose money went back`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1", token: order), orders: [order])
    #expect(try await situation(shop, order) == .paidGrantedNotTold(attempts: 0))
    try await acknowledge(shop, order)
    #expect(try await situation(shop, order) == .paidGrantedAcknowledged)
    shop.clock.advance(by: .hours(1))
    let refunded = shop.transaction("1", token: order) {
      $0["revocationDate"] = .integer(shop.now().milliseconds)
      $0["revocationReason"] = .integer(1)
    }
    _ = try await shop.submit(refunded, orders: [order])
    #expect(try await situation(shop, order) == .reversed(whole: true))
  }

  @Test func `tells a payment that is held or set aside, and names an order that it does not pay`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1", of: "com.example.unknown", token: order), orders: [order])
    #expect(try await situation(shop, order) == .held(.productUnknown))
    _ = try await shop.engine.setAside(EngineFixture.key("1"), by: "lin", reason: "ticket 1")
    #expect(try await situation(shop, order) == .setAside)
  }

  @Test func `tells a second payment for one order`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1", token: order), orders: [order])
    _ = try await shop.submit(shop.transaction("2", token: order), orders: [order])
    let second = try #require(try await shop.engine.tellPayment(EngineFixture.key("2")).payment?.order)
    try await acknowledge(shop, second)
    #expect(try await situation(shop, second) == .paidTwice)
  }

  private func acknowledge(_ shop: EngineFixture, _ order: OrderIdentifier) async throws {
    let story = try await shop.engine.tellOrder(.id(order), in: shop.app.userEnvironments)
    for delivery in story.details.deliveries {
      _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
    }
  }
}
