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

/// A user's purchases of three years at a shop that migrates here: 187 transactions, all before the cut-over.
private struct History {
  struct Purchase {
    let id: String
    let original: String
    let product: String
    let type: String
    let date: Timestamp
    let expires: Timestamp?
  }

  static let cutOver = EngineFixture.noon - .days(1)
  /// Consumables that the earlier system never delivered.
  static let undelivered: Set<String> = ["5100", "5123", "5186"]

  static let purchases: [Purchase] = (0..<187).map { index in
    let id = "\(5000 + index)"
    let date = cutOver - .days(Int64(1080 - index * 5)) + .seconds(Int64(index))
    switch index {
    case 0..<36:
      // A subscription of thirty-six months, with the last one still running.
      let month = cutOver - .days(Int64(30 * (36 - index)) - 10)
      return Purchase(
        id: id, original: "5000", product: "com.example.monthly", type: "Auto-Renewable Subscription", date: month,
        expires: month + .days(30))
    case 36:
      return Purchase(
        id: id, original: id, product: "com.example.premium", type: "Non-Consumable", date: date, expires: nil)
    case 37:
      return Purchase(
        id: id, original: id, product: "com.example.season", type: "Non-Renewing Subscription",
        date: cutOver - .days(20), expires: nil)
    default:
      return Purchase(
        id: id, original: id, product: "com.example.coins100", type: "Consumable", date: date, expires: nil)
    }
  }

  static var delivered: [TransactionIdentifier] {
    purchases.filter { !undelivered.contains($0.id) }.map { TransactionIdentifier($0.id) }
  }

  static var owners: [EarlierPurchase] {
    purchases.map { purchase in
      var row = EarlierPurchase(transaction: TransactionIdentifier(purchase.id), user: "alice")
      row.originalTransaction = TransactionIdentifier(purchase.original)
      row.product = StoreProductIdentifier(purchase.product)
      return row
    }
  }
}

extension EngineFixture {
  fileprivate func signed(_ purchase: History.Purchase) -> String {
    transaction(purchase.id, of: purchase.product, type: purchase.type) { payload in
      payload["originalTransactionId"] = .string(purchase.original)
      payload["purchaseDate"] = .integer(purchase.date.milliseconds)
      payload["originalPurchaseDate"] = .integer(purchase.date.milliseconds)
      payload["expiresDate"] = purchase.expires.map { .integer($0.milliseconds) }
    }
  }

  fileprivate func coins(_ id: String, boughtAt date: Timestamp) -> String {
    transaction(id) { $0["purchaseDate"] = .integer(date.milliseconds) }
  }

  fileprivate func notify(_ evidence: String, _ id: String) async throws {
    _ = try await engine.receiveAppStoreNotification(notification(id, about: evidence), for: "shop")
  }

  fileprivate func loadList(_ transactions: [TransactionIdentifier], reach: Timestamp = EngineFixture.noon) async throws
  {
    _ = try await engine.beginEarlierDeliveries(in: EngineFixture.appEnvironment)
    _ = try await engine.importEarlierDeliveries(transactions, in: EngineFixture.appEnvironment)
    try await engine.endEarlierDeliveries(reach: reach, in: EngineFixture.appEnvironment)
  }

  fileprivate func learnOwners(_ rows: [EarlierPurchase]) async throws -> Int {
    _ = try await engine.importOwners(rows, in: EngineFixture.appEnvironment)
    return try await engine.adoptImportedOwners(rows, in: EngineFixture.appEnvironment, for: app)
  }

  fileprivate func deliveries() async throws -> [Delivery] {
    try await engine.listDeliveries(
      DeliveryQuery(appEnvironment: EngineFixture.appEnvironment, selection: .all, limit: 999))
  }

  fileprivate func entitlements(of user: UserIdentifier = "alice") async throws -> [String] {
    try await engine.readEntitlements(of: user, in: EngineFixture.appEnvironment).filter { $0.state == .active }.map(
      \.entitlement.text)
  }

  fileprivate func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await database.read(body)
  }
}

@Suite struct `A running app that migrates here` {
  private static func live(_ storage: InMemoryStorage? = nil) throws -> EngineFixture {
    try EngineFixture({ $0.deliverFrom = History.cutOver }, storage: storage)
  }

  // MARK: what must not happen

  @Test func `gets no grant from its records alone: without the store's signature there is no payment`() async throws {
    let shop = try Self.live()
    #expect(try await shop.learnOwners(History.owners) == 0)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.entitlements() == [])
  }

  @Test func `keeps the first owner in its records, and reports contradictions among them`() async throws {
    let shop = try Self.live()
    let rows = ["alice", "alice", "bob"].map { EarlierPurchase(transaction: "5100", user: UserIdentifier($0)) }
    #expect(try await shop.engine.importOwners(rows, in: EngineFixture.appEnvironment) == [.new, .known, .conflict])
    #expect(try await shop.engine.importOwners(rows, in: EngineFixture.appEnvironment) == [.known, .known, .conflict])
  }

  @Test func `grants nothing by an incomplete list, or by one that was made before the purchase`() async throws {
    let shop = try Self.live()
    _ = try await shop.engine.beginEarlierDeliveries(in: EngineFixture.appEnvironment)
    _ = try await shop.engine.importEarlierDeliveries(["1"], in: EngineFixture.appEnvironment)
    let evidence = shop.coins("5100", boughtAt: History.cutOver - .days(3))
    let half = try await shop.submit(evidence)
    #expect(half.verdict == .held && half.reason == "boughtBeforeCutOver")
    try await shop.engine.endEarlierDeliveries(reach: History.cutOver - .days(4), in: EngineFixture.appEnvironment)
    #expect(try await shop.submit(evidence).verdict == .held)
    #expect(try await shop.coins() == 0)
    try await shop.engine.endEarlierDeliveries(reach: History.cutOver, in: EngineFixture.appEnvironment)
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    #expect(try await shop.coins() == 100)
  }

  @Test func `grants a purchase to the owner in its records, not to the signed-in user`() async throws {
    let shop = try Self.live()
    _ = try await shop.learnOwners(History.owners)
    let premium = shop.signed(History.purchases[36])
    let answer = try await shop.submit(premium, by: "bob")
    #expect(answer.verdict == .imported && answer.order == nil)
    #expect(try await shop.entitlements(of: "bob") == [])
    #expect(try await shop.entitlements() == ["premium"])
    let payment = try #require(try await shop.known("5036"))
    #expect(payment.match?.rule == .operator && payment.match?.flags == [.importedOwner])
  }

  @Test func `accepts no row for a product that the store did not sign`() async throws {
    let shop = try Self.live()
    var row = EarlierPurchase(transaction: "5036", user: "mallory")
    row.product = "com.example.season"
    _ = try await shop.learnOwners([row])
    try await shop.notify(shop.signed(History.purchases[36]), "n1")
    #expect(try await shop.known("5036")?.owner == nil)
  }

  @Test func `makes the server ask Apple about each unknown purchase of its records: once, in sequence`() async throws {
    let shop = try Self.live()
    try await shop.notify(shop.signed(History.purchases[36]), "n1")
    let asked = try await shop.engine.askAboutImported(
      History.owners, in: EngineFixture.appEnvironment, from: EngineFixture.noon)
    #expect(asked == 186)
    #expect(
      try await shop.engine.askAboutImported(History.owners, in: EngineFixture.appEnvironment, from: EngineFixture.noon)
        == 0)
    let due = try await shop.read { database in
      try [0, 1, 10, 3600].map {
        try database.appStoreTasks(dueAt: EngineFixture.noon + .seconds($0), limit: 999).count
      }
    }
    #expect(due == [1, 11, 101, 186])
  }

  // MARK: a history of three years

  @Test(arguments: 0..<5)
  func `gets no old purchase twice, keeps its lasting entitlements, and gets undelivered purchases`(
    order: Int
  ) async throws {
    let shop = try Self.live()
    try await shop.loadList(History.delivered)
    enum Step { case present(Int), notify(Int), learn }
    let presented = History.purchases.indices.map { Step.present($0) }
    let notified = History.purchases.indices.map { Step.notify($0) }
    var steps: [Step] =
      switch order {
      case 0: presented + [.learn]
      case 1: [.learn] + notified + presented
      case 2: notified + [.learn]
      case 3: notified.reversed() + presented.reversed() + [.learn]
      default: presented + notified + [.learn, .learn] + presented
      }
    if order == 4 {
      var number: UInt64 = 20_261_122
      for index in steps.indices.dropFirst() {
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        steps.swapAt(index, Int(number >> 33) % (index + 1))
      }
    }
    for step in steps {
      switch step {
      case .present(let index): _ = try await shop.submit(shop.signed(History.purchases[index]))
      case .notify(let index): try await shop.notify(shop.signed(History.purchases[index]), "n\(index)")
      case .learn: _ = try await shop.learnOwners(History.owners)
      }
    }
    #expect(try await shop.coins() == 300)
    #expect(Set(try await shop.deliveries().map(\.payment.transaction.text)) == History.undelivered)
    #expect(try await shop.deliveries().count == 3)
    #expect(try await shop.entitlements() == ["club", "premium", "season"])
    #expect(try await shop.engine.auditInvariants(atRest: false).violations == [])
    #expect(try await shop.engine.auditInvariants(atRest: false).payments == 187)
  }

  @Test func `has its old consumables held for an operator without a list of deliveries, and loses none`() async throws
  {
    let shop = try Self.live()
    for purchase in History.purchases { _ = try await shop.submit(shop.signed(purchase)) }
    #expect(try await shop.coins() == 0)
    #expect(try await shop.entitlements() == ["club", "premium", "season"])
    shop.clock.advance(by: .seconds(1))
    let held = try await shop.engine.operatorQueue(in: EngineFixture.appEnvironment, limit: 500)
    #expect(held.count == 149 && held.allSatisfy { $0.state == .held(.boughtBeforeCutOver) })
    // An update with fewer facts takes nothing back.
    try await shop.notify(shop.signed(History.purchases[100]), "n1")
    #expect(try await shop.known("5100")?.state == .held(.boughtBeforeCutOver))
    try await shop.loadList(History.delivered)
    #expect(try await shop.engine.reconsiderHeldPayments(in: EngineFixture.appEnvironment, for: shop.app) == 146)
    for id in History.undelivered {
      let purchase = try #require(History.purchases.first { $0.id == id })
      #expect(try await shop.submit(shop.signed(purchase)).verdict == .fulfilled)
    }
    #expect(try await shop.coins() == 300)
    #expect(try await shop.deliveries().count == 3)
  }

  @Test func `leaves an undelivered consumable without a known owner unfinished until its buyer comes`() async throws {
    let shop = try Self.live()
    try await shop.loadList([])
    let evidence = shop.coins("5100", boughtAt: History.cutOver - .days(3))
    let unknown = try await shop.submit(evidence, by: nil)
    #expect(unknown.verdict == .unclaimed && !unknown.finish)
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    #expect(try await shop.coins() == 100)
  }
}
