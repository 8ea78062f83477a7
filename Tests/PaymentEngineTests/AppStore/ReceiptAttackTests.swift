import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON
import Testing

/// An attacker forges, changes or copies a receipt and submits it.
@Suite struct `An attacker's receipt` {
  private static let now = SimulatedWorld.beginning

  /// Checks that the attack had no effect.
  private func expectNothing(_ fixture: AppStoreEngineFixture, _ comment: Comment) async throws {
    let audit = try await fixture.engine.auditInvariants(atRest: true)
    #expect(audit.payments == 0 && audit.violations.isEmpty, comment)
    #expect(try await fixture.appStoreTasks().isEmpty, comment)
    #expect(fixture.calls.all.isEmpty, "Apple is not called either")
  }

  private func verdicts(_ fixture: AppStoreEngineFixture, _ evidence: String, by user: UserIdentifier = "mallory")
    async throws
    -> [Verdict]
  {
    do { return try await fixture.submit(evidence, by: user).map(\.verdict) } catch let error
      as CodedError<EngineErrorCode>
    {
      #expect([.evidenceUnreadable, .transactionUnknown].contains(error.code), "\(error)")
      return [.refused]
    }
  }

  private static let purchaseContent: AppReceiptContent = {
    var purchase = AppReceiptContent()
    purchase.add(1701, number: 1)
    purchase.add(1702, text: "com.example.coins100")
    purchase.add(1703, text: "2000000000000001")
    purchase.add(1704, date: now)
    purchase.add(1705, text: "2000000000000001")
    purchase.add(1706, date: now)
    purchase.add(1707, number: 1)
    return purchase
  }()

  private static func receiptContent(
    environment: String, of bundleId: String = EngineFixture.identity.bundleId
  ) -> AppReceiptContent {
    var receipt = AppReceiptContent()
    receipt.add(0, text: environment)
    receipt.add(1, number: 1234)
    receipt.add(2, text: bundleId)
    receipt.add(3, text: "1.0")
    receipt.add(12, date: now)
    receipt.add(purchase: purchaseContent)
    return receipt
  }

  private static let unknownSigner = ReceiptShapedAuthority(
    name: "Mallory", randomBytes: Array(1...48), notBefore: now - .days(100), notAfter: now + .days(100)
  ).signingChain(
    serialNumber: 3, randomBytes: Array(2...49), notBefore: now - .days(100), notAfter: now + .days(100))

  // MARK: forged

  @Test func `that is only text grants nothing: a callback can be faked, a signature cannot (A1)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      _ = try await fixture.order(of: "mallory")
      let claims = JSONValue.members([
        ("status", .integer(0)), ("transactionState", "purchased"), ("transactionId", "2000000000000001"),
        ("productId", "com.example.coins100"), ("bundleId", .string(EngineFixture.identity.bundleId)),
      ])
      let unsigned = [#"{"alg":"none"}"#, claims.text, ""].map { Base64URL.encode(Array($0.utf8)) }
      let texts = [
        "", "purchased", "{}", claims.text, Base64.encode(claims.bytes), unsigned.joined(separator: "."),
        Base64.encode(Array("{\"purchase-info\" = \"AAAA\"; \"signature\" = \"AAAA\";}".utf8)),
        Base64.encode(Array("<plist><dict/></plist>".utf8)), Base64.encode([0x30, 0x80, 0x00, 0x00]),
        Base64.encode(Self.receiptContent(environment: "Production").bytes), String(repeating: "A", count: 4000),
      ]
      for text in texts { #expect(try await verdicts(fixture, text) == [.refused], "\(text.prefix(40))") }
      try await expectNothing(fixture, "texts")
    }
  }

  @Test func `that is signed by its own authority is accepted in no App Store environment (A2, A5)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      for environment in ["Production", "ProductionSandbox", "Xcode", "LocalTesting", "Simulated", ""] {
        let receipt = Self.unknownSigner.appReceipt(Self.receiptContent(environment: environment))
        #expect(try await verdicts(fixture, receipt) == [.refused], "\(environment)")
      }
      let flat = Self.unknownSigner.transactionReceipt(
        [
          ("transaction-id", "2000000000000001"), ("original-transaction-id", "2000000000000001"),
          ("product-id", "com.example.coins100"), ("quantity", "1"), ("bid", EngineFixture.identity.bundleId),
          ("purchase-date-ms", "\(Self.now.milliseconds)"),
        ], environment: "Production")
      // A valid signature of an unknown signer makes the server ask Apple, which does not know the transaction.
      #expect(try await verdicts(fixture, flat) == [.refused])
      #expect(try await fixture.engine.auditInvariants(atRest: true).payments == 0)
    }
  }

  @Test func `with foreign certificates is not read once its sender's verification budget is used up (A15)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let receipt = Self.unknownSigner.appReceipt(Self.receiptContent(environment: "Production"))
      func isBusy(_ sender: String) async throws -> Bool {
        do {
          _ = try await fixture.engine.submitAppStorePayment(
            SubmitAppStorePayment.Request(evidence: receipt), from: "mallory", for: fixture.app, sentBy: sender)
          return false
        } catch let error as CodedError<EngineErrorCode> { return error.code == .verificationBusy }
      }
      var busy: [Bool] = []
      for _ in 0..<60 { busy.append(try await isBusy("a")) }
      #expect(busy.first == false && busy.last == true)
      #expect(try await !isBusy("b"))
    }
  }

  @Test func `that is too large, truncated or doubled, or names another algorithm, is not examined (A3)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      _ = try await fixture.buy()
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let bytes = try #require(Base64.decode(receipt))
      let large = Base64.encode(bytes + [UInt8](repeating: 0, count: 9 << 20))
      let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
      // SHA-256 becomes SHA-224 wherever it is named: Apple never used this digest.
      var weak = bytes
      for index in weak.indices where weak[index...].starts(with: sha256) { weak[index + 8] = 0x04 }
      #expect(weak != bytes)
      for evidence in [large, Base64.encode(weak), receipt + receipt, String(receipt.dropLast(5000)) + "===="] {
        #expect(try await verdicts(fixture, evidence) == [.refused])
      }
      try await expectNothing(fixture, "algorithms")
    }
  }

  // MARK: genuine, but misused

  @Test func `of another app of the same team is refused, although it is genuine (A4)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let other = "com.example.other"
      try await fixture.apple.catalog.setApp(SimulatedApp(bundleId: other, appAppleId: 99))
      try await fixture.apple.catalog.setProduct(
        SimulatedProduct(
          id: "com.example.coins100", kind: .consumable, price: StatedPrice(milliunits: 1, currency: "CNY")),
        bundleId: other)
      let owner = AppOwner(account: AppStoreEngineFixture.alice.account, bundleId: other)
      let id = try await fixture.buy(as: owner)
      for receipt in [
        try await fixture.apple.appReceipt(of: owner), try await fixture.apple.transactionReceipt(of: id),
      ] {
        #expect(try await verdicts(fixture, receipt) == [.refused])
      }
      #expect(try await verdicts(fixture, fixture.apple.signedTransaction(id).signedTransaction) == [.refused])
      try await expectNothing(fixture, "another app")
    }
  }

  @Test func `of a simulator, of the sandbox or of Xcode pays nothing in production (A5)`() throws {
    let fixture = try AppStoreEngineFixture {
      $0.home = .production
      $0.sandboxPurchases = .refuse
    }
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy()
      #expect(try await verdicts(fixture, fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)) == [.refused])
      #expect(try await verdicts(fixture, fixture.apple.signedTransaction(id).signedTransaction) == [.refused])
      try await expectNothing(fixture, "simulator")
    }
    // The production profile rejects the simulator's trust anchor.
    #expect(throws: CodedError<SignedDataErrorCode>.self) {
      try SignedDataVerifier(
        SignedDataConfiguration(profile: .production, anchors: [fixture.apple.authority.root]))
    }
  }

  @Test func `presented by two users with an order each pays only one order, once (A6)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let orders = [try await fixture.order(), try await fixture.order(of: "mallory")]
      _ = try await fixture.buy()
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      #expect(try await fixture.submit(receipt, orders: [orders[0]]).map(\.verdict) == [.fulfilled])
      for _ in 0..<2 {
        let again = try await fixture.submit(receipt, by: "mallory", orders: [orders[1]])
        #expect(again.map(\.verdict) == [.fulfilledForAnother] && again.allSatisfy { $0.order == nil })
      }
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.coins(of: "mallory") == 0)
      #expect(
        try await fixture.engine.readOrder(.id(orders[1]), in: fixture.app.userEnvironments, of: "mallory").order.state
          == .awaitingPayment)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `of a cheap product pays no expensive order, whatever the request claims (A8)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let expensive = try await fixture.order("coins.1000", of: "mallory")
      let id = try await fixture.buy()
      var request = SubmitAppStorePayment.Request(
        evidence: try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      request.orders = [expensive]
      request.sameRun = expensive
      request.claimed.product = "com.example.coins1000"
      request.claimed.quantity = 10
      let answers = try await fixture.engine.submitAppStorePayment(request, from: "mallory", for: fixture.app).payments
      #expect(answers.map(\.transaction) == [id] && answers.allSatisfy { $0.order != expensive })
      #expect(try await fixture.coins(of: "mallory") == 100)
      #expect(
        try await fixture.engine.readOrder(.id(expensive), in: fixture.app.userEnvironments, of: "mallory").order.state
          == .awaitingPayment)
    }
  }

  @Test func `of an old purchase pays no later order (A9)`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { try await $0.buy() }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      let order = try await fixture.order(of: "mallory")
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let answers = try await fixture.submit(receipt, by: "mallory", orders: [order])
      #expect(answers.allSatisfy { $0.order != order })
      #expect(
        try await fixture.engine.readOrder(.id(order), in: fixture.app.userEnvironments, of: "mallory").order.state
          == .awaitingPayment)
      // Repeated submissions create no second payment.
      for _ in 0..<3 { _ = try await fixture.submit(receipt, by: "mallory", orders: [order]) }
      #expect(try await fixture.coins(of: "mallory") == 100)
      #expect(try await fixture.payment(id)?.owner == "mallory")
    }
  }
}
