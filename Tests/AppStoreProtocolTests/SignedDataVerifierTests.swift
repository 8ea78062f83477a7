import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing

@Suite struct `A verifier of signed data` {
  @Test(arguments: Forgery.all)
  func `refuses by the named check`(_ forgery: Forgery) throws {
    let verifier = try SignedDataVerifier(Forgery.configuration)
    // Twice, because the second time the chain may be known, good or bad.
    for round in 1...2 {
      let outcome = forgery.judge(verifier)
      #expect(!outcome.isValid, "round \(round)")
      #expect(outcome.check == forgery.check, "round \(round)")
      #expect(outcome.code == forgery.code, "round \(round)")
    }
  }

  /// The certificates are judged the same, whatever they sign (A2).
  @Test(arguments: Forgery.ofChainForm + Forgery.ofChainRoles + Forgery.ofChainTrust.prefix(7))
  func `refuses a bad chain under every kind of payload (A2, X15)`(_ forgery: Forgery) throws {
    let verifier = try SignedDataVerifier(Forgery.configuration)
    let parts = forgery.token.split(separator: ".")
    for (kind, payload) in [
      (SignedDataKind.renewalInfo, TestAppStore.renewalInfo), (.appTransaction, TestAppStore.appTransaction),
      (.realtimeRequest, TestAppStore.realtimeRequest), (.notification, TestAppStore.notification()),
    ] {
      let token = "\(parts[0]).\(Base64URL.encode(payload.bytes)).\(parts[2])"
      let outcome = Forgery("", forgery.check, code: forgery.code, token: token, kind: kind).judge(verifier)
      #expect(outcome.check == forgery.check && outcome.code == forgery.code)
    }
  }

  @Test func `shows no long or invisible text from its input`() throws {
    let name = String(repeating: "\u{202E}\u{1B}[2J\u{200B}x", count: 1000)
    let token = TestAppStore.chain.sign(
      TestAppStore.transaction.with([("bundleId", .string(name)), ("environment", .string(name))]))
    let verifier = try TestAppStore.verifier()
    for expecting in [
      TestAppStore.expectations, SignedDataExpectations(environments: [.production]), SignedDataExpectations(),
    ] {
      let verdict = verifier.verifyTransaction(token, expecting: expecting, at: TestAppStore.now)
      for detail in verdict.checks.map(\.detail) + [verdict.failure?.details ?? ""] {
        #expect(detail.count < 300)
        #expect(!detail.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{200B}" })
      }
    }
  }

  #if DEBUG
    /// Each check is necessary: without it a forgery is accepted, and no forgery that belongs to another check. The
    /// same checks refuse a forgery inside a notification. A revoked certificate needs a responder, as in
    /// `RevocationCheckTests`.
    @Test(arguments: SignedDataCheck.allCases.filter { $0 != .revocation })
    func `would accept a forgery without`(_ check: SignedDataCheck) throws {
      let verifier = try SignedDataVerifier(Forgery.configuration, leavingOut: check)
      let accepted = Forgery.all.filter { $0.judge(verifier).isValid }
      #expect(!accepted.isEmpty)
      #expect(accepted.allSatisfy { $0.check == check || $0.check == .nested }, "\(accepted.map(\.name))")
    }
  #endif

  /// A token with one changed character in header, payload or signature is refused, and never mistaken for a known one
  /// (A3).
  @Test func `refuses a token with any character changed (A3)`() throws {
    var limits = SignedDataLimits()
    limits.unknownChainsBurst = 100_000
    let verifier = try TestAppStore.verifier(limits)
    let token = Array(TestAppStore.chain.sign(TestAppStore.transaction).utf8)
    #expect(verifier.verifyTransaction(text(token), expecting: TestAppStore.expectations, at: TestAppStore.now).isValid)
    for place in stride(from: 0, to: token.count, by: 11) where token[place] != 0x2E {
      var changed = token
      changed[place] = token[place] == 0x41 ? 0x42 : 0x41
      let verdict = verifier.verifyTransaction(
        text(changed), expecting: TestAppStore.expectations, at: TestAppStore.now)
      #expect(!verdict.isValid, "character \(place)")
    }
  }

  @Test func `refuses every incomplete token`() throws {
    let verifier = try TestAppStore.verifier()
    let token = Array(TestAppStore.chain.sign(TestAppStore.transaction).utf8)
    for length in stride(from: 0, to: token.count, by: 13) {
      let verdict = verifier.verifyTransaction(
        text(Array(token.prefix(length))), expecting: TestAppStore.expectations, at: TestAppStore.now)
      #expect(!verdict.isValid)
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `accepts each kind, and reports its content`() throws {
    let verifier = try TestAppStore.verifier()
    let (now, expecting, chain) = (TestAppStore.now, TestAppStore.expectations, TestAppStore.chain)
    let transaction = try #require(
      verifier.verifyTransaction(chain.sign(TestAppStore.transaction), expecting: expecting, at: now).verified)
    #expect(transaction.payload.json.sorted == TestAppStore.transaction.sorted)
    #expect(transaction.payloadBytes == TestAppStore.transaction.bytes)
    #expect(transaction.environment == .simulated)
    #expect(transaction.app == expecting.apps?[0])
    #expect(transaction.effectiveDate == TestAppStore.signedDate)
    #expect(transaction.chain?.anchor == .configured("CN=Made for tests Root CA, O=Made for tests"))
    let renewal = verifier.verifyRenewalInfo(chain.sign(TestAppStore.renewalInfo), expecting: expecting, at: now)
    #expect(renewal.verified?.payload.json.sorted == TestAppStore.renewalInfo.sorted)
    let app = verifier.verifyAppTransaction(chain.sign(TestAppStore.appTransaction), expecting: expecting, at: now)
    #expect(app.verified?.payload.json.sorted == TestAppStore.appTransaction.sorted)
    #expect(app.verified?.effectiveDate == TestAppStore.signedDate)
    let question = verifier.verifyRealtimeRequest(
      chain.sign(TestAppStore.realtimeRequest), expecting: expecting, at: now)
    #expect(question.verified?.payload.json.sorted == TestAppStore.realtimeRequest.sorted)
  }

  @Test func `accepts a token signed up to a minute ahead of our clock, and one without a date`() throws {
    let verifier = try TestAppStore.verifier()
    for date in [TestAppStore.now + .seconds(60), nil] {
      let token = TestAppStore.chain.sign(
        TestAppStore.transaction.with([("signedDate", date.map { .integer($0.milliseconds) })]))
      let verdict = verifier.verifyTransaction(token, expecting: TestAppStore.expectations, at: TestAppStore.now)
      #expect(verdict.verified?.effectiveDate == date ?? TestAppStore.now)
    }
  }

  @Test func `judges certificates at the moment of signing, to the second`() throws {
    let verifier = try SignedDataVerifier(Forgery.configuration)
    let recipe = ChainRecipe()
    // An expired leaf still proves what it signed while it was valid, including its first and last second.
    for (date, isValid) in [
      (recipe.leaf.notBefore - .milliseconds(1), false), (recipe.leaf.notBefore, true),
      (recipe.leaf.notAfter + .milliseconds(999), true), (recipe.leaf.notAfter + .seconds(1), false),
    ] {
      let token = recipe.chain.sign(TestAppStore.transaction.with([("signedDate", .integer(date.milliseconds))]))
      for _ in 1...2 {
        let verdict = verifier.verifyTransaction(
          token, expecting: TestAppStore.expectations, at: recipe.leaf.notAfter + .days(400))
        #expect(verdict.isValid == isValid)
        #expect(verdict.failure?.code == (isValid ? nil : .expired))
      }
    }
  }

  @Test(arguments: 0..<3) func `judges each certificate of a chain by itself, too`(_ place: Int) throws {
    let recipe = ChainRecipe { recipe in
      let end = TestAppStore.now - .days(1)
      switch place {
      case 0: recipe.leaf.notAfter = end
      case 1: recipe.intermediate.notAfter = end
      default: recipe.root.notAfter = end
      }
    }
    let certificates = recipe.chain.certificates
    let verifier = try SignedDataVerifier(
      SignedDataConfiguration(profile: .development, anchors: [certificates[2]]))
    let before = try verifier.verifyChain(certificates.map(\.der), validAt: TestAppStore.now - .days(1))
    #expect(before.notAfter == TestAppStore.now - .days(1))
    #expect(throws: CodedError<SignedDataErrorCode>(.expired)) {
      try verifier.verifyChain(certificates.map(\.der), validAt: TestAppStore.now)
    }
  }

  @Test func `keeps values and members that it does not know`() throws {
    let verifier = try TestAppStore.verifier()
    let payload = TestAppStore.transaction.with([
      ("type", .string("Rental")), ("inAppOwnershipType", .string("LEASED")), ("revocationReason", .integer(9)),
      ("offerType", .integer(77)), ("newMember", .members([("x", .integer(1))])), ("webOrderLineItemId", .null),
    ])
    let verified = try #require(
      verifier.verifyTransaction(
        TestAppStore.chain.sign(payload), expecting: TestAppStore.expectations, at: TestAppStore.now
      ).verified)
    #expect(verified.payload.type == .raw("Rental") && verified.payload.type?.known == nil)
    #expect(verified.payload.inAppOwnershipType == .raw("LEASED"))
    #expect(verified.payload.revocationReason == .raw(9) && verified.payload.offerType?.rawValue == 77)
    #expect(verified.payload.webOrderLineItemId == nil)
    #expect(verified.payloadBytes == payload.bytes)
  }

  @Test func `accepts any of several apps, and reports which one`() throws {
    let verifier = try TestAppStore.verifier()
    let apps = [AppIdentity(bundleId: "com.example.one"), AppIdentity(bundleId: TestAppStore.bundleId)]
    let verdict = verifier.verifyTransaction(
      TestAppStore.chain.sign(TestAppStore.transaction), expecting: SignedDataExpectations(apps: apps),
      at: TestAppStore.now)
    #expect(verdict.verified?.app == apps[1])
  }

  @Test func `compares the number of the app in production only`() throws {
    let verifier = try TestAppStore.verifier()
    for (word, number, isValid) in [
      ("Sandbox", nil, true), ("Sandbox", 0, true), ("Production", TestAppStore.appAppleId, true),
      ("Production", 0, false),
    ] as [(String, Int64?, Bool)] {
      let token = TestAppStore.chain.sign(
        TestAppStore.appTransaction.with([("receiptType", .string(word)), ("appAppleId", number.map { .integer($0) })]))
      let verdict = verifier.verifyAppTransaction(token, expecting: TestAppStore.expectations, at: TestAppStore.now)
      #expect(verdict.isValid == isValid, "\(word) \(number ?? -1)")
    }
  }

  @Test func `lists every check in order, and which checks were not run`() throws {
    let verifier = try TestAppStore.verifier()
    let good = verifier.verifyTransaction(
      TestAppStore.chain.sign(TestAppStore.transaction), expecting: TestAppStore.expectations, at: TestAppStore.now)
    #expect(good.checks.map(\.check) == SignedDataCheck.allCases.filter { $0 != .nested && $0 != .revocation })
    #expect(good.checks.allSatisfy { $0.outcome == .passed && !$0.detail.isEmpty })
    let unasked = verifier.verifyTransaction(
      TestAppStore.chain.sign(TestAppStore.transaction), expecting: SignedDataExpectations(), at: TestAppStore.now)
    #expect(unasked.isValid)
    #expect(unasked.checks.filter { $0.outcome == .notRun }.map(\.check) == [.appIdentifier, .environment])
    let bad = verifier.verifyTransaction(
      ChainRecipe { $0.leaf.extensions = [] }.chain.sign(TestAppStore.transaction),
      expecting: TestAppStore.expectations,
      at: TestAppStore.now)
    #expect(bad.failedCheck == .leafMarker)
    let outcomes = bad.checks.map(\.outcome)
    #expect(outcomes.prefix(15).allSatisfy { $0 == .passed })
    #expect(outcomes[15] == .failed && outcomes.dropFirst(16).allSatisfy { $0 == .notRun })
    #expect(bad.unverifiedPayload?.transactionId == "2000000943569033")
  }
}
