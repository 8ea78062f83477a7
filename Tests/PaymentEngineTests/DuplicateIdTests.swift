import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// Several ids of one non-consumable, in any order of the facts: docs/specification/invariants.md, invariant 2.
@Suite struct `Another id of a purchase` {
  /// What the store signs about "premium", by default bought on day 0 under 1001.
  struct Told: Sendable {
    var id = "1001"
    var bought = 0.0
    var signed: Double
    var revoked: Double?
    var token: OrderIdentifier?
    var type = "ONE_TIME_CHARGE"
    var account: String?
    var item: String?
    var family = false

    func text(_ shop: EngineFixture) -> String {
      shop.transaction(id, of: "com.example.premium", token: token, type: "Non-Consumable") {
        $0["originalTransactionId"] = "1001"
        $0["purchaseDate"] = .integer(SubscriptionFixture.day(bought).milliseconds)
        $0["signedDate"] = .integer(SubscriptionFixture.day(signed).milliseconds)
        if let revoked { $0["revocationDate"] = .integer(SubscriptionFixture.day(revoked).milliseconds) }
        if let account { $0["appTransactionId"] = .string(account) }
        if family { $0["inAppOwnershipType"] = "FAMILY_SHARED" }
      }
    }
  }

  func receive(_ told: Told, _ shop: EngineFixture) async throws {
    let uuid = "\(told.id)-\(told.signed)-\(told.type)"
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification(uuid, told.type, about: told.text(shop)), for: nil)
  }

  /// A shop on day 40, with orders for "premium" of these users, made on day 0.
  func shop(_ users: UserIdentifier...) async throws -> (EngineFixture, [OrderIdentifier]) {
    let shop = try EngineFixture()
    var orders: [OrderIdentifier] = []
    for user in users { orders.append(try await shop.order("premium", of: user)) }
    shop.clock.advance(by: .days(40))
    return (shop, orders)
  }

  /// All orders of arrival of a sequence.
  func orders<Element>(of all: [Element]) -> [[Element]] {
    guard let last = all.last else { return [[]] }
    return orders(of: all.dropLast()).flatMap { rest in
      (0...rest.count).map { place in
        var one = rest
        one.insert(last, at: place)
        return one
      }
    }
  }

  // MARK: refunds under several ids

  @Test func `that is refunded gives back after a reversal under either id, in every order`() async throws {
    for undoing in ["1001", "1002"] {
      let facts = [
        Told(signed: 1), Told(id: "1002", bought: 2, signed: 2),
        Told(id: "1002", bought: 2, signed: 10, revoked: 9, type: "REFUND"),
        Told(id: undoing, bought: undoing == "1001" ? 0 : 2, signed: 12, type: "REFUND_REVERSED"),
      ]
      for arrival in orders(of: facts) {
        let (shop, named) = try await shop("alice")
        for var told in arrival {
          told.token = named[0]
          try await receive(told, shop)
        }
        #expect(try await shop.entitlement()?.state == .active, "\(undoing) \(arrival.map { ($0.id, $0.signed) })")
        #expect(try await shop.violations() == [])
      }
    }
  }

  @Test func `never overwrites newer facts with an older refund`() async throws {
    let (shop, named) = try await shop("alice")
    let (first, other) = (Told(signed: 1, token: named[0]), Told(id: "1002", bought: 2, signed: 2))
    for told in [first, other] { try await receive(told, shop) }
    for told in [
      Told(id: "1002", bought: 2, signed: 10, revoked: 9, type: "REFUND"),
      Told(id: "1002", bought: 2, signed: 20),
      Told(id: "1002", bought: 2, signed: 10, revoked: 9, type: "REFUND_DECLINED"),
    ] { try await receive(told, shop) }
    #expect(try await shop.entitlement()?.state == .active)
    #expect(try await shop.violations() == [])
  }

  @Test func `without the refund gives nothing back, and sends the purchase to an operator`() async throws {
    let facts = [
      Told(signed: 1), Told(signed: 10, revoked: 9, type: "REFUND"), Told(id: "1002", bought: 2, signed: 15),
    ]
    for (number, arrival) in orders(of: facts).enumerated() {
      let (shop, named) = try await shop("alice")
      for var told in arrival {
        told.token = named[0]
        try await receive(told, shop)
      }
      #expect(try await shop.entitlement()?.state != .active)
      try await decide(shop, stands: number.isMultiple(of: 2))
      #expect(try await shop.violations() == [])
    }
  }

  /// Lets an operator decide on the one purchase with ids that disagree.
  private func decide(_ shop: EngineFixture, stands: Bool) async throws {
    let doubted = try await shop.database.read {
      try $0.paymentsWithDisagreeingIds(in: EngineFixture.appEnvironment, limit: 9)
    }
    let key = try #require(doubted.first?.key)
    #expect(doubted.count == 1)
    _ = try await shop.engine.decideDisputedRefund(key, stands: stands, by: "olivia", reason: "asked the customer")
    let isActive = try await shop.entitlement()?.state == .active
    #expect(isActive == !stands)
    #expect(
      try await shop.database.read { try $0.paymentsWithDisagreeingIds(in: EngineFixture.appEnvironment, limit: 9) }
        == [])
    await #expect(throws: CodedError<EngineErrorCode>.self) {
      _ = try await shop.engine.decideDisputedRefund(key, stands: !stands, by: "olivia", reason: "twice")
    }
  }

  // MARK: tokens

  @Test func `names the owner of a purchase without one: the earliest token counts, in every order`() async throws {
    for isSubmitted in [false, true] {
      let (_, names) = try await shop("alice", "bob")
      let facts = [
        Told(signed: 1), Told(id: "1003", bought: 3, signed: 3, token: names[1]),
        Told(id: "1002", bought: 2, signed: 2, token: names[0]),
      ]
      // After a grant, a token moves nothing: the two tokens arrive in their order.
      for arrival in orders(of: facts)
      where arrival.firstIndex(where: { $0.id == "1002" }) ?? 0 < arrival.firstIndex(where: { $0.id == "1003" }) ?? 0 {
        let (shop, named) = try await shop("alice", "bob")
        for var told in arrival {
          if told.id == "1002" { told.token = named[0] }
          if told.id == "1003" { told.token = named[1] }
          if isSubmitted, told.id == "1001" { _ = try await shop.submit(told.text(shop), by: nil) }
          try await receive(told, shop)
        }
        #expect(try await shop.entitlement(of: "alice")?.state == .active)
        #expect(try await shop.entitlement(of: "bob") == nil)
        #expect(
          try await shop.engine.readOrder(.id(named[0]), in: [EngineFixture.appEnvironment], of: nil).order.state
            .payment != nil)
        let closed = try await shop.engine.readOrder(.id(named[1]), in: [EngineFixture.appEnvironment], of: nil).order
        #expect("\(closed.state)".contains("alreadyOwned") && closed.lastVerdict?.verdict == .fulfilledForAnother)
        #expect(try await shop.violations() == [])
      }
    }
  }

  @Test func `names the owner of the purchase's renewals, too`() async throws {
    let shop = try EngineFixture()
    let subscription = SubscriptionFixture(shop: shop, token: try await shop.order("monthly"))
    shop.clock.advance(by: .days(2))
    try await subscription.receive("n1", "SUBSCRIBED", about: subscription.period("9001", day: 0, named: false))
    try await subscription.receive("n2", "SUBSCRIBED", about: subscription.period("9101", day: 0, signed: 1))
    #expect(try await shop.known("9001")?.owner == "alice")
    shop.clock.advance(by: .days(29))
    try await subscription.receive("n3", "DID_RENEW", about: subscription.period("9002", day: 30, named: false))
    #expect(try await shop.known("9002")?.owner == "alice")
    #expect(try await shop.violations() == [])
  }

  @Test func `with the token of a new order closes that order as owned, and reports the owner`() async throws {
    let (shop, named) = try await shop("alice")
    try await receive(Told(signed: 1, token: named[0]), shop)
    let (mine, foreign) = (try await shop.order("premium"), try await shop.order("premium", of: "bob"))
    shop.clock.advance(by: .days(1))
    let owned = try await shop.submit(Told(id: "1002", bought: 40.5, signed: 40.5, token: mine).text(shop))
    #expect(owned.verdict == .fulfilled && owned.order == named[0])
    let another = Told(id: "1003", bought: 40.6, signed: 40.6, token: foreign).text(shop)
    #expect(try await shop.submit(another, by: "bob").verdict == .fulfilledForAnother)
    for (order, verdict) in [(mine, OrderVerdict.fulfilled), (foreign, .fulfilledForAnother)] {
      let closed = try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil).order
      #expect("\(closed.state)".contains("alreadyOwned") && closed.lastVerdict?.verdict == verdict)
    }
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 1)
    #expect(try await shop.violations() == [])
  }

  @Test func `presented by a user claims the unowned purchase`() async throws {
    let (shop, _) = try await shop()
    try await receive(Told(signed: 1), shop)
    let mine = try await shop.order("premium")
    shop.clock.advance(by: .hours(1))
    let answer = try await shop.submit(Told(id: "1002", bought: 40.01, signed: 40.02).text(shop), orders: [mine])
    #expect(answer.verdict == .fulfilled && answer.order == mine)
    #expect(try await shop.known("1001")?.order == mine)
    #expect(try await shop.violations() == [])
  }

  @Test func `with a token that is learned after the grant moves nothing, and is recorded once`() async throws {
    let (shop, named) = try await shop("bob")
    #expect(try await shop.submit(Told(signed: 1).text(shop)).verdict == .fulfilled)
    for uuid in [2.0, 2.5] { try await receive(Told(id: "1002", bought: 2, signed: uuid, token: named[0]), shop) }
    #expect(try await shop.known("1001")?.owner == "alice")
    let journal = try await shop.database.read { try $0.journal(of: EngineFixture.key("1001")).map(\.what) }
    #expect(journal.count { $0 == "payment.ownerLearnedLate" } == 1)
    #expect(try await shop.violations() == [])
  }
}
