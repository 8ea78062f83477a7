import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Rows that are kept no longer` {
  private static let everything = RetentionPolicy(
    deliveries: .days(90), sessions: .days(30), evidence: RetentionPolicy.evidenceMin)

  private static func shop(_ policy: RetentionPolicy = everything) throws -> EngineFixture {
    var setup = EngineFixture.Setup()
    setup.retention = policy
    let app = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
    return try EngineFixture(
      serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
  }

  private static func acknowledge(_ shop: EngineFixture, _ id: String) async throws {
    for delivery in try await deliveries(shop, id) { _ = try await shop.engine.acknowledge(delivery.id, in: "shop") }
  }

  private static func deliveries(_ shop: EngineFixture, _ id: String) async throws -> [Delivery] {
    try await shop.database.read { try $0.deliveries(of: EngineFixture.key(id)) }
  }

  private static func evidence(_ shop: EngineFixture, _ id: String = "1001") async throws -> [String] {
    try await shop.database.read { try $0.evidence(of: EngineFixture.key(id)).map(\.text) }
  }

  /// Passes ten years, and shortens what it may.
  private static func grow(_ shop: EngineFixture) async throws {
    shop.clock.advance(by: .days(3650))
    try await shop.engine.shortenOldRows()
  }

  @Test func `are none without a configuration, however old they are`() async throws {
    let shop = try Self.shop(RetentionPolicy())
    _ = try await shop.buyCoins("1001")
    try await Self.acknowledge(shop, "1001")
    let (evidence, deliveries) = (try await Self.evidence(shop), try await Self.deliveries(shop, "1001"))
    shop.clock.advance(by: .days(3650))
    #expect(try await shop.engine.shortenOldRows() == [:])
    #expect(try await Self.evidence(shop) == evidence)
    #expect(try await Self.deliveries(shop, "1001") == deliveries)
  }

  @Test func `are not the evidence and the delivery of a payment whose delivery nobody acknowledged`() async throws {
    let shop = try Self.shop()
    _ = try await shop.buyCoins("1001")
    try await Self.grow(shop)
    #expect(try await !Self.evidence(shop).contains { ShortenedText.isOne($0) })
    #expect(try await !Self.deliveries(shop, "1001").contains { $0.body.isEmpty })
  }

  @Test func `are not the evidence of a payment that has no owner, is set aside or stands in the queue`() async throws {
    let shop = try Self.shop()
    for id in ["1001", "1002"] { _ = try await shop.submit(shop.transaction(id), by: nil) }
    _ = try await shop.engine.setAside(EngineFixture.key("1002"), by: "Lin", reason: "ticket")
    _ = try await shop.buyCoins("1003")
    try await Self.acknowledge(shop, "1003")
    try await shop.engine.transact { transaction in
      try transaction.put(
        StoppedChange(
          payment: EngineFixture.key("1003"), statement: "s", kind: .noPlan, found: "f", content: "", evidence: "e",
          origin: .client, at: transaction.now, nextAttemptAt: transaction.now))
    }
    try await Self.grow(shop)
    for id in ["1001", "1002", "1003"] {
      #expect(try await !Self.evidence(shop, id).contains { ShortenedText.isOne($0) }, "\(id)")
    }
  }

  @Test func `are not the evidence of a purchase that Apple still is asked about, or of a frozen order`() async throws {
    let shop = try Self.shop()
    for id in ["1001", "1002"] {
      _ = try await shop.buyCoins(id)
      try await Self.acknowledge(shop, id)
    }
    try await shop.engine.transact { transaction in
      try transaction.put(
        AppStoreTask(
          payment: EngineFixture.key("1001"), purpose: .ask, createdAt: transaction.now, dueAt: transaction.now))
      guard let id = try transaction.payment(EngineFixture.key("1002"))?.order else { return }
      if var order = try transaction.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id)) {
        order.frozenBecause = "a rule"
        try transaction.update(order)
      }
    }
    try await Self.grow(shop)
    for id in ["1001", "1002"] {
      #expect(try await !Self.evidence(shop, id).contains { ShortenedText.isOne($0) }, "\(id)")
    }
  }

  @Test func `are bodies and failed attempts, on the day after their time and not before`() async throws {
    let shop = try Self.shop(RetentionPolicy(deliveries: .days(90)))
    _ = try await shop.buyCoins("1001")
    let first = try #require(try await Self.deliveries(shop, "1001").first)
    try await shop.engine.transact { transaction in
      try transaction.insert(
        DeliveryAttempt(
          first.id, of: EngineFixture.key("1001"), number: 1, at: transaction.now, endpoint: "main", milliseconds: 7))
    }
    try await Self.acknowledge(shop, "1001")
    shop.clock.advance(by: .days(90))
    #expect(try await shop.engine.shortenOldRows() == [.deliveries: 0])
    shop.clock.advance(by: .milliseconds(1))
    #expect(try await shop.engine.shortenOldRows() == [.deliveries: 1])
    let after = try #require(try await Self.deliveries(shop, "1001").first)
    #expect(after.body.isEmpty && after.id == first.id && after.sequence == 1)
    let attempts = try await shop.database.read { try $0.attempts(of: first.id, about: EngineFixture.key("1001")) }
    #expect(attempts == [])
    #expect(try await shop.engine.shortenOldRows() == [.deliveries: 0])
    #expect(try await Self.evidence(shop).contains { !ShortenedText.isOne($0) })
    #expect(try await shop.violations() == [])
  }

  @Test func `are the evidence's texts, of which the digest stays, and a refund works as before`() async throws {
    // A short time, in which the certificates of the test's store are valid.
    let shop = try Self.shop(RetentionPolicy(deliveries: .days(9), evidence: .days(30)))
    let order = try await shop.buyCoins("1001")
    try await Self.acknowledge(shop, "1001")
    let before = try await Self.evidence(shop)
    shop.clock.advance(by: .days(30))
    try await shop.engine.shortenOldRows()
    #expect(try await Self.evidence(shop) == before)
    shop.clock.advance(by: .milliseconds(1))
    let changed = try await shop.engine.shortenOldRows()
    #expect(changed[.evidence] == before.count)
    let texts = try await Self.evidence(shop)
    #expect(texts.count == before.count && texts.allSatisfy { ShortenedText.isOne($0) && $0.utf8.count == 71 })
    #expect(shop.engine.metrics.value(.retentionRowsTotal, [("table", "evidence")]) == Double(before.count))
    let now = shop.now().milliseconds
    let refunded = shop.transaction("1001", token: order) {
      for name in ["purchaseDate", "originalPurchaseDate"] { $0[name] = .integer(EngineFixture.noon.milliseconds) }
      ($0["revocationDate"], $0["revocationReason"], $0["signedDate"]) = (.integer(now), .integer(0), .integer(now + 1))
    }
    #expect(try await shop.submit(refunded).verdict == .revoked)
    let told = try await Self.deliveries(shop, "1001")
    #expect(told.map(\.sequence) == [1, 2] && told.last?.kind == .reversed && told.last?.body.isEmpty == false)
    #expect(try await shop.violations() == [])
  }

  @Test func `are sessions, links and begun sign-ins that ended long ago`() async throws {
    let shop = try Self.shop(RetentionPolicy(sessions: .days(30)))
    try await shop.engine.transact { transaction in
      try transaction.put(OperatorAccount(name: "lin", createdAt: transaction.now))
      try transaction.put(
        ConsoleSession(digest: "s", account: "lin", createdAt: transaction.now, provedAt: transaction.now))
      try transaction.put(SignInLink(digest: "l", account: "lin", createdAt: transaction.now))
    }
    shop.clock.advance(by: .days(30))
    #expect(try await shop.engine.shortenOldRows() == [.sessions: 0])
    shop.clock.advance(by: ConsoleSession.ageMax)
    shop.clock.advance(by: .milliseconds(1))
    #expect(try await shop.engine.shortenOldRows() == [.sessions: 2])
    #expect(try await shop.database.read { try $0.operatorAccount("lin") } != nil)
  }

  @Test func `are receipts as a whole and notifications that took effect, and not one that nothing understood`()
    async throws
  {
    let shop = try Self.shop(RetentionPolicy(evidence: .days(30)))
    let (place, digest) = (EngineFixture.appEnvironment, String(repeating: "a", count: 64))
    try await shop.engine.transact { transaction in
      try transaction.keepReceipt("a receipt", digest: digest, at: transaction.now)
      for effect in ReceivedNotification.Effect.allCases {
        try transaction.insert(
          ReceivedNotification(
            appEnvironment: place, id: effect.rawValue, type: "TEST", subtype: nil, signedDate: transaction.now,
            transaction: nil, signedPayload: "signed", receivedAt: transaction.now, effect: effect))
      }
    }
    shop.clock.advance(by: .days(30))
    let early = try await shop.engine.shortenOldRows()
    #expect(early == [.evidence: 0, .notifications: 0, .receipts: 0])
    shop.clock.advance(by: .milliseconds(1))
    let late = try await shop.engine.shortenOldRows()
    #expect(late == [.evidence: 0, .notifications: 1, .receipts: 1])
    #expect(try await shop.database.read { try $0.receipt(digest: digest) } == nil)
    let texts = try await shop.database.read { reader in
      try ReceivedNotification.Effect.allCases.map { try reader.notification($0.rawValue, in: place)?.signedPayload }
    }
    #expect(texts[0].map { ShortenedText.isOne($0) } == true && texts[1] == "signed")
  }
}
