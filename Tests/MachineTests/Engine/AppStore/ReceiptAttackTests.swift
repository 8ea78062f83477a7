import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import CounterfoilAPI
import SigningAuthorities
import SimulationKit
import StrictJSON
import Testing

/// What an attacker makes, changes or copies, submitted as a receipt.
@Suite struct `An attacker's receipt` {
  private static let now = SimulatedWorld.beginning

  /// Checks that the attack had no effect.
  private func expectNothing(_ town: AppStoreEngineFixture, _ comment: Comment) async throws {
    let books = try await town.engine.auditInvariants(atRest: true)
    #expect(books.payments == 0 && books.violations.isEmpty, comment)
    #expect(try await town.appStoreTasks().isEmpty, comment)
    #expect(town.calls.all.isEmpty, "Apple is not called either")
  }

  private func verdicts(_ town: AppStoreEngineFixture, _ evidence: String, by user: UserIdentifier = "mallory")
    async throws
    -> [Verdict]
  {
    do { return try await town.submit(evidence, by: user).map(\.verdict) } catch let refusal
      as CodedError<EngineErrorCode>
    {
      #expect([.evidenceUnreadable, .transactionUnknown].contains(refusal.code), "\(refusal)")
      return [.refused]
    }
  }

  private static let content: AppReceiptContent = {
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

  private static func content(environment: String, of bundleId: String = Shop.identity.bundleId) -> AppReceiptContent {
    var receipt = AppReceiptContent()
    receipt.add(0, text: environment)
    receipt.add(1, number: 1234)
    receipt.add(2, text: bundleId)
    receipt.add(3, text: "1.0")
    receipt.add(12, date: now)
    receipt.add(purchase: content)
    return receipt
  }

  private static let stranger = ReceiptShapedAuthority(
    name: "Mallory", randomBytes: Array(1...48), notBefore: now - .days(100), notAfter: now + .days(100)
  ).signingChain(
    serialNumber: 3, randomBytes: Array(2...49), notBefore: now - .days(100), notAfter: now + .days(100))

  // MARK: made up

  @Test func `that is only a text grants nothing: a callback can be faked, a signature cannot (A1)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      _ = try await town.order(of: "mallory")
      let claims = JSONValue.members([
        ("status", .integer(0)), ("transactionState", "purchased"), ("transactionId", "2000000000000001"),
        ("productId", "com.example.coins100"), ("bundleId", .string(Shop.identity.bundleId)),
      ])
      let unsigned = [#"{"alg":"none"}"#, claims.text, ""].map { Base64URL.encode(Array($0.utf8)) }
      let words = [
        "", "purchased", "{}", claims.text, Base64.encode(claims.bytes), unsigned.joined(separator: "."),
        Base64.encode(Array("{\"purchase-info\" = \"AAAA\"; \"signature\" = \"AAAA\";}".utf8)),
        Base64.encode(Array("<plist><dict/></plist>".utf8)), Base64.encode([0x30, 0x80, 0x00, 0x00]),
        Base64.encode(Self.content(environment: "Production").bytes), String(repeating: "A", count: 4000),
      ]
      for word in words { #expect(try await verdicts(town, word) == [.refused], "\(word.prefix(40))") }
      try await expectNothing(town, "words")
    }
  }

  @Test func `that is signed by its own authority is accepted in no App Store environment (A2, A5)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      for environment in ["Production", "ProductionSandbox", "Xcode", "LocalTesting", "Simulated", ""] {
        let receipt = Self.stranger.appReceipt(Self.content(environment: environment))
        #expect(try await verdicts(town, receipt) == [.refused], "\(environment)")
      }
      let flat = Self.stranger.transactionReceipt(
        [
          ("transaction-id", "2000000000000001"), ("original-transaction-id", "2000000000000001"),
          ("product-id", "com.example.coins100"), ("quantity", "1"), ("bid", Shop.identity.bundleId),
          ("purchase-date-ms", "\(Self.now.milliseconds)"),
        ], environment: "Production")
      // A valid signature of an unknown signer makes the server ask Apple, which knows no such number.
      #expect(try await verdicts(town, flat) == [.refused])
      #expect(try await town.engine.auditInvariants(atRest: true).payments == 0)
    }
  }

  @Test func `with foreign certificates is not even read once its sender has used up their budget (A15)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let receipt = Self.stranger.appReceipt(Self.content(environment: "Production"))
      func isBusy(_ sender: String) async throws -> Bool {
        do {
          _ = try await town.engine.submitAppStorePayment(
            SubmitAppStorePayment.Request(evidence: receipt), from: "mallory", for: town.app, sentBy: sender)
          return false
        } catch let refusal as CodedError<EngineErrorCode> { return refusal.code == .verificationBusy }
      }
      var busy: [Bool] = []
      for _ in 0..<60 { busy.append(try await isBusy("a")) }
      #expect(busy.first == false && busy.last == true)
      #expect(try await !isBusy("b"))
    }
  }

  @Test func `that is too large, cut, doubled or under another algorithm is not even examined (A3)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      _ = try await town.buy()
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let bytes = try #require(Base64.decode(receipt))
      let large = Base64.encode(bytes + [UInt8](repeating: 0, count: 9 << 20))
      let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
      // SHA-256 becomes SHA-224 wherever it is named: Apple never used this digest.
      var weak = bytes
      for place in weak.indices where weak[place...].starts(with: sha256) { weak[place + 8] = 0x04 }
      #expect(weak != bytes)
      for evidence in [large, Base64.encode(weak), receipt + receipt, String(receipt.dropLast(5000)) + "===="] {
        #expect(try await verdicts(town, evidence) == [.refused])
      }
      try await expectNothing(town, "algorithms")
    }
  }

  // MARK: genuine, but of another user

  @Test func `of another app of the same team is refused, however genuine (A4)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let other = "com.example.other"
      try await town.apple.setApp(SimulatedApp(bundleId: other, appAppleId: 99))
      try await town.apple.setProduct(
        SimulatedProduct(
          id: "com.example.coins100", kind: .consumable, price: StatedPrice(milliunits: 1, currency: "CNY")),
        bundleId: other)
      let owner = AppOwner(account: AppStoreEngineFixture.alice.account, bundleId: other)
      let id = try await town.buy(as: owner)
      for receipt in [try await town.apple.appReceipt(of: owner), try await town.apple.transactionReceipt(of: id)] {
        #expect(try await verdicts(town, receipt) == [.refused])
      }
      #expect(try await verdicts(town, town.apple.signedTransaction(id).signedTransaction) == [.refused])
      try await expectNothing(town, "another app")
    }
  }

  @Test func `of a simulator, of the sandbox or of Xcode pays nothing in production (A5)`() throws {
    let town = try AppStoreEngineFixture {
      $0.home = .production
      $0.sandboxPurchases = .refuse
    }
    try town.perform { town async throws in
      let id = try await town.buy()
      #expect(try await verdicts(town, town.apple.appReceipt(of: AppStoreEngineFixture.alice)) == [.refused])
      #expect(try await verdicts(town, town.apple.signedTransaction(id).signedTransaction) == [.refused])
      try await expectNothing(town, "a simulator's")
    }
    // A production profile does not even start with its own trust anchor.
    #expect(throws: CodedError<SignedDataErrorCode>.self) {
      try SignedDataVerifier(
        SignedDataConfiguration(profile: .production, anchors: [town.apple.authority.root]))
    }
  }

  @Test func `presented by two users with an order each pays only one order, once (A6)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let orders = [try await town.order(), try await town.order(of: "mallory")]
      _ = try await town.buy()
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      #expect(try await town.submit(receipt, orders: [orders[0]]).map(\.verdict) == [.fulfilled])
      for _ in 0..<2 {
        let again = try await town.submit(receipt, by: "mallory", orders: [orders[1]])
        #expect(again.map(\.verdict) == [.fulfilledForAnother] && again.allSatisfy { $0.order == nil })
      }
      #expect(try await town.coins() == 100)
      #expect(try await town.coins(of: "mallory") == 0)
      #expect(
        try await town.engine.readOrder(.id(orders[1]), in: town.app.userEnvironments, of: "mallory").order.state
          == .awaitingPayment)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `of a cheap product pays no expensive order, whatever the request claims (A8)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let dear = try await town.order("coins.1000", of: "mallory")
      let id = try await town.buy()
      var request = SubmitAppStorePayment.Request(
        evidence: try await town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      request.orders = [dear]
      request.sameRun = dear
      request.claimed.product = "com.example.coins1000"
      request.claimed.quantity = 10
      let answers = try await town.engine.submitAppStorePayment(request, from: "mallory", for: town.app).payments
      #expect(answers.map(\.transaction) == [id] && answers.allSatisfy { $0.order != dear })
      #expect(try await town.coins(of: "mallory") == 100)
      #expect(
        try await town.engine.readOrder(.id(dear), in: town.app.userEnvironments, of: "mallory").order.state
          == .awaitingPayment)
    }
  }

  @Test func `of an old purchase pays no later order (A9)`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { try await $0.buy() }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      let order = try await town.order(of: "mallory")
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let answers = try await town.submit(receipt, by: "mallory", orders: [order])
      #expect(answers.allSatisfy { $0.order != order })
      #expect(
        try await town.engine.readOrder(.id(order), in: town.app.userEnvironments, of: "mallory").order.state
          == .awaitingPayment)
      // Repeated submissions remain one payment.
      for _ in 0..<3 { _ = try await town.submit(receipt, by: "mallory", orders: [order]) }
      #expect(try await town.coins(of: "mallory") == 100)
      #expect(try await town.payment(id)?.owner == "mallory")
    }
  }
}
