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

@Suite struct `An operator` {
  private func key(_ transaction: TransactionIdentifier) -> PaymentKey {
    PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: transaction)
  }

  @Test func `grants an unclaimed payment to its buyer once; a repeat changes nothing`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", about: shop.transaction("1001")), for: nil)
    for _ in 0..<2 {
      let result = try await shop.engine.claimUnclaimedPayment(
        key("1001"), for: "carol", by: "oscar", reason: "wrote to support")
      #expect(result.payment.state == .fulfilled && result.payment.owner == "carol")
    }
    #expect(try await shop.coins(of: "carol") == 100)
    await #expect(throws: CodedError<EngineErrorCode>(.paymentNotClaimable)) {
      _ = try await shop.engine.claimUnclaimedPayment(
        key("1001"), for: "mallory", by: "oscar", reason: "mistake")
    }
    #expect(try await shop.violations() == [])
  }

  @Test func `cannot grant an unknown payment, or one without a product`() async throws {
    let shop = try EngineFixture()
    await #expect(throws: CodedError<EngineErrorCode>(.paymentUnknown)) {
      _ = try await shop.engine.claimUnclaimedPayment(
        key("9"), for: "carol", by: "oscar", reason: "none")
    }
    let answer = try await shop.submit(shop.transaction("1001", of: "com.example.gone"))
    #expect(answer.verdict == .held && answer.reason == "productUnknown")
    await #expect(throws: CodedError<EngineErrorCode>(.paymentNotClaimable)) {
      _ = try await shop.engine.claimUnclaimedPayment(
        key("1001"), for: "carol", by: "oscar", reason: "none")
    }
  }

  @Test func `finds held and unclaimed payments in the queue at once, the longest waiting first`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.submit(shop.transaction("1001", of: "com.example.gone"))
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", about: shop.transaction("1002")), for: nil)
    shop.clock.advance(by: .minutes(5))
    _ = try await shop.submit(shop.transaction("1000", of: "com.example.gone"))
    let now = try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 10)
    #expect(now.map(\.key.transaction) == ["1001", "1002", "1000"])
    #expect(
      try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 1).map(\.key.transaction) == ["1001"]
    )
  }
}

@Suite struct `An audit` {
  /// Changes rows in the database without the engine.
  private func tamper(
    _ shop: EngineFixture, _ change: @escaping @Sendable (any DatabaseTransaction) throws -> Void
  ) async throws {
    let outcome = await InMemoryDatabase(shop.storage, now: { EngineFixture.noon }).transact { try change($0) }
    try outcome.get()
  }

  private func bought(_ shop: EngineFixture) async throws -> (OrderIdentifier, PaymentKey) {
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    return (
      order,
      PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: "1001")
    )
  }

  @Test func `finds an order with another order's payment`() async throws {
    let shop = try EngineFixture()
    let (id, _) = try await bought(shop)
    try await tamper(shop) { transaction in
      var order = try transaction.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id))!
      order.state = .paid(
        by: PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: "9"),
        at: EngineFixture.noon)
      try transaction.update(order)
    }
    let found = Set(try await shop.violations().map(\.invariant))
    #expect(found.contains(.onePaymentOneOrderOneGrant))
  }

  @Test func `finds a grant that was increased, and a balance that its postings do not explain`() async throws {
    let shop = try EngineFixture()
    let (_, key) = try await bought(shop)
    try await tamper(shop) { transaction in
      var grant = try transaction.grant(key)!
      grant.content = .units("coin", amount: 1_000_000)
      try transaction.update(grant)
    }
    #expect(Set(try await shop.violations().map(\.invariant)).contains(.grantHasPayment))
  }

  @Test func `finds nothing after an ordinary day, and counts the rows that it checked`() async throws {
    let shop = try EngineFixture()
    _ = try await bought(shop)
    _ = try await shop.order()
    let report = try await shop.engine.auditInvariants(atRest: true)
    #expect(report.violations == [])
    #expect(report.orders == 2 && report.payments == 1 && report.balances == 1)
    #expect(report.paymentsByState == ["fulfilled": 1] && report.deliveriesOpen == 1)
  }
}

@Suite struct `A broken rule of money` {
  @Test func `rolls the change back, freezes the order, keeps the payment and alerts; others continue`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order)
    _ = try await shop.submit(evidence)
    // A manual change in the database moves the grant; the next update of the payment notices that.
    let key = PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: "1001")
    try await InMemoryDatabase(shop.storage, now: { EngineFixture.noon }).transact { transaction in
      var grant = try transaction.grant(key)!
      grant.user = "mallory"
      try transaction.update(grant)
    }.get()
    shop.clock.advance(by: .hours(1))
    let now = shop.clock.now.milliseconds
    _ = try await shop.submit(
      shop.transaction("1001", token: order) {
        $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        $0["revocationDate"] = .integer(now)
      })
    let details = try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil)
    #expect(details.order.frozenBecause != nil)
    #expect(
      shop.engine.metrics.value(.invariantViolationTotal, [("invariant", "3")]) >= 1)
    #expect(try await shop.coins(of: "alice") == 100)
    let next = try await shop.order()
    let answer = try await shop.submit(shop.transaction("1002", token: next))
    #expect(answer.verdict == .fulfilled)
  }

  @Test func `leaves a payment for a frozen order held for an operator`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    try await InMemoryDatabase(shop.storage, now: { EngineFixture.noon }).transact { transaction in
      var row = try transaction.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order))!
      row.frozenBecause = "a broken rule"
      try transaction.update(row)
    }.get()
    let answer = try await shop.submit(shop.transaction("1001", token: order))
    #expect(answer.verdict == .held && answer.reason == "orderFrozen" && answer.finish)
    #expect(try await shop.coins() == 0)
  }
}
