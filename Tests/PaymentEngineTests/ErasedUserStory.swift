import AppStoreIntegration
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import TestDatabases
import WeChatPaySimulator

/// A user of a shop who leaves something in every table, and is erased later.
struct ErasedUserStory {
  static let user: UserIdentifier = "alice-7Q9zX"
  /// What only this user's rows contain.
  static let personal = [
    "alice-7Q9zX", "born-1990-02-29", "note-for-7Q9", "app-number-7Q9", "gave-7Q9", "guest-7Q9zX",
  ]
  static let place = EngineFixture.appEnvironment

  let shop: EngineFixture
  let weChatPay: SimulatedWeChatPay
  let clock: TestClock

  /// A shop at both stores over a database.
  static func open(
    over database: any PaymentDatabase, at clock: TestClock, log: @escaping Log = { _ in }
  ) async throws -> ErasedUserStory {
    let dependencies = testDependenciesWithOwnBytes(clock)
    let route = NotificationRoute(from: .weChatPay)
    let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: route.exchange)
    var setup = EngineFixture.Setup()
    (setup.database, setup.dependencies, setup.log) = (database, dependencies, log)
    setup.anywhere = weChatPay.api.network
    setup.retention = RetentionPolicy(evidence: RetentionPolicy.evidenceMin)
    var app = AppPolicy(
      id: "shop", home: .simulated, catalog: try Catalog(TestCatalog.weChatPay + [TestCatalog.monthly]))
    (app.referenceFromApp, app.events) = (true, true)
    app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 1000)]
    app.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: "https://backend.example", environments: [.simulated],
        secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
    ]
    let settings = AppSettings(
      app, appStore: AppStoreAccess(identity: EngineFixture.identity),
      weChatPay: try await TestMerchant().access(to: weChatPay))
    let shop = try EngineFixture(serving: [settings], setup)
    route.open(to: shop.engine)
    return ErasedUserStory(shop: shop, weChatPay: weChatPay, clock: clock)
  }

  /// Buys and spends as the user, at both stores, and presents what another user bought.
  func use() async throws {
    let user = Self.user
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
    request.reference = "app-number-7Q9"
    request.metadata = #"{"note":"born-1990-02-29"}"#
    request.scene = "profile of \(user)"
    let order = try await shop.engine.createOrder(request, for: shop.app, by: .user(user)).order.order.key.id
    _ = try await shop.submit(shop.transaction("1001", token: order), by: user)
    var debit = DebitRequest(user: user, unit: "coin", amount: 30, key: "sword", digest: "d")
    debit.reason = "gave-7Q9 to \(user)"
    debit.metadata = #"{"note":"note-for-7Q9"}"#
    _ = try await shop.engine.debitBalance(debit, in: Self.place)
    _ = try await shop.buyCoins("1002", of: "bob")
    _ = try await shop.submit(shop.transaction("1002"), by: user)
    _ = try await shop.submit(shop.transaction("1003"), by: user)
    try await useWeChat()
    try await acknowledgeAll()
    // Nobody's, and an operator wrote whose it may be.
    _ = try await shop.submit(shop.transaction("1004"), by: nil)
    _ = try await shop.engine.setAside(
      EngineFixture.key("1004"), by: "Lin", reason: "\(user) says that it is theirs")
    try await nameInTexts(order)
    try await OperatorsOfErasedUser.act(on: user, mergingIn: "guest-7Q9zX", shop)
  }

  /// The backend has all deliveries.
  private func acknowledgeAll() async throws {
    let waiting = try await shop.engine.read {
      try $0.deliveries(DeliveryQuery(appEnvironment: Self.place, selection: .pending, limit: 100))
    }
    for delivery in waiting { _ = try await shop.engine.acknowledge(delivery.id, in: "shop") }
  }

  /// Texts for people that name the user anywhere in them, in rows of the user and of others.
  private func nameInTexts(_ order: OrderIdentifier) async throws {
    let (user, place) = (Self.user, Self.place)
    try await shop.engine.transact { transaction in
      for id in ["1001", "1002"] { try Self.nameInMessages(of: EngineFixture.key(id), transaction) }
      if var frozen = try transaction.order(PaymentModel.OrderKey(appEnvironment: place, id: order)) {
        frozen.frozenBecause = "the order of \(user)"
        try transaction.update(frozen)
      }
      let fen = Money(minorUnits: 600, currency: .cny)
      var refund = Refund(
        appEnvironment: place, number: "r1", order: order, payment: EngineFixture.key("1001"), amount: fen, total: fen,
        reason: "asked by \(user)", body: #"{"reason":"asked by \#(user)"}"#, createdAt: transaction.now)
      (refund.state, refund.nextQuestionAt) = (.failed("CLOSED"), nil)
      try transaction.insert(refund)
      for name: OperatorName in ["lin", "kim"] {
        try transaction.put(OperatorAccount(name: name, createdAt: transaction.now))
      }
      var approval = Approval(
        id: "a1", app: "shop", environment: .simulated, action: "user.merge", objectKind: "user", object: "\(user)",
        arguments: #"{"user":"\#(user)"}"#, digest: "d", reason: "asked for by \(user)", askedBy: "lin",
        askedAt: transaction.now)
      try transaction.insert(approval)
      (approval.decidedBy, approval.decidedAt) = ("kim", transaction.now)
      try transaction.update(approval)
    }
  }

  private static func nameInMessages(of key: PaymentKey, _ transaction: any DatabaseTransaction) throws {
    for var delivery in try transaction.deliveries(of: key) {
      delivery.lastProblem = "no account \(user) here"
      try transaction.update(delivery)
      var attempt = DeliveryAttempt(
        delivery.id, of: key, number: 1, at: transaction.now, endpoint: "main", milliseconds: 7)
      attempt.problem = "no account \(user) here"
      attempt.answer = Array("unknown: \(user)".utf8)
      try transaction.insert(attempt)
    }
    try transaction.put(
      StoppedChange(
        payment: key, statement: "statement", kind: .noPlan, found: "no plan for user \(user), it seems",
        content: "", evidence: "e", origin: .client, at: transaction.now, nextAttemptAt: transaction.now))
    try transaction.insert(
      JournalEntry(
        .invariantBroken, in: place, at: transaction.now, order: nil, payment: key,
        details: #"{"found":"the grant of \#(user) is broken"}"#))
  }
}
