import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import StrictJSON
import Testing

/// What Apple may add without notice. Nothing of it is taken for success or failure, and the evidence keeps it.
@Suite struct `A thing of Apple's that nobody knows yet` {
  private static let word = JSONValue.string("NEW_IN_2030")

  private static func evidence(_ shop: EngineFixture, _ id: String) async throws -> [String] {
    try await shop.database.read { try $0.evidence(of: EngineFixture.key(id)).map(\.text) }
  }

  private static func kept(_ shop: EngineFixture, _ id: String) async throws -> ReceivedNotification? {
    try await shop.database.read { try $0.notification(id, in: EngineFixture.appEnvironment) }
  }

  private static func rows(_ shop: EngineFixture) async throws -> [StoppedChange] {
    try await shop.database.read { try $0.stoppedChanges(in: EngineFixture.appEnvironment, limit: 10) }
  }

  @Test func `as the type of a product grants nothing, and is one row of the operator's queue with its evidence`()
    async throws
  {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order) { $0["type"] = Self.word }
    for _ in 0..<2 {
      let answer = try await shop.submit(evidence, orders: [order])
      #expect(answer.verdict == .pending && !answer.finish)
      #expect(answer.reason == AppStoreEvidenceErrorCode.unknownProductType.rawValue)
    }
    let receipt = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", "ONE_TIME_CHARGE", about: evidence), for: nil)
    #expect(receipt.effect == "kept")
    let kept = try #require(try await Self.kept(shop, "n1"))
    #expect(kept.effect == .kept && kept.signedPayload.split(separator: ".").count == 3)
    let rows = try await Self.rows(shop)
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row.payment == EngineFixture.key("1001") && row.evidence == evidence)
    #expect(row.found.contains("NEW_IN_2030") && row.presentations.count == 1)
    #expect(try await Self.evidence(shop, "1001") == [evidence])
    let reason = AppStoreEvidenceErrorCode.unknownProductType.rawValue
    #expect(shop.engine.metrics.value(.notificationsNotUnderstoodTotal, [("reason", reason)]) == 1)
    let kind = StoppedChange.Kind.stoppedByEarlierVersion.rawValue
    #expect(shop.engine.metrics.value(.changesStoppedTotal, [("kind", kind)]) == 1)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.payment("1001") == nil)
  }

  @Test func `as the type of a product waits until a version can read it, and is granted to who presented it`()
    async throws
  {
    let shop = try EngineFixture()
    let order = try await shop.order()
    // Without a token: the kept claim alone says whose it is.
    _ = try await shop.submit(shop.transaction("1001") { $0["type"] = Self.word }, orders: [order])
    for _ in 0..<2 {
      #expect(try await shop.engine.retryStoppedChanges() == StoppedRetryReport.tried(1, done: 0))
      #expect(try await Self.rows(shop).first?.found.contains("NEW_IN_2030") == true)
    }
    // A version that knows the word reads the same evidence: here the evidence changes instead of the version.
    let readable = shop.transaction("1001")
    let now = shop.now()
    let outcome = await shop.database.transact {
      try $0.insert(
        Evidence(payment: EngineFixture.key("1001"), text: readable, origin: .client, receivedAt: now))
    }
    guard case .committed = outcome else {
      Issue.record("The evidence was not written.")
      return
    }
    #expect(try await shop.engine.retryStoppedChanges() == StoppedRetryReport.tried(1, done: 1))
    #expect(try await Self.rows(shop).isEmpty)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.payment("1001")?.owner == "alice")
    #expect(try await shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }

  @Test func `as an ownership is held, and an operator sees what it was`() async throws {
    let shop = try EngineFixture()
    let evidence = shop.transaction("1001", token: try await shop.order()) { $0["inAppOwnershipType"] = Self.word }
    let answer = try await shop.submit(evidence)
    #expect(answer.verdict == .held && answer.reason == HoldReason.ownershipUnknown.rawValue)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.payment("1001")?.facts.ownership == .unknown("NEW_IN_2030"))
    #expect(try await Self.evidence(shop, "1001") == [evidence])
  }

  @Test func `as an environment is never production, and held until Apple names it`() async throws {
    let shop = try EngineFixture()
    let evidence = shop.transaction("1001", token: try await shop.order()) { $0["environment"] = Self.word }
    // This root makes everything simulated, whatever it says: the word changes nothing.
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    #expect(try await shop.payment("1001")?.key.environment == .simulated)
    #expect(try await Self.evidence(shop, "1001") == [evidence])
  }

  /// Words that decide nothing about money.
  @Test(arguments: ["offerType", "offerDiscountType", "transactionReason", "storefront", "revocationType"])
  func `as any other word of a transaction changes nothing, and the evidence has it`(field: String) async throws {
    let shop = try EngineFixture()
    let value: JSONValue = field == "offerType" ? .integer(99) : Self.word
    let evidence = shop.transaction("1001", token: try await shop.order()) { $0[field] = value }
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    #expect(try await shop.coins() == 100)
    #expect(try await Self.evidence(shop, "1001") == [evidence])
  }

  @Test func `as the reason of a revocation takes everything back, and is kept`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    #expect(try await shop.submit(shop.transaction("1001", token: order)).verdict == .fulfilled)
    let now = shop.now()
    let revoked = shop.transaction("1001", token: order) {
      $0["revocationDate"] = .integer(now.milliseconds)
      $0["revocationReason"] = .integer(99)
      $0["signedDate"] = .integer(now.milliseconds + 1)
    }
    let receipt = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", "REFUND", about: revoked), for: nil)
    #expect(receipt.effect == "applied")
    #expect(try await shop.coins() == 0)
    #expect(try await shop.payment("1001")?.facts.revocation?.reason == 99)
  }

  @Test func `as a field changes nothing, and the evidence has it byte for byte`() async throws {
    let shop = try EngineFixture()
    let evidence = shop.transaction("1001", token: try await shop.order()) {
      $0["aFieldOfTomorrow"] = .members([("known", .bool(false))])
    }
    #expect(try await shop.submit(evidence).verdict == .fulfilled)
    let stored = try await Self.evidence(shop, "1001")
    #expect(stored == [evidence])
    let verdict = try TestAppStoreSigner.verifier().verifyTransaction(
      try #require(stored.first), expecting: SignedDataExpectations(), at: shop.now())
    let payload = try JSONReader.read(try #require(verdict.verified?.payloadBytes))
    #expect(payload["aFieldOfTomorrow"]?["known"] == .bool(false))
  }

  @Test func `as the type of a notification is kept, shown and counted, and has no effect`() async throws {
    let shop = try EngineFixture()
    let receipt = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", "NEW_IN_2030", about: shop.transaction("1001", token: try await shop.order())), for: nil)
    #expect(receipt.effect == "kept")
    #expect(try await Self.kept(shop, "n1")?.type == "NEW_IN_2030")
    let shown = try await shop.engine.readNotification("n1", in: [EngineFixture.appEnvironment])
    #expect(shown.notification.type == "NEW_IN_2030")
    let counts = try await shop.database.read {
      try $0.countOfKeptNotifications(in: EngineFixture.appEnvironment).map { ($0.type, $0.count) }
    }
    #expect(counts.map(\.0) == ["NEW_IN_2030"] && counts.map(\.1) == [1])
    #expect(try await shop.coins() == 0)
  }

  @Test func `as the subtype of a notification takes nothing away from its effect`() async throws {
    let shop = try EngineFixture()
    let evidence = shop.transaction("1001", token: try await shop.order())
    let data = JSONValue.members([
      ("environment", "Production"), ("bundleId", .string(EngineFixture.identity.bundleId)),
      ("appAppleId", .integer(1234)), ("signedTransactionInfo", .string(evidence)),
    ])
    let signed = shop.signing.sign(
      .members([
        ("notificationType", "ONE_TIME_CHARGE"), ("subtype", Self.word), ("notificationUUID", "n1"), ("version", "2.0"),
        ("signedDate", .integer(shop.now().milliseconds)), ("data", data),
      ]))
    let body = JSONValue.members([("signedPayload", .string(signed))]).bytes
    #expect(try await shop.engine.receiveAppStoreNotification(body, for: nil).effect == "applied")
    #expect(try await Self.kept(shop, "n1")?.subtype == "NEW_IN_2030")
    #expect(try await shop.coins() == 100)
  }
}

extension StoppedRetryReport {
  fileprivate static func tried(_ tried: Int, done: Int) -> StoppedRetryReport {
    var report = StoppedRetryReport()
    (report.tried, report.done) = (tried, done)
    return report
  }
}
