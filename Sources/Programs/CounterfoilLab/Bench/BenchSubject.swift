import AppStoreProtocol
import CounterfoilCLI
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// The input of `bench verify`: tokens of the size of Apple's under a root of its own, and bogus ones.
struct BenchSubject {
  private static let now = Timestamp(seconds: 1_795_000_000)
  private static let bundleId = "com.example.app"
  private static let tokensMax = 64

  private let verifier: SignedDataVerifier
  private let busy: SignedDataVerifier
  private let expectations: SignedDataExpectations
  private let tokens: [String]
  private let forgedPayload: [String]
  private let otherApp: [String]
  private let strangers: [String]
  private let noAlgorithm: [String]
  private let garbage: [String]
  private let plain: (key: ECDSAPublicKey, digest: [UInt8], verification: RepeatedVerification)
  private let parts: (payload: [UInt8], payloadBytes: [UInt8], value: JSONValue, signature: [UInt8])
  private let signatures: PrefixedSignatureVerifier

  init() {
    let validity = (Self.now - .days(100), Self.now + .days(100))
    let chain = Self.chain("Bench", seed: 1, validity)
    expectations = SignedDataExpectations(
      apps: [AppIdentity(bundleId: Self.bundleId, appAppleId: 1)], environments: [.simulated])
    let anchors = chain.certificates.suffix(1)
    var stingy = SignedDataLimits()
    stingy.unknownChainsBurst = 0
    stingy.unknownChainsPerSecond = 0
    do {
      verifier = try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: Array(anchors)))
      busy = try SignedDataVerifier(
        SignedDataConfiguration(profile: .development, anchors: Array(anchors)), limits: stingy)
    } catch {
      preconditionFailure("a development configuration may name roots")
    }
    let turns = 0..<Self.tokensMax
    let tokens = turns.map { chain.sign(Self.payload($0, bundleId: Self.bundleId)) }
    self.tokens = tokens
    otherApp = turns.map { chain.sign(Self.payload($0, bundleId: "com.example.other")) }
    forgedPayload = turns.map { turn in
      let own = tokens[turn].split(separator: ".")
      let other = tokens[(turn + 1) % Self.tokensMax].split(separator: ".")
      return "\(own[0]).\(own[1]).\(other[2])"
    }
    let stranger = Self.chain("Stranger", seed: 2, validity)
    strangers = turns.map { turn in
      stranger.sign(
        Self.payload(turn, bundleId: Self.bundleId).bytes,
        header: Self.header(stranger, algorithm: "ES256", note: turn))
    }
    noAlgorithm = turns.map { turn in
      chain.sign(
        Self.payload(turn, bundleId: Self.bundleId).bytes,
        header: Self.header(chain, algorithm: "none", note: turn))
    }
    garbage = turns.map { turn in
      Base64URL.encode((0..<3900).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ turn) })
    }
    let segments = tokens[0].split(separator: ".").map { Array($0.utf8) }
    let payloadBytes = Base64URL.decode(segments[1]) ?? []
    let signature = Base64URL.decode(segments[2]) ?? []
    parts = (segments[1], payloadBytes, Self.payload(0, bundleId: Self.bundleId), signature)
    guard let key = chain.certificates[0].publicKey,
      let raw = ECDSASignature(raw: signature, curve: .p256)
    else { preconditionFailure("the bench's own chain is on P-256") }
    signatures = PrefixedSignatureVerifier(key: key, beginning: segments[0] + [0x2E])
    let digest = SHA256.hash(segments[0] + [0x2E] + segments[1])
    plain = (key, digest, RepeatedVerification(key: key, signature: raw, digest: digest))
  }

  /// OpenSSL alone: one P-256 verification of a digest, with everything prepared, as `openssl speed ecdsap256` does it.
  func verifyPlainly(_ turn: Int) {
    precondition(plain.verification.isValid())
  }

  func verifyTransaction(_ turn: Int) {
    let verdict = verifier.verifyTransaction(
      tokens[turn % Self.tokensMax], expecting: expectations, at: Self.now)
    precondition(verdict.isValid)
  }

  func verifyForgedPayload(_ turn: Int) { refuse(forgedPayload, turn, verifier: verifier, code: .invalidSignature) }

  /// The kinds of bogus tokens that need no signature check, each with one step.
  var bogusTokens: [(String, (Int) -> Void)] {
    [
      ("no token at all", { refuse(garbage, $0, verifier: verifier, code: .invalidFormat) }),
      ("alg none", { refuse(noAlgorithm, $0, verifier: verifier, code: .invalidAlgorithm) }),
      ("another app", { refuse(otherApp, $0, verifier: verifier, code: .invalidAppIdentifier) }),
      ("a chain that was refused before", { refuse(strangers, $0, verifier: verifier, code: .invalidChain) }),
      ("an unknown chain beyond the budget", { refuse(strangers, $0, verifier: busy, code: .verificationBusy) }),
    ]
  }

  /// The parts of a verification that can run alone.
  var steps: [(String, (Int) -> Void)] {
    [
      (
        "digest of the rest, and the signature",
        { _ in precondition(signatures.isValid(parts.signature, forRest: parts.payload)) }
      ),
      ("Base64URL of the payload", { _ in precondition(Base64URL.decode(parts.payload) != nil) }),
      ("strict JSON", { _ in precondition((try? JSONReader.read(parts.payloadBytes)) != nil) }),
      (
        "fields of the payload",
        { _ in
          precondition((try? JWSTransactionDecodedPayload(PayloadFields(parts.value))) != nil)
        }
      ),
    ]
  }

  private func refuse(
    _ tokens: [String], _ turn: Int, verifier: SignedDataVerifier, code: SignedDataErrorCode
  ) {
    let verdict = verifier.verifyTransaction(
      tokens[turn % Self.tokensMax], expecting: expectations, at: Self.now)
    precondition(verdict.failure?.code == code)
  }

  /// A chain in the form of Apple's, padded to the size of Apple's own certificates (1,076, 794 and 583 bytes).
  static func chain(
    _ name: String, seed: UInt8, _ validity: (Timestamp, Timestamp)
  ) -> SigningChain {
    let keys = [EllipticCurve.p384, .p384, .p256].map {
      ECDSAPrivateKey(curve: $0, randomBytes: [UInt8](repeating: seed, count: 48))
    }
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Root CA"), serialNumber: [1], notBefore: validity.0,
      notAfter: validity.1)
    builder.basicConstraints = .authority()
    builder.extensions = [filler(60)]
    let root = builder.selfSigned(by: keys[0])
    builder.subject.commonName = "\(name) Intermediate CA"
    builder.extensions = [filler(250), .marker("1.2.840.113635.100.6.2.1")]
    let intermediate = builder.issued(to: keys[1].publicKey, by: root, key: keys[0])
    builder.subject.commonName = "\(name) Receipt Signing"
    builder.basicConstraints = .endEntity
    builder.extensions = [filler(560), .marker("1.2.840.113635.100.6.11.1")]
    let leaf = builder.issued(to: keys[2].publicKey, by: intermediate, key: keys[1])
    return SigningChain(leafKey: keys[2], certificates: [leaf, intermediate, root])
  }

  private static func filler(_ count: Int) -> X509Extension {
    X509Extension("1.2.3.4.5", value: [UInt8](repeating: 0x5A, count: count))
  }

  private static func header(_ chain: SigningChain, algorithm: String, note: Int) -> [UInt8] {
    JSONValue.members([
      ("alg", .string(algorithm)), ("kid", .string("bench-\(note)")),
      ("x5c", .array(chain.certificates.map { .string(Base64.encode($0.der)) })),
    ]).bytes
  }

  /// A one-time charge with the fields of a genuine one.
  private static func payload(_ turn: Int, bundleId: String) -> JSONValue {
    .members([
      ("transactionId", .string("20000009435690\(10 + turn)")),
      ("originalTransactionId", .string("20000009435690\(10 + turn)")),
      ("bundleId", .string(bundleId)), ("productId", .string("com.example.app.coins60")),
      ("purchaseDate", .integer(now.milliseconds - 2000)), ("originalPurchaseDate", .integer(now.milliseconds - 2000)),
      ("quantity", .integer(1)), ("type", .string("Consumable")),
      ("appAccountToken", .string("7e3fb20b-4cdb-47cc-936d-99d65f608138")),
      ("inAppOwnershipType", .string("PURCHASED")),
      ("signedDate", .integer(now.milliseconds - 1000)), ("environment", .string("Sandbox")),
      ("transactionReason", .string("PURCHASE")), ("storefront", .string("CHN")), ("storefrontId", .string("143465")),
      ("price", .integer(6000)), ("currency", .string("CNY")), ("appTransactionId", .string("704602545134226826")),
      ("deviceVerification", .string("kqXrhLTvbgRkWCaXFq6mpvHBYxQZ0AMcOJGQKRnbb4HhrFdWEGbbUJvdcHKJDDZh")),
      ("deviceVerificationNonce", .string("48ccfa42-7431-4f22-9908-7e88983e105a")),
    ])
  }
}
