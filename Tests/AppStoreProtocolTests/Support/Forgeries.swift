import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing

/// Data that must be refused, and the check and code that must refuse it. Each is wrong in one respect only, so that a
/// verifier without that check would accept it.
struct Forgery: Sendable, CustomTestStringConvertible {
  let name: String
  let check: SignedDataCheck
  let code: SignedDataErrorCode
  let token: String
  var kind = SignedDataKind.transaction
  var expectations = TestAppStore.expectations

  var testDescription: String { name }

  init(
    _ name: String, _ check: SignedDataCheck, code: SignedDataErrorCode, token: String,
    kind: SignedDataKind = .transaction, expecting expectations: SignedDataExpectations = TestAppStore.expectations
  ) {
    self.name = name
    self.check = check
    self.code = code
    self.token = token
    self.kind = kind
    self.expectations = expectations
  }

  /// The roots that the verifier of a forgery trusts.
  static let configuration = SignedDataConfiguration(
    profile: .development, anchors: [TestAppStore.authority.root, ChainRecipe.trustedRoot] + furtherRoots)

  /// The parts of a verdict that forgeries test.
  func judge(
    _ verifier: SignedDataVerifier
  ) -> (isValid: Bool, check: SignedDataCheck?, code: SignedDataErrorCode?) {
    let now = TestAppStore.now
    switch kind {
    case .transaction: return Self.outcome(verifier.verifyTransaction(token, expecting: expectations, at: now))
    case .renewalInfo: return Self.outcome(verifier.verifyRenewalInfo(token, expecting: expectations, at: now))
    case .appTransaction: return Self.outcome(verifier.verifyAppTransaction(token, expecting: expectations, at: now))
    case .realtimeRequest: return Self.outcome(verifier.verifyRealtimeRequest(token, expecting: expectations, at: now))
    case .notification:
      return Self.outcome(verifier.verifyNotification(token, expecting: expectations, at: now).notification)
    }
  }

  private static func outcome<Payload>(
    _ verdict: SignedDataVerdict<Payload>
  ) -> (isValid: Bool, check: SignedDataCheck?, code: SignedDataErrorCode?) {
    (verdict.isValid, verdict.failedCheck, verdict.failure?.code)
  }

  static let all =
    ofEnvelope + ofHeader + ofPayload + ofChainForm + ofChainRoles + ofChainTrust + ofSignature + ofNotification
}

private let good = TestAppStore.chain.sign(TestAppStore.transaction)
private let parts = good.split(separator: ".").map(String.init)

private func signed(_ changes: [(String, JSONValue?)]) -> String {
  TestAppStore.chain.sign(TestAppStore.transaction.with(changes))
}

private func headed(_ changes: [(String, JSONValue?)], _ chain: SigningChain = TestAppStore.chain) -> String {
  chain.sign(TestAppStore.transaction.bytes, header: TestAppStore.header(changes, chain))
}

extension Forgery {
  static let ofEnvelope: [Forgery] = [
    Forgery(
      "more than 256 KiB", .size, code: .signedDataTooLarge,
      token: signed([("filler", .string(String(repeating: "x", count: 200_000)))])),
    Forgery("a fourth part", .form, code: .invalidFormat, token: good + ".YQ"),
    Forgery("two parts", .form, code: .invalidFormat, token: parts[0] + "." + parts[1]),
    Forgery("an empty signature", .form, code: .invalidFormat, token: parts[0] + "." + parts[1] + "."),
    Forgery("nothing", .form, code: .invalidFormat, token: ""),
    Forgery("a padded payload", .form, code: .invalidFormat, token: parts[0] + "." + parts[1] + "=." + parts[2]),
    Forgery("a line end behind it", .form, code: .invalidFormat, token: good + "\n"),
    Forgery("a header that is no JSON", .form, code: .invalidFormat, token: "YQ." + parts[1] + "." + parts[2]),
    Forgery("a payload that is no JSON", .form, code: .invalidFormat, token: parts[0] + ".YQ." + parts[2]),
    Forgery(
      "a header that is a list", .form, code: .invalidFormat,
      token: TestAppStore.chain.sign(TestAppStore.transaction.bytes, header: Array("[]".utf8))),
    Forgery("x5c that is a text", .form, code: .invalidFormat, token: headed([("x5c", .string("MIIB"))])),
    Forgery(
      "x5c that holds a number", .form, code: .invalidFormat,
      token: headed([("x5c", .array([.integer(1), .integer(2), .integer(3)]))])),
    Forgery(
      "alg twice (A3)", .form, code: .invalidFormat,
      token: TestAppStore.chain.sign(
        TestAppStore.transaction.bytes, header: Array(#"{"alg":"none","#.utf8) + TestAppStore.header([]).dropFirst())),
    Forgery(
      "productId twice (A3)", .form, code: .invalidFormat,
      token: TestAppStore.chain.sign(
        Array(#"{"productId":"com.example.coins1000","#.utf8) + TestAppStore.transaction.bytes.dropFirst())),
  ]

  static let ofHeader: [Forgery] =
    ["none", "None", "HS256", "HS384", "RS256", "PS256", "ES384", "ES512", "ES256K", "EdDSA", "es256", "ES256 ", ""].map
  {
    Forgery("alg \($0) (A3)", .algorithm, code: .invalidAlgorithm, token: headed([("alg", .string($0))]))
  } + [
    Forgery("no alg (A3)", .algorithm, code: .invalidAlgorithm, token: headed([("alg", nil)])),
    Forgery(
      "alg that is a list (A3)", .algorithm, code: .invalidAlgorithm,
      token: headed([("alg", .array([.string("ES256")]))])),
    Forgery("HMAC with the leaf's public key (A3)", .algorithm, code: .invalidAlgorithm, token: hmacToken),
  ]
    + ["jwk", "jku", "x5u", "x5t", "x5t#S256", "crit", "b64", "enc", "zip"].map {
      Forgery(
        "a member \($0) (A2)", .keyHeaders, code: .invalidHeader,
        token: headed([($0, .members([("kty", .string("EC"))]))]))
    }

  private static let hmacToken = CompactJWS.token(
    header: TestAppStore.header([("alg", .string("HS256"))]), payload: TestAppStore.transaction.bytes
  ) { HMACSHA256.code(for: $0, key: Secret(TestAppStore.chain.certificates[0].publicKey?.spki ?? [])) }

  static let ofPayload: [Forgery] =
    [
      ("quantity", .string("1")), ("price", .string("999")), ("price", .number("1e3")), ("productId", .integer(1)),
      ("storefront", .array([])), ("isUpgraded", .string("true")), ("isUpgraded", .integer(1)),
      ("revocationReason", .string("1")), ("type", .integer(1)), ("expiresDate", .string("tomorrow")),
      ("advancedCommerceInfo", .string("x")),
      ("commitmentInfo", .members([("commitmentPrice", .string("1"))])),
    ].map { (name: String, value: JSONValue) in
      Forgery("\(name): \(value.text)", .payload, code: .malformedPayload, token: signed([(name, value)]))
    } + [
      Forgery(
        "renewal information as a transaction", .kind, code: .unexpectedKind,
        token: TestAppStore.chain.sign(TestAppStore.renewalInfo)),
      Forgery(
        "an app transaction as a transaction", .kind, code: .unexpectedKind,
        token: TestAppStore.chain.sign(TestAppStore.appTransaction)),
      Forgery(
        "a notification as a transaction", .kind, code: .unexpectedKind,
        token: TestAppStore.chain.sign(TestAppStore.notification())),
      Forgery("a transaction as renewal information", .kind, code: .unexpectedKind, token: good, kind: .renewalInfo),
      Forgery("a transaction as a notification", .kind, code: .unexpectedKind, token: good, kind: .notification),
      Forgery(
        "another app (A4)", .appIdentifier, code: .invalidAppIdentifier,
        token: signed([
          (
            "bundleId",
            .string("com.example.other")
          )
        ])),
      Forgery(
        "the app in capitals (A4)", .appIdentifier, code: .invalidAppIdentifier,
        token: signed([("bundleId", .string("com.example.App"))])),
      Forgery("no app (A4)", .appIdentifier, code: .invalidAppIdentifier, token: signed([("bundleId", nil)])),
      Forgery(
        "another number in production (A4)", .appIdentifier, code: .invalidAppIdentifier,
        token: TestAppStore.chain.sign(TestAppStore.appTransaction.with([("appAppleId", .integer(5))])),
        kind: .appTransaction),
      Forgery(
        "no number in production (A4)", .appIdentifier, code: .invalidAppIdentifier,
        token: TestAppStore.chain.sign(TestAppStore.appTransaction.with([("appAppleId", nil)])),
        kind: .appTransaction),
      Forgery(
        "another number in a question (A4)", .appIdentifier, code: .invalidAppIdentifier,
        token: TestAppStore.chain.sign(TestAppStore.realtimeRequest.with([("appAppleId", .integer(5))])),
        kind: .realtimeRequest),
      Forgery(
        "signed in the future", .signedDate, code: .signedInTheFuture,
        token: signed([("signedDate", .integer((TestAppStore.now + .milliseconds(60_001)).milliseconds))])),
    ]
}
