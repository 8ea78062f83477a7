import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing

/// Data that Apple signed, and data that others falsified, from public repositories. Not in this repository.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct `Genuine signed data` {
  private let verifier: SignedDataVerifier
  private let now = Timestamp(seconds: 1_795_000_000)

  init() throws { verifier = try SignedDataVerifier(.production) }

  private func expectations(_ expected: JSONValue) -> SignedDataExpectations {
    let environment: StoreEnvironment? =
      switch expected["environment"]?.string {
      case "Production": .production
      case "Sandbox": .sandbox
      case nil, "no-environment-field": .undetermined
      default: nil
      }
    return SignedDataExpectations(
      apps: (expected["bundleId"]?.string).map { [AppIdentity(bundleId: $0)] }, environments: environment.map { [$0] })
  }

  private func check<Payload>(
    _ verdict: SignedDataVerdict<Payload>, _ payload: JSONValue?, expected: JSONValue, _ name: String
  ) throws {
    let verified = try #require(verdict.verified, "\(name): \(verdict.failure?.description ?? "")")
    let said = try #require(payload)
    #expect(verified.payload.json.sorted == said.sorted, "\(name): each stated field is read")
    #expect(try JSONReader.read(verified.payloadBytes).sorted == said.sorted)
    #expect(verified.chain?.anchor == .apple("Apple Root CA - G3"))
    if let serial = expected["leafSerial"]?.string { #expect(verified.chain?.leaf.serialNumber == serial) }
    for (field, date) in [
      ("leafNotBefore", verified.chain?.leaf.notBefore), ("leafNotAfter", verified.chain?.leaf.notAfter),
    ] {
      guard let text = expected[field]?.string else { continue }
      #expect(date == Timestamp(iso8601: text.replacing("+00:00", with: "Z")))
    }
  }

  @Test(arguments: Fixtures.names(in: "apple-jws/genuine", ending: ".jws"))
  func `is valid with the facts that its description names`(_ name: String) throws {
    let token = try Fixtures.text("apple-jws/genuine/\(name)")
    let expected = try Fixtures.json("apple-jws/genuine/" + name.replacing(".jws", with: ".expected.json"))
    let expecting = expectations(expected)
    let payload = expected["payload"]
    if name.hasPrefix("transaction") {
      try check(verifier.verifyTransaction(token, expecting: expecting, at: now), payload, expected: expected, name)
    } else if name.hasPrefix("renewal") {
      try check(verifier.verifyRenewalInfo(token, expecting: expecting, at: now), payload, expected: expected, name)
    } else {
      let verdict = verifier.verifyNotification(token, expecting: expecting, at: now)
      try check(verdict.notification, payload, expected: expected, name)
      for (field, nested) in expected["nested"]?.object.map({ $0.map { ($0.name, $0.value) } }) ?? [] {
        if field == "signedTransactionInfo" {
          try check(#require(verdict.transaction), nested["payload"], expected: nested, field)
        } else {
          try check(#require(verdict.renewalInfo), nested["payload"], expected: nested, field)
        }
      }
      #expect((verdict.transaction != nil) == (expected["nested"]?["signedTransactionInfo"] != nil))
    }
  }

  @Test func `without a date is judged at the newest date of its parts, 1646387008254, and reports it`() throws {
    let token = try Fixtures.text("apple-jws/genuine/notification-did-renew-sandbox-9d61db45.jws")
    let verdict = verifier.verifyNotification(token, expecting: SignedDataExpectations(), at: now)
    #expect(verdict.notification.verified?.effectiveDate.milliseconds == 1_646_387_008_254)
    #expect(verdict.notification.checks.first { $0.check == .validity }?.detail.contains("no signedDate") == true)
  }

  @Test func `without an environment is undetermined, and never production`() throws {
    let name = try #require(
      Fixtures.names(in: "apple-jws/genuine", ending: ".jws").first { $0.contains("no-environment-field") })
    let token = try Fixtures.text("apple-jws/genuine/\(name)")
    let production = SignedDataExpectations(environments: [.production, .sandbox])
    #expect(verifier.verifyTransaction(token, expecting: production, at: now).failure?.code == .invalidEnvironment)
    let any = verifier.verifyTransaction(token, expecting: SignedDataExpectations(), at: now)
    #expect(any.verified?.environment == .undetermined)
  }

  @Test(arguments: Fixtures.names(in: "apple-jws/genuine", ending: ".jws"))
  func `is refused for another app, another environment, or before it was signed (A4, A5)`(_ name: String) throws {
    let token = try Fixtures.text("apple-jws/genuine/\(name)")
    let other = SignedDataExpectations(apps: [AppIdentity(bundleId: "com.example.other")])
    let simulated = SignedDataExpectations(environments: [.simulated, .xcode, .localTesting])
    let early = Timestamp(seconds: 1_600_000_000)
    for (expecting, now, code) in [
      (other, now, SignedDataErrorCode.invalidAppIdentifier), (simulated, now, .invalidEnvironment),
      (SignedDataExpectations(), early, .signedInTheFuture),
    ] {
      let found: SignedDataErrorCode?
      if name.hasPrefix("transaction") {
        found = verifier.verifyTransaction(token, expecting: expecting, at: now).failure?.code
      } else if name.hasPrefix("renewal") {
        found = verifier.verifyRenewalInfo(token, expecting: expecting, at: now).failure?.code
        // Renewal information names no app, so no app can be compared.
        if code == .invalidAppIdentifier { continue }
      } else {
        found = verifier.verifyNotification(token, expecting: expecting, at: now).notification.failure?.code
        // The notification without a date is refused, too, because of its parts or its certificates.
        if code == .signedInTheFuture, name.contains("9d61db45") {
          #expect(found != nil)
          continue
        }
      }
      #expect(found == code)
    }
  }

  @Test func `is found in the Server API's answers, and valid there`() throws {
    for file in ["get_refund_history.json", "get_transaction_history.json"] {
      let tokens = try #require(Fixtures.json("apple-jws/api-responses/\(file)")["signedTransactions"]?.array)
      #expect(tokens.count == 5)
      for token in tokens {
        let verdict = verifier.verifyTransaction(token.string ?? "", expecting: SignedDataExpectations(), at: now)
        #expect(verdict.verified?.payload.bundleId == "club.omnichess.ios")
      }
    }
  }

  @Test(arguments: Fixtures.names(in: "apple-jws/invalid", ending: ".jws"))
  func `that was edited afterwards is refused by its signature`(_ name: String) throws {
    let token = try Fixtures.text("apple-jws/invalid/\(name)")
    let isNotification = name.contains("subscribed")
    let failed =
      isNotification
      ? verifier.verifyNotification(token, expecting: SignedDataExpectations(), at: now).notification.failedCheck
      : verifier.verifyTransaction(token, expecting: SignedDataExpectations(), at: now).failedCheck
    #expect(failed == .signature)
  }

  @Test(arguments: [
    ("transaction.jws", SignedDataCheck.anchor), ("transaction-no-intermediate-oid.jws", .anchor),
    ("expired-cert-fresh.jws", .anchor), ("app-transaction-production.jws", .anchor),
  ]) func `excludes what another project signed under its own roots`(_ name: String, _ check: SignedDataCheck) throws {
    let token = try Fixtures.text("apple-jws/synthetic/\(name)")
    let failed =
      name.hasPrefix("app-")
      ? verifier.verifyAppTransaction(token, expecting: SignedDataExpectations(), at: now).failedCheck
      : verifier.verifyTransaction(token, expecting: SignedDataExpectations(), at: now).failedCheck
    #expect(failed == check)
  }
}

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct `Signed data of other projects` {
  private let now = Timestamp(seconds: 1_795_000_000)

  private func verifier(_ roots: String...) throws -> SignedDataVerifier {
    let anchors = try roots.map { try X509Certificate(der: Fixtures.bytes($0)) }
    return try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: anchors))
  }

  private func token(_ name: String) throws -> String { try Fixtures.text("apple-jws/synthetic/\(name)") }

  @Test func `is refused under its own root for the rule that it breaks`() throws {
    let expecting = SignedDataExpectations()
    let marker = try verifier("apple-jws/synthetic/jws-no-intermediate-oid-root.der")
      .verifyTransaction(token("transaction-no-intermediate-oid.jws"), expecting: expecting, at: now)
    #expect(marker.failure?.code == .missingOID && marker.failedCheck == .intermediateMarker)
    let expired = try verifier("apple-jws/synthetic/jws-expired-root.der")
      .verifyTransaction(token("expired-cert-fresh.jws"), expecting: expecting, at: now)
    #expect(expired.failure?.code == .expired)
    let foreign = try verifier("apple-jws/synthetic/jws-no-leaf-oid-root.der")
      .verifyTransaction(token("transaction.jws"), expecting: expecting, at: now)
    #expect(foreign.failure?.code == .invalidChain)
  }

  @Test func `is simulated under its own root, with the facts of its manifest`() throws {
    let manifest = try Fixtures.json("apple-jws/synthetic/manifest.json")
    let root = try verifier("apple-jws/synthetic/jws-root.der")
    let expecting = SignedDataExpectations(apps: [AppIdentity(bundleId: "com.example.app", appAppleId: 123_456_789)])
    let transaction = try root.verifyTransaction(token("transaction.jws"), expecting: expecting, at: now)
    #expect(transaction.verified?.environment == .simulated)
    #expect(transaction.verified?.payload.json.sorted == manifest["transaction"]?.sorted)
    let app = try root.verifyAppTransaction(token("app-transaction-production.jws"), expecting: expecting, at: now)
    #expect(app.verified?.payload.appAppleId == 123_456_789 && app.verified?.environment == .simulated)
    let otherNumber = SignedDataExpectations(apps: [AppIdentity(bundleId: "com.example.app", appAppleId: 1)])
    #expect(
      try root.verifyAppTransaction(token("app-transaction-production.jws"), expecting: otherNumber, at: now).failure?
        .code
        == .invalidAppIdentifier)
  }

  /// Apple's own test material: its root is of version 1, and the third certificate is not the root at all.
  @Test func `that Apple's own tests use is simulated under its root`() throws {
    let apple = try verifier("apple-models/certs/testCA.der")
    let transaction = apple.verifyTransaction(
      try Fixtures.text("apple-models/mock_signed_data/transactionInfo"),
      expecting: SignedDataExpectations(apps: [AppIdentity(bundleId: "com.example")], environments: [.simulated]),
      at: now)
    #expect(transaction.isValid && transaction.verified?.payload.environment == .known(.sandbox))
    let renewal = apple.verifyRenewalInfo(
      try Fixtures.text("apple-models/mock_signed_data/renewalInfo"), expecting: SignedDataExpectations(), at: now)
    #expect(renewal.isValid)
    let production = apple.verifyTransaction(
      try Fixtures.text("apple-models/mock_signed_data/transactionInfo"),
      expecting: SignedDataExpectations(environments: [.production]), at: now)
    #expect(production.failure?.code == .invalidEnvironment)
    let legacy = apple.verifyTransaction(
      try Fixtures.text("apple-models/mock_signed_data/legacyTransaction"), expecting: SignedDataExpectations(), at: now
    )
    #expect(legacy.failure?.code == .invalidFormat)
  }

  @Test func `of Xcode is refused, and accepted only by configuration`() throws {
    let transaction = try Fixtures.text("apple-models/xcode/xcode-signed-transaction")
    let app = try Fixtures.text("apple-models/xcode/xcode-signed-app-transaction")
    let production = try SignedDataVerifier(.production)
    #expect(
      production.verifyTransaction(transaction, expecting: SignedDataExpectations(), at: now).failedCheck
        == .chainLength)
    #expect(
      production.verifyAppTransaction(app, expecting: SignedDataExpectations(), at: now).failedCheck == .chainLength)
    let xcode = try SignedDataVerifier(SignedDataConfiguration(profile: .development, unsignedEnvironments: [.xcode]))
    let expecting = SignedDataExpectations(
      apps: [AppIdentity(bundleId: "com.example.naturelab.backyardbirds.example")], environments: [.xcode])
    let verified = try #require(xcode.verifyTransaction(transaction, expecting: expecting, at: now).verified)
    #expect(verified.payload.transactionId == "0" && verified.payload.productId == "pass.premium")
    // Xcode writes dates with a fraction of a millisecond; they are read without it.
    #expect(verified.payload.purchaseDate != nil && verified.payload.deviceVerification != nil)
    let verifiedApp = try #require(xcode.verifyAppTransaction(app, expecting: expecting, at: now).verified)
    #expect(verifiedApp.payload.originalPurchaseDate?.milliseconds == -62_135_769_600_000)
    let receipt = try Fixtures.text("apple-models/xcode/xcode-app-receipt-empty")
    #expect(xcode.verifyTransaction(receipt, expecting: expecting, at: now).failure?.code == .invalidFormat)
  }

  /// Apple's own chain tests, through the library.
  @Test func `has chains that are judged as Apple's own library judges them`() throws {
    let certificates = try Fixtures.json("apple-jws/chain-certs.json")
    func der(_ name: String) throws -> [UInt8] { try #require(Base64.decode(certificates[name]?.string ?? "")) }
    let test = try [
      der("LEAF_CERT_BASE64_ENCODED"), der("INTERMEDIATE_CA_BASE64_ENCODED"), der("ROOT_CA_BASE64_ENCODED"),
    ]
    let real = try [
      der("REAL_APPLE_SIGNING_CERTIFICATE_BASE64_ENCODED"), der("REAL_APPLE_INTERMEDIATE_BASE64_ENCODED"),
      der("REAL_APPLE_ROOT_BASE64_ENCODED"),
    ]
    let apple = try SignedDataVerifier(.production)
    let own = try SignedDataVerifier(
      SignedDataConfiguration(profile: .development, anchors: [X509Certificate(der: test[2])]))
    let date = Timestamp(seconds: 1_761_962_975)
    #expect(try own.verifyChain(test, validAt: date).anchor != .apple("Apple Root CA - G3"))
    #expect(try apple.verifyChain(real, validAt: date).anchor == .apple("Apple Root CA - G3"))
    func code(_ verifier: SignedDataVerifier, _ chain: [[UInt8]], seconds: Int64) -> SignedDataErrorCode? {
      do {
        _ = try verifier.verifyChain(chain, validAt: Timestamp(seconds: seconds))
        return nil
      } catch { return error.code }
    }
    #expect(code(apple, real, seconds: 1_681_312_846) == .expired)
    #expect(code(apple, real, seconds: 2_280_946_846) == .expired)
    #expect(code(apple, test, seconds: 1_761_962_975) == .invalidChain)
    #expect(code(own, Array(test.dropFirst()), seconds: 1_761_962_975) == .invalidChainLength)
    #expect(code(apple, [real[0], real[1], test[2]], seconds: 1_761_962_975) == .invalidChain)
    #expect(code(own, [real[0], real[1], test[2]], seconds: 1_761_962_975) == .invalidChain)
    #expect(code(apple, [test[0], real[1], real[2]], seconds: 1_761_962_975) == .invalidChain)
  }
}
