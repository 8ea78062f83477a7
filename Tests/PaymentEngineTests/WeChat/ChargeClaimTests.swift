import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A charge that matches no known order` {
  private static let key = PaymentKey(
    app: "shop", store: .weChatPay, environment: .simulated, transaction: "4200000001")

  /// A charge with a number in our form that is not in this database: it was restored from an older backup.
  private static func charge(
    _ fixture: WeChatPayEngineFixture, amount: Int64 = 600, currency: CurrencyCode = .cny,
    merchant: String = "1900000001",
    storeApp: String? = "wx0000000000000001", order: OrderIdentifier = OrderIdentifier(high: 7, low: 7)
  ) async throws -> Payment {
    let facts = VerifiedCharge(
      key: key, orderNumber: order.outTradeNo, amount: Money(minorUnits: amount, currency: currency),
      merchant: merchant, paidDate: fixture.now(), signedDate: fixture.now())
    var charge = facts
    charge.storeApp = storeApp
    var update = PaymentUpdate(
      facts: charge.payment(of: "", kind: .consumable, quantity: 1), evidence: "{}", origin: .storeAnswer)
    update.charge = charge
    return try await fixture.engine.fulfil(update, for: fixture.app).payment
  }

  private static func claim(
    _ fixture: WeChatPayEngineFixture, _ purchase: ClaimedPurchase?, for user: UserIdentifier = "alice"
  ) async throws -> Payment {
    try await fixture.engine.claimUnclaimedPayment(
      key, for: user, as: purchase, by: "oscar", reason: "showed the payer's receipt"
    ).payment
  }

  private static func error(_ body: () async throws -> Void) async -> CodedError<EngineErrorCode>? {
    do {
      try await body()
      return nil
    } catch { return error as? CodedError<EngineErrorCode> }
  }

  @Test func `pays the order that an operator names, if everything is equal, and its refunds still work`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      #expect(try await Self.charge(fixture).state == .held(.orderUnknown))
      let payment = try await Self.claim(fixture, .order(.id(details.order.key.id)))
      #expect(payment.state == .fulfilled && payment.order == details.order.key.id)
      // A repeat of the same claim gets the same answer.
      #expect(try await Self.claim(fixture, .order(.id(details.order.key.id))).state == .fulfilled)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.row(details)?.state == .paid)
      // A newer update of the charge knows no more about its order than before: the grant stays.
      #expect(try await Self.charge(fixture).state == .fulfilled)
      #expect(try await fixture.violations() == [])
      return details
    }
    fixture.world.run(for: .hours(3))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.state(of: details).payment == Self.key)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `pays a product at today's price for the user that an operator names`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      _ = try await Self.charge(fixture, amount: 1200)
      let payment = try await Self.claim(fixture, .product("coins.100", quantity: 2), for: "carol")
      #expect(payment.state == .fulfilled && payment.owner == "carol")
      #expect(try await fixture.coins(of: "carol") == 200)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `cannot be claimed if anything but the number differs, or for another user's or a paid order`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      let mine = ClaimedPurchase.order(.id(details.order.key.id))
      _ = try await Self.charge(fixture)
      for (purchase, user) in [
        (nil, "alice"), (mine, "bob"), (.product("coins.100", quantity: 2), "alice"),
        (.product("apple.only", quantity: 1), "alice"), (.product("premium", quantity: 1), "alice"),
        (.product("nothing", quantity: 1), "alice"),
      ] as [(ClaimedPurchase?, UserIdentifier)] {
        let error = await Self.error { _ = try await Self.claim(fixture, purchase, for: user) }
        #expect(error?.code == .paymentNotClaimable, "\(String(describing: purchase))")
      }
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.state(of: details) == .awaitingPayment)
    }
    for (merchant, storeApp, currency) in [
      ("1900000009", "wx0000000000000001", "CNY"), ("1900000001", "wx0000000000000009", "CNY"),
      ("1900000001", "wx0000000000000001", "USD"),
    ] {
      let fixture = try WeChatPayEngineFixture()
      try fixture.perform { fixture async throws in
        let details = try await fixture.order()
        _ = try await Self.charge(
          fixture, currency: try #require(CurrencyCode(currency)), merchant: merchant, storeApp: storeApp)
        for purchase in [ClaimedPurchase.order(.id(details.order.key.id)), .product("coins.100", quantity: 1)] {
          let error = await Self.error { _ = try await Self.claim(fixture, purchase) }
          #expect(error?.code == .paymentNotClaimable, "\(merchant) \(storeApp) \(currency)")
        }
        #expect(try await fixture.coins() == 0)
      }
    }
  }

  @Test func `with a known order goes only to that order's user, by retry or release`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      let key = details.order.key
      try await fixture.database.transact { transaction in
        guard var order = try transaction.order(key) else { return }
        order.frozenBecause = "by a test"
        try transaction.update(order)
      }.get()
      #expect(try await Self.charge(fixture, order: key.id).state == .held(.orderFrozen))
      let other = try await fixture.order(of: "bob")
      for purchase in [ClaimedPurchase.order(.id(other.order.key.id)), .product("coins.100", quantity: 1)] {
        let error = await Self.error { _ = try await Self.claim(fixture, purchase, for: "bob") }
        #expect(error?.code == .paymentNotClaimable)
      }
      _ = try await fixture.engine.setAside(Self.key, by: "oscar", reason: "x")
      try await fixture.database.transact { transaction in
        guard var order = try transaction.order(key) else { return }
        order.frozenBecause = nil
        try transaction.update(order)
      }.get()
      let payment = try await fixture.engine.release(Self.key, by: "oscar", reason: "x")
      #expect(payment.state == .fulfilled && payment.owner == "alice")
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.coins(of: "bob") == 0)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `that was held before its order was known goes to no other user's claim`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let hers = try await fixture.order()
      let his = try await fixture.order(of: "bob")
      #expect(try await Self.charge(fixture).state == .held(.orderUnknown))
      // The order exists now: a newer backup was restored.
      try await fixture.database.transact { transaction in
        guard var payment = try transaction.payment(Self.key) else { return }
        payment.facts.token = hers.order.key.id
        try transaction.update(payment)
      }.get()
      for purchase in [ClaimedPurchase.order(.id(his.order.key.id)), .product("coins.100", quantity: 1)] {
        let error = await Self.error { _ = try await Self.claim(fixture, purchase, for: "bob") }
        #expect(error?.code == .paymentNotClaimable)
      }
      #expect(try await fixture.coins(of: "bob") == 0)
      #expect(try await fixture.state(of: his) == .awaitingPayment)
    }
  }

  @Test(arguments: [HoldReason.amountDiffers, .currencyDiffers, .merchantDiffers, .storeAppDiffers])
  func `that differs from its order is never granted by any act`(reason: HoldReason) throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      let id = details.order.key.id
      let payment =
        switch reason {
        case .amountDiffers: try await Self.charge(fixture, amount: 1, order: id)
        case .currencyDiffers: try await Self.charge(fixture, currency: CurrencyCode("USD") ?? .cny, order: id)
        case .merchantDiffers: try await Self.charge(fixture, merchant: "1900000009", order: id)
        default: try await Self.charge(fixture, storeApp: "wx0000000000000009", order: id)
        }
      #expect(payment.state == .held(reason))
      for purchase in [ClaimedPurchase.order(.id(id)), .product("coins.100", quantity: 1)] {
        let error = await Self.error { _ = try await Self.claim(fixture, purchase) }
        #expect(error?.code == .paymentNotClaimable)
      }
      _ = try await fixture.engine.retryPayment(Self.key, by: "oscar", reason: nil)
      _ = try await fixture.engine.setAside(Self.key, by: "oscar", reason: "x")
      let released = try await fixture.engine.release(Self.key, by: "oscar", reason: "x")
      #expect(released.state == .held(reason))
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.state(of: details) == .awaitingPayment)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `of another amount is refunded up to its order's amount, and granted to no user`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .paymentNotification, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .seconds(5))
    try fixture.perform { fixture async throws in
      let held = try #require(
        try await fixture.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 9).first)
      #expect(held.state == .held(.amountDiffers))
      let refund = try await fixture.engine.refundPayment(
        held.key, RefundRequest(amount: nil, reason: nil, idempotencyKey: "a", askedBy: "oscar"))
      #expect(refund.total.minorUnits == 600 && refund.amount == refund.total && refund.payment == held.key)
      #expect(try await fixture.coins() == 0)
      _ = details
    }
  }

  @Test func `cannot be claimed while its refund is pending, and counts as taken back after it`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let payment = try await Self.charge(fixture)
      try await fixture.database.transact { transaction in
        let money = Money(minorUnits: 600, currency: .cny)
        var refund = Refund(
          appEnvironment: EngineFixture.appEnvironment, number: "R1", order: nil, payment: payment.key,
          amount: money,
          total: money,
          reason: nil, body: nil, createdAt: transaction.now)
        refund.state = .underWay
        try transaction.insert(refund)
      }.get()
      let error = await Self.error { _ = try await Self.claim(fixture, .product("coins.100", quantity: 1)) }
      #expect(error?.code == .paymentNotClaimable)
      #expect(try await fixture.coins() == 0)
    }
  }

  @Test func `of another merchant, or at the App Store, cannot be refunded here`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let payment = try await Self.charge(fixture, merchant: "1900000009")
      let atAppStore = VerifiedPayment(
        key: EngineFixture.key("1"), originalTransaction: "1", storeProduct: "com.example.coins100", kind: .consumable,
        quantity: 1, purchaseDate: fixture.now(), signedDate: fixture.now())
      try await fixture.database.transact { transaction in
        try transaction.insert(Payment(facts: atAppStore, firstSeenAt: transaction.now))
      }.get()
      func code(_ key: PaymentKey) async -> EngineErrorCode? {
        await Self.error {
          _ = try await fixture.engine.refundPayment(
            key, RefundRequest(amount: nil, reason: nil, idempotencyKey: "a", askedBy: "oscar"))
        }?.code
      }
      for key in [payment.key, EngineFixture.key("1")] { #expect(await code(key) == .refundNotPossible) }
      #expect(await code(EngineFixture.key("2")) == .paymentUnknown)
    }
  }
}
