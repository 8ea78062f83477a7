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

/// What customers are told in more than one situation.
enum ToldCustomer {
  static let arrived = (
    "Your payment of ¥6.00 has arrived and 100 coin was delivered to your account.", "您支付的 ¥6.00已收到，100 coin 已发放到您的账户。"
  )
  static let safe = (
    "Your payment of ¥6.00 has arrived, and 100 coin is recorded for you. It will appear by itself.",
    "您支付的 ¥6.00已收到，100 coin 已为您记录，稍后会自动到账，请勿重复付款。"
  )
  static let checking = (
    "Your payment of ¥6.00 is recorded, and a colleague is checking it. Please do not pay again.",
    "您支付的 ¥6.00已有记录，工作人员正在核查，请勿重复付款。"
  )
  static let observed = (
    "Your payment of ¥6.00 is handled by our present delivery system. A colleague will look it up there.",
    "您支付的 ¥6.00由现有发货系统处理，工作人员将在该系统中查询。"
  )
}

extension EngineStage {
  static let all: [EngineStage] = unpaid + waiting + elsewhere + granted + givenBack

  private static let unpaid: [EngineStage] = [
    EngineStage(
      .waitingForPayment, "nothing but an order",
      tell: (
        "We have not received a payment for this order yet. If you were charged, please send us its receipt number.",
        "我们尚未收到该订单的付款。如果您已被扣款，请提供收据上的单号。"
      )
    ) {
      let shop = try EngineFixture()
      return try await shop.situation(of: await shop.order())
    },
    EngineStage(
      .waitingForApproval, "the phone says that a parent has to allow it",
      tell: (
        "The purchase waits for your family organizer's approval. You are charged only after that.",
        "该购买正在等待家庭管理员批准，批准后才会扣款。"
      )
    ) {
      let shop = try EngineFixture()
      let order = try await shop.order()
      _ = try await shop.engine.noteApprovalPending(.id(order), in: EngineFixture.appEnvironment, of: "alice")
      return try await shop.situation(of: order)
    },
    EngineStage(
      .closedUnpaid, "the customer gave up",
      tell: (
        "We have not received a payment for this order. If you were charged, please send us the receipt's number.",
        "我们没有收到该订单的付款。如果您已被扣款，请提供收据上的单号。"
      )
    ) {
      let shop = try EngineFixture()
      let order = try await shop.order()
      try await shop.close(order)
      return try await shop.situation(of: order)
    },
    EngineStage(
      .alreadyOwned, "the store gives the product again, with the token of a new order",
      tell: (
        "Your Apple account already owns this item, so you were not charged again. Please use Restore Purchases.",
        "您的 Apple 账户已拥有该商品，未再次扣款。请使用“恢复购买”。"
      )
    ) {
      let shop = try EngineFixture()
      let first = try await shop.order("premium")
      _ = try await shop.submit(shop.premium("1001", token: first))
      let second = try await shop.order("premium")
      shop.clock.advance(by: .hours(1))
      _ = try await shop.submit(shop.premium("1002", token: second))
      return try await shop.situation(of: second)
    },
  ]

  private static let waiting: [EngineStage] = [
    EngineStage(.held, "nobody configured the product", tell: ToldCustomer.checking) {
      let shop = try EngineFixture()
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1", of: "com.example.unknown", token: order))
      return try await shop.situation(of: order)
    },
    EngineStage(.held, "as a payment without an order", tell: ToldCustomer.checking) {
      let shop = try EngineFixture()
      _ = try await shop.submit(shop.transaction("1", of: "com.example.unknown"))
      return try await shop.situation(ofPayment: "1")
    },
    EngineStage(.setAside, "an operator set it aside", tell: ToldCustomer.checking) {
      let shop = try EngineFixture()
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1", of: "com.example.unknown", token: order))
      _ = try await shop.engine.setAside(EngineFixture.key("1"), by: "lin", reason: "ticket 1")
      return try await shop.situation(of: order)
    },
    EngineStage(.unclaimed, "the transaction names nobody, and nobody presents it", tell: ToldCustomer.checking) {
      let shop = try EngineFixture()
      _ = try await shop.submit(shop.transaction("1"), by: nil)
      return try await shop.situation(ofPayment: "1")
    },
    EngineStage(.frozen, "a grant was changed by hand, and a refund would break a rule", tell: ToldCustomer.checking) {
      let shop = try EngineFixture()
      let order = try await shop.buyCoins("1001")
      try await shop.giveGrant(of: "1001", to: "mallory")
      shop.clock.advance(by: .hours(2))
      try await shop.refund("1001", of: order)
      return try await shop.situation(of: order)
    },
  ]

  private static let elsewhere: [EngineStage] = [
    EngineStage(
      .imported, "bought before the cut-over",
      tell: (
        "Your payment of ¥6.00 was handled by our earlier system. A colleague will look it up there.",
        "您支付的 ¥6.00由旧系统处理，工作人员将在旧系统中查询。"
      )
    ) {
      let shop = try EngineFixture({ $0.deliverFrom = EngineFixture.noon + .hours(1) })
      let order = try await shop.order("premium")
      _ = try await shop.submit(shop.premium("1001", token: order))
      return try await shop.situation(of: order)
    },
    EngineStage(.observed, "the app only observes", tell: ToldCustomer.observed) {
      let shop = try EngineFixture({ $0.mode = .observe })
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1001", token: order))
      return try await shop.situation(of: order)
    },
    EngineStage(.observed, "the app only observes, and something else was bought", tell: ToldCustomer.observed) {
      let shop = try EngineFixture({ $0.mode = .observe })
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1001", of: "com.example.coins1000", token: order))
      return try await shop.situation(of: order)
    },
    EngineStage(
      .sandboxCounterpart, "Apple's sandbox, on a production server",
      tell: (
        "This was a test purchase without a charge. It does not appear in the released app.",
        "这是未扣款的测试购买，不会出现在正式版应用中。"
      )
    ) {
      let shop = try EngineFixture(home: .production)
      let order = try await shop.order()
      let sandbox = AppEnvironment(app: "shop", environment: .sandbox)
      var facts = VerifiedPayment(
        key: PaymentKey(app: "shop", store: .appStore, environment: .sandbox, transaction: "2001"),
        originalTransaction: "2001", storeProduct: "com.example.coins100", kind: .consumable,
        quantity: 1, purchaseDate: shop.clock.now, signedDate: shop.clock.now)
      facts.token = order
      _ = try await shop.engine.fulfil(PaymentUpdate(facts: facts, evidence: "signed", origin: .client), for: shop.app)
      try await shop.acknowledgeAll(of: order, in: [sandbox])
      return try await shop.situation(of: order, in: [sandbox])
    },
  ]

  private static let granted: [EngineStage] = [
    EngineStage(.paidGrantedNotTold, "the message was not sent yet", tell: ToldCustomer.safe) {
      let shop = try EngineFixture()
      return try await shop.situation(of: await shop.buyCoins("1"))
    },
    EngineStage(.paidGrantedAcknowledged, "the backend has it", tell: ToldCustomer.arrived) {
      let shop = try EngineFixture()
      let order = try await shop.buyCoins("1")
      try await shop.acknowledgeAll(of: order)
      return try await shop.situation(of: order)
    },
    EngineStage(
      .paidTwice, "two payments name one order",
      tell: (
        "You paid twice, and each payment was delivered. Tell us if you did not mean to buy it twice.",
        "您支付了两次，两次均已发放。如非本意，请告知我们。"
      )
    ) {
      let shop = try EngineFixture()
      let order = try await shop.buyCoins("1")
      _ = try await shop.submit(shop.transaction("2", token: order))
      let second = try await shop.payment("2")?.order
      try await shop.acknowledgeAll(of: second)
      return try await shop.situation(of: second)
    },
    EngineStage(.boughtSomethingElse, "the order that it names is for something else", tell: ToldCustomer.arrived) {
      let shop = try EngineFixture()
      let named = try await shop.order()
      _ = try await shop.submit(shop.transaction("1", of: "com.example.coins1000", token: named))
      let made = try await shop.payment("1")?.order
      try await shop.acknowledgeAll(of: made)
      return try await shop.situation(of: made)
    },
    EngineStage(.paidLate, "paid after it was closed", tell: ToldCustomer.arrived) {
      let shop = try EngineFixture()
      let order = try await shop.order()
      try await shop.close(order)
      _ = try await shop.submit(shop.transaction("1", token: order))
      try await shop.acknowledgeAll(of: order)
      return try await shop.situation(of: order)
    },
  ]

  private static let givenBack: [EngineStage] = [
    EngineStage(
      .revoked, "Apple refunded it before it was seen here",
      tell: (
        "Your payment of ¥6.00 was refunded by the store, so the purchase was not delivered.",
        "您支付的 ¥6.00已由商店退款，因此商品未发放。"
      )
    ) {
      let shop = try EngineFixture()
      let order = try await shop.order()
      shop.clock.advance(by: .hours(1))
      try await shop.submitCoins("1", token: order, but: ["revocationDate": .integer(shop.now().milliseconds)])
      return try await shop.situation(of: order)
    },
    EngineStage(
      .reversed, "Apple refunded all of it",
      tell: ("Your payment of ¥6.00 was refunded, so 100 coin was taken back.", "您支付的 ¥6.00已退款，因此 100 coin 已收回。")
    ) {
      let (shop, order) = try await EngineFixture.refunded()
      return try await shop.situation(of: order)
    },
    EngineStage(
      .reversed, "Apple refunded a part",
      tell: (
        "A part of your payment was refunded, so that part of 100 coin was taken back.",
        "您的付款已部分退款，因此 100 coin 的相应部分已收回。"
      )
    ) {
      let (shop, order) = try await EngineFixture.refunded([
        "revocationType": "REFUND_PRORATED", "revocationPercentage": .integer(40_000),
      ])
      return try await shop.situation(of: order)
    },
    EngineStage(
      .reinstated, "Apple undid the refund",
      tell: ("The refund was undone by the store, so 100 coin is yours again.", "商店已撤销退款，100 coin 已恢复。")
    ) {
      let (shop, order) = try await EngineFixture.refunded()
      shop.clock.advance(by: .hours(1))
      let again = shop.transaction("1", token: order) { $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds) }
      _ = try await shop.engine.receiveAppStoreNotification(
        shop.notification("n1", "REFUND_REVERSED", about: again), for: nil)
      try await shop.acknowledgeAll(of: order)
      return try await shop.situation(of: order)
    },
  ]
}

extension EngineFixture {
  fileprivate func close(_ order: OrderIdentifier) async throws {
    _ = try await engine.closeOrder(.id(order), in: Self.appEnvironment, of: "alice", because: .customerGaveUp)
  }

  /// What the store signs about a lasting product of one purchase.
  fileprivate func premium(_ id: String, token: OrderIdentifier) -> String {
    transaction(id, of: "com.example.premium", token: token, type: "Non-Consumable") {
      $0["originalTransactionId"] = "1001"
    }
  }

  /// Submits what the store signs now about coins that were bought at noon.
  fileprivate func submitCoins(_ id: String, token order: OrderIdentifier, but more: [String: JSONValue]) async throws {
    let evidence = transaction(id, token: order) { payload in
      payload["purchaseDate"] = .integer(Self.noon.milliseconds)
      payload.merge(more) { $1 }
    }
    _ = try await submit(evidence)
  }

  /// A shop whose order was paid at noon, and refunded an hour later.
  fileprivate static func refunded(_ more: [String: JSONValue] = [:]) async throws -> (EngineFixture, OrderIdentifier) {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1")
    shop.clock.advance(by: .hours(1))
    let refund: [String: JSONValue] = ["revocationDate": .integer(shop.now().milliseconds)]
    try await shop.submitCoins("1", token: order, but: refund.merging(more) { $1 })
    return (shop, order)
  }
}
