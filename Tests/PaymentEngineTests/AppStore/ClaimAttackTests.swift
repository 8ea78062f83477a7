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

/// Genuine purchases with wrong users: numbers that were guessed, leaked, or seen on another user's phone.
@Suite struct `A claim on another's purchase` {
  // MARK: enumerated

  @Test func `by guessed numbers learns nothing, grants nothing, and is slowed down (A7, A14)`() throws {
    let fixture = try AppStoreEngineFixture(asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let paid = try await fixture.buy(token: order)
      let free = try await fixture.buy(as: AppStoreEngineFixture.bob)
      _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      var answers: [String] = []
      let near = try #require(Int64(paid.text))
      for number in (near - 10)...(near + 10) {
        let id = TransactionIdentifier("\(number)")
        do { answers.append(try await fixture.ask(id, by: "mallory")?.verdict.rawValue ?? "none") } catch let error
          as CodedError<EngineErrorCode>
        {
          answers.append(error.code.rawValue)
        }
      }
      _ = try? await fixture.ask(free, by: "mallory")
      // It makes no difference whether a number exists; after twenty requests Apple is not called for this user.
      #expect(Set(answers).isSubset(of: [EngineErrorCode.transactionUnknown.rawValue, Verdict.pending.rawValue]))
      #expect(answers[10] == answers[9])
      #expect(fixture.calls.count("/inApps/v1/transactions/") <= 1 + 2 * 20)
      #expect(try await fixture.coins(of: "mallory") == 0)
      #expect(try await fixture.coins() == 100)
      #expect(fixture.calls.count("verifyReceipt") == 0, "a number is not a receipt")
    }
  }

  // MARK: leaked

  @Test func `by a transaction from a notification or a log fails: it proves no device (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order(of: "mallory")
      let id = try await fixture.buy()
      // Evidence for servers carries no device proof.
      let leaked = try await fixture.apple.signedTransaction(id).signedTransaction
      let answers = try await fixture.submit(leaked, by: "mallory", orders: [order])
      #expect(answers.map(\.verdict) == [.held] && answers.map(\.reason) == ["notDeviceEvidence"])
      // Its buyer, from their own device, still gets it.
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [
          .fulfilled
        ])
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.coins(of: "mallory") == 0)
    }
  }

  @Test func `by a transaction copied from another device does not fit the claimant's device (A7)`() async throws {
    let shop = try EngineFixture()
    let nonce = "0f3b9d3c-1111-4222-8333-444455556666"
    let (hers, his) = ("11111111-2222-4333-8444-555566667777", "99999999-2222-4333-8444-555566667777")
    let evidence = shop.transaction("1001") {
      $0["deviceVerificationNonce"] = .string(nonce)
      $0["deviceVerification"] = .string(Base64.encode(SHA384.hash((nonce + hers).utf8)))
    }
    func submit(_ device: String, by user: UserIdentifier) async throws -> PaymentAnswer? {
      var request = SubmitAppStorePayment.Request(evidence: evidence)
      request.deviceVerificationId = device
      return try await shop.engine.submitAppStorePayment(request, from: user, for: shop.app).payments.first
    }
    let stolen = try await submit(his, by: "mallory")
    #expect(stolen?.verdict == .held && stolen?.reason == "deviceDiffers")
    #expect(try await submit(hers, by: "alice")?.verdict == .fulfilled)
    #expect(try await shop.coins(of: "mallory") == 0)
  }

  @Test func `by many leaked receipts is limited, and grants nothing if claims are strict (A7)`() throws {
    for isStrict in [false, true] {
      let fixture = try AppStoreEngineFixture { $0.claims = ClaimPolicy(isStrict: isStrict) }
      try fixture.perform { fixture async throws in
        var verdicts: [Verdict] = []
        for number in 0..<8 {
          let victim = AppOwner(
            account: AppleAccountIdentifier("victim\(number)@example.com"),
            bundleId: AppStoreEngineFixture.alice.bundleId)
          try await fixture.apple.catalog.setAccount(
            SimulatedAppleAccount(id: victim.account, environment: .production))
          _ = try await fixture.buy(as: victim)
          verdicts += try await fixture.submit(fixture.apple.appReceipt(of: victim), by: "mallory").map(\.verdict)
        }
        #expect(verdicts.count { $0 == .fulfilled } == (isStrict ? 0 : 5))
        #expect(verdicts.count { $0 == .held } == (isStrict ? 8 : 3))
        #expect(try await fixture.coins(of: "mallory") == (isStrict ? 0 : 500))
      }
    }
  }

  @Test func `from an Apple account known only for another user is held (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let known = try await fixture.buy(token: order)
      _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      try await fixture.apple.purchases.finish(known, of: AppStoreEngineFixture.alice)
      // Without the token; Apple still names the account.
      _ = try await fixture.buy()
      let stolen = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), by: "mallory")
      #expect(stolen.map(\.verdict) == [.held] && stolen.map(\.reason) == ["accountOfAnotherUser"])
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [
          .fulfilled
        ])
      #expect(try await fixture.coins(of: "mallory") == 0)
    }
  }

  // MARK: a second user on one phone

  @Test func `by the second user of a phone grants it to the user of the vault's order (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let hers = try await fixture.order()
      let id = try await fixture.buy()
      // Bob is signed in by now; the vault still has alice's order.
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let answers = try await fixture.submit(receipt, by: "bob", orders: [hers])
      #expect(answers.map(\.verdict) == [.fulfilledForAnother] && answers.first?.order == nil)
      #expect(try await fixture.payment(id)?.order == hers)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.coins(of: "bob") == 0)
    }
  }

  @Test func `by the second user of a phone is held if orders of both fit, until one run decides (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let orders = [try await fixture.order(), try await fixture.order(of: "bob")]
      _ = try await fixture.buy()
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let answers = try await fixture.submit(receipt, by: "bob", orders: orders)
      #expect(answers.map(\.verdict) == [.held] && answers.map(\.reason) == ["ownerAmbiguous"])
      var request = SubmitAppStorePayment.Request(evidence: receipt)
      request.orders = orders
      request.sameRun = orders[0]
      _ = try await fixture.engine.submitAppStorePayment(request, from: "bob", for: fixture.app)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.coins(of: "bob") == 0)
    }
  }

  @Test func `by the second user of a phone takes no order that is older than a day (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    let hers = try fixture.perform { try await $0.order() }
    fixture.world.run(for: .hours(25))
    try fixture.perform { fixture async throws in
      _ = try await fixture.buy()
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let answers = try await fixture.submit(receipt, by: "bob", orders: [hers])
      #expect(answers.map(\.verdict) == [.held] && answers.map(\.reason) == ["orderOfAnotherUser"])
      #expect(try await fixture.submit(receipt, orders: [hers]).map(\.verdict) == [.fulfilled])
      #expect(try await fixture.coins(of: "bob") == 0)
    }
  }

  // MARK: a flood

  @Test func `with many invented authorities is refused at little cost, while customers are served (A15)`() async throws
  {
    let shop = try EngineFixture()
    let first = try await shop.order()
    #expect(try await shop.submit(shop.transaction("1", token: first)).verdict == .fulfilled)
    var codes: [String: Int] = [:]
    for number in 0..<300 {
      let seed = (0..<48).map { UInt8(($0 * (number + 7) + number * 13 + number / 256 + 1) & 255) }
      let authority = AppleShapedAuthority(
        // Under the name of the genuine authority: other names lead to no root, and cost nothing.
        name: "Engine Tests", randomBytes: seed,
        notBefore: EngineFixture.noon - .days(365), notAfter: EngineFixture.noon + .days(3650))
      let chain = authority.signingChain(
        serialNumber: 9, randomBytes: Array(repeating: UInt8(number & 127) + 1, count: 32),
        notBefore: EngineFixture.noon - .days(30), notAfter: EngineFixture.noon + .days(700))
      let bogus = chain.sign(
        .members([("transactionId", "2"), ("bundleId", "com.example.shop"), ("environment", "Production")]))
      do {
        codes[try await shop.submit(bogus, by: "mallory").reason ?? "taken", default: 0] += 1
      } catch let error as CodedError<EngineErrorCode> { codes[error.code.rawValue, default: 0] += 1 }
    }
    #expect(codes["taken"] == nil)
    let busy = codes[EngineErrorCode.verificationBusy.rawValue] ?? 0
    #expect(busy >= 300 - 128, "most are not examined: \(codes)")
    // A known user is served at once.
    let second = try await shop.order()
    let genuine = shop.transaction("3", token: second)
    #expect(try await shop.submit(genuine).verdict == .fulfilled)
    #expect(try await shop.coins() == 200)
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 2)
  }
}
