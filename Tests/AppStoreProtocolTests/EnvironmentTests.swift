import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing

@Suite struct `A configuration for production (A5)` {
  @Test func `is refused with a root beside Apple's`() {
    #expect(throws: CodedError<SignedDataErrorCode>(.unsafeConfiguration)) {
      try SignedDataVerifier(SignedDataConfiguration(profile: .production, anchors: [TestAppStore.authority.root]))
    }
  }

  @Test(arguments: SignedDataConfiguration.UnsignedEnvironment.allCases)
  func `is refused with unsigned data`(_ environment: SignedDataConfiguration.UnsignedEnvironment) {
    #expect(throws: CodedError<SignedDataErrorCode>(.unsafeConfiguration)) {
      try SignedDataVerifier(SignedDataConfiguration(profile: .production, unsignedEnvironments: [environment]))
    }
  }

  @Test func `trusts Apple's roots alone`() throws {
    let verifier = try SignedDataVerifier(.production)
    let verdict = verifier.verifyTransaction(
      TestAppStore.chain.sign(TestAppStore.transaction), expecting: SignedDataExpectations(), at: TestAppStore.now)
    #expect(verdict.failure?.code == .invalidChain && verdict.failedCheck == .anchor)
    #expect(AppleRootCertificates.name(ofFingerprint: SHA256.hash([])) == nil)
  }
}

@Suite struct `The environment of signed data` {
  private let verifier: SignedDataVerifier

  init() throws { verifier = try TestAppStore.verifier() }

  /// S11, A5: only Apple's roots yield production or sandbox.
  @Test(arguments: ["Production", "Sandbox", "Xcode", "LocalTesting", "Mars", nil])
  func `is simulated under a configured root, whatever the payload says (S11, X10)`(_ word: String?) throws {
    let token = TestAppStore.chain.sign(TestAppStore.transaction.with([("environment", word.map { .string($0) })]))
    let verdict = verifier.verifyTransaction(token, expecting: TestAppStore.expectations, at: TestAppStore.now)
    #expect(verdict.verified?.environment == .simulated)
    #expect(verdict.verified?.payload.environment?.rawValue == word)
    let strict = SignedDataExpectations(environments: [.production, .sandbox, .undetermined, .xcode, .localTesting])
    #expect(
      verifier.verifyTransaction(token, expecting: strict, at: TestAppStore.now).failure?.code == .invalidEnvironment)
  }

  #if DEBUG
    /// Lets a simulated world run a shop in production. A release build has no such setting.
    @Test(arguments: [
      ("Production" as String?, StoreEnvironment.production), ("Sandbox", .sandbox), ("Xcode", .undetermined),
      (nil, .undetermined),
    ])
    func `is the payload's where a test treats a root as Apple's, and never with a production profile`(
      _ word: String?, _ environment: StoreEnvironment
    ) throws {
      var configuration = SignedDataConfiguration(profile: .development, anchors: [TestAppStore.authority.root])
      configuration.takesAnchorsForApple = true
      let token = TestAppStore.chain.sign(TestAppStore.transaction.with([("environment", word.map { .string($0) })]))
      let verdict = try SignedDataVerifier(configuration).verifyTransaction(
        token, expecting: SignedDataExpectations(), at: TestAppStore.now)
      #expect(verdict.verified?.environment == environment)
      configuration.profile = .production
      let refused = configuration
      #expect(throws: CodedError<SignedDataErrorCode>(.unsafeConfiguration)) { try SignedDataVerifier(refused) }
    }
  #endif

  @Test(arguments: SignedDataConfiguration.UnsignedEnvironment.allCases)
  func `is Xcode's or LocalTesting's only by configuration (A5)`(
    _ environment: SignedDataConfiguration.UnsignedEnvironment
  ) throws {
    let word = environment == .xcode ? "Xcode" : "LocalTesting"
    let payload = TestAppStore.transaction.with([("environment", .string(word))])
    // Signed by an uncertified key, with one certificate or none, as Xcode and Apple's unit tests do.
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: TestAppStore.seed(50))
    let lone = SigningChain(leafKey: key, certificates: [ChainRecipe().leaf.selfSigned(by: key)])
    let tokens = [lone.sign(payload), lone.sign(payload.bytes, header: Array(#"{"alg":"ES256"}"#.utf8))]
    let accepting = try SignedDataVerifier(
      SignedDataConfiguration(profile: .development, unsignedEnvironments: [environment]))
    let expecting = SignedDataExpectations(
      apps: TestAppStore.expectations.apps, environments: [environment.environment])
    for token in tokens {
      #expect(verifier.verifyTransaction(token, expecting: expecting, at: TestAppStore.now).failedCheck == .chainLength)
      let verdict = accepting.verifyTransaction(token, expecting: expecting, at: TestAppStore.now)
      #expect(verdict.verified?.environment == environment.environment)
      #expect(verdict.verified?.chain == nil)
      #expect(verdict.checks.first { $0.check == .signature }?.outcome == .notRun)
      // The claims are checked all the same.
      let other = SignedDataExpectations(apps: [AppIdentity(bundleId: "com.example.other")])
      #expect(
        accepting.verifyTransaction(token, expecting: other, at: TestAppStore.now).failure?.code
          == .invalidAppIdentifier)
      let production = SignedDataExpectations(environments: [.production])
      #expect(
        accepting.verifyTransaction(token, expecting: production, at: TestAppStore.now).failure?.code
          == .invalidEnvironment)
    }
    // Accepting one does not accept the other, or data that claims to be production.
    let otherWord = environment == .xcode ? "LocalTesting" : "Xcode"
    for word in [otherWord, "Production", "xcode"] {
      let token = lone.sign(TestAppStore.transaction.with([("environment", .string(word))]))
      #expect(!accepting.verifyTransaction(token, expecting: SignedDataExpectations(), at: TestAppStore.now).isValid)
    }
  }
}

@Suite struct `A notification` {
  private func verdict(_ token: String, at now: Timestamp = TestAppStore.now) throws -> NotificationVerdict {
    try SignedDataVerifier(Forgery.configuration).verifyNotification(
      token, expecting: TestAppStore.expectations, at: now)
  }

  /// 1B.19: the inner transaction is decoded and verified the same way. 1B.21: the fields to keep are there.
  @Test func `is verified, and each part inside is verified on its own (1B.19, 1B.21)`() throws {
    let payload = TestAppStore.notification(renewalInfo: TestAppStore.chain.sign(TestAppStore.renewalInfo))
    let verdict = try verdict(TestAppStore.chain.sign(payload))
    let notification = try #require(verdict.notification.verified)
    #expect(notification.payload.notificationType == .known(.oneTimeCharge))
    #expect(notification.payload.notificationUUID == "002e14d5-51f5-4503-b5a8-c3a1af68eb20")
    #expect(notification.payload.version == "2.0" && notification.payload.signedDate == TestAppStore.signedDate)
    #expect(notification.payload.data?.appAppleId == TestAppStore.appAppleId)
    #expect(notification.payload.data?.bundleId == TestAppStore.bundleId)
    #expect(notification.environment == .simulated)
    #expect(verdict.transaction?.verified?.payload.transactionId == "2000000943569033")
    #expect(verdict.renewalInfo?.verified?.payload.autoRenewProductId == "com.example.month")
    let nested = try #require(verdict.notification.checks.last)
    #expect(nested.check == .nested && nested.outcome == .passed)
    #expect(nested.detail.contains("signedTransactionInfo") && nested.detail.contains("signedRenewalInfo"))
  }

  @Test func `with an app transaction inside is verified too`() throws {
    let payload = TestAppStore.notification().with([
      ("data", nil), ("notificationType", .string("RESCIND_CONSENT")),
      (
        "appData",
        .members([
          ("bundleId", .string(TestAppStore.bundleId)), ("appAppleId", .integer(TestAppStore.appAppleId)),
          ("environment", .string("Production")),
          ("signedAppTransactionInfo", .string(TestAppStore.chain.sign(TestAppStore.appTransaction))),
        ])
      ),
    ])
    let verdict = try verdict(TestAppStore.chain.sign(payload))
    #expect(verdict.isValid && verdict.appTransaction?.verified?.payload.applicationVersion == "1.2.3")
  }

  /// Early notifications of 2022: an expired leaf is valid for them at the date of the data that it signed inside.
  @Test func `without a date is judged at the newest date of its verified parts, and reports it`() throws {
    let recipe = ChainRecipe { $0.leaf.notAfter = TestAppStore.signedDate + .seconds(10) }
    let older = TestAppStore.renewalInfo.with([("signedDate", .integer(TestAppStore.signedDate.milliseconds - 28))])
    let payload = TestAppStore.notification(
      transaction: recipe.chain.sign(TestAppStore.transaction), renewalInfo: recipe.chain.sign(older)
    ).with([("signedDate", nil)])
    let years = TestAppStore.now + .days(1000)
    let verdict = try verdict(recipe.chain.sign(payload), at: years)
    #expect(verdict.isValid && verdict.notification.verified?.effectiveDate == TestAppStore.signedDate)
    let validity = verdict.notification.checks.first { $0.check == .validity }
    #expect(validity?.detail.contains("newest of its verified parts") == true)
    // Parts that are not valid lend no date.
    let forged = TestAppStore.notification(transaction: Forgery.ofSignature[0].token).with([("signedDate", nil)])
    #expect(try self.verdict(recipe.chain.sign(forged), at: years).notification.failure?.code == .expired)
    // With nothing inside it is judged now, which is too late.
    let empty = TestAppStore.notification(transaction: nil).with([("signedDate", nil)])
    let emptyVerdict = try self.verdict(recipe.chain.sign(empty), at: years)
    #expect(emptyVerdict.notification.failure?.code == .expired)
    #expect(try self.verdict(recipe.chain.sign(empty), at: TestAppStore.signedDate).isValid)
  }

  @Test func `takes app and environment from the part that is present`() throws {
    let names: [(String, JSONValue)] = [
      ("summary", .members([("requestIdentifier", .string("r"))])),
      ("externalPurchaseToken", .members([("externalPurchaseId", .string("SANDBOX_1"))])),
      ("appData", .members([])), ("unclaimInfo", .members([("unclaimSeatIds", .array([.string("a")]))])),
    ]
    for (name, part) in names {
      for bundleId in [TestAppStore.bundleId, "com.example.other"] {
        let named = part.with([
          ("bundleId", .string(bundleId)), ("environment", .string("Sandbox")),
        ])
        let payload = TestAppStore.notification().with([("data", nil), (name, named)])
        let verdict = try verdict(TestAppStore.chain.sign(payload))
        #expect(verdict.isValid == (bundleId == TestAppStore.bundleId), "\(name)")
      }
    }
  }

  @Test func `of an unknown type is verified and kept`() throws {
    let payload = TestAppStore.notification().with([
      ("notificationType", .string("NEW_TYPE")), ("subtype", .string("NEW")),
    ])
    let verdict = try verdict(TestAppStore.chain.sign(payload))
    #expect(verdict.notification.verified?.payload.notificationType == .raw("NEW_TYPE"))
    #expect(verdict.notification.verified?.payload.subtype == .raw("NEW"))
  }
}
