import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures

/// Our own App Store for tests: an authority shaped like Apple's, and samples of everything that it signs.
enum TestAppStore {
  static let now = Timestamp(seconds: 1_795_000_000)
  static let signedDate = now - .minutes(5)
  static let bundleId = "com.example.app"
  static let appAppleId: Int64 = 123_456_789

  static let authority = AppleShapedAuthority(
    name: "Made for tests", randomBytes: seed(1), notBefore: now - .days(3650), notAfter: now + .days(3650))

  static let chain = authority.signingChain(
    serialNumber: 100, randomBytes: seed(2), notBefore: now - .days(365), notAfter: now + .days(365))

  static let expectations = SignedDataExpectations(
    apps: [AppIdentity(bundleId: bundleId, appAppleId: appAppleId)], environments: [.simulated])

  static let configuration = SignedDataConfiguration(profile: .development, anchors: [authority.root])

  static func verifier(_ limits: SignedDataLimits = SignedDataLimits()) throws -> SignedDataVerifier {
    try SignedDataVerifier(configuration, limits: limits)
  }

  /// 48 bytes that depend on their seed only.
  static func seed(_ number: UInt64) -> [UInt8] {
    DigestFunction.sha384.hash("made for tests \(number)".utf8)
  }

  static let transaction: JSONValue = .members([
    ("transactionId", .string("2000000943569033")), ("originalTransactionId", .string("2000000943569033")),
    ("bundleId", .string(bundleId)), ("productId", .string("com.example.coins60")),
    ("purchaseDate", .integer(signedDate.milliseconds - 1000)),
    ("originalPurchaseDate", .integer(signedDate.milliseconds - 1000)), ("quantity", .integer(1)),
    ("type", .string("Consumable")), ("appAccountToken", .string("7e3fb20b-4cdb-47cc-936d-99d65f608138")),
    ("inAppOwnershipType", .string("PURCHASED")), ("signedDate", .integer(signedDate.milliseconds)),
    ("environment", .string("Production")), ("transactionReason", .string("PURCHASE")), ("storefront", .string("CHN")),
    ("storefrontId", .string("143465")), ("price", .integer(6000)), ("currency", .string("CNY")),
    ("appTransactionId", .string("704602545134226826")),
  ])

  static let renewalInfo: JSONValue = .members([
    ("originalTransactionId", .string("2000000943565530")), ("autoRenewProductId", .string("com.example.month")),
    ("productId", .string("com.example.month")), ("autoRenewStatus", .integer(1)),
    ("signedDate", .integer(signedDate.milliseconds)), ("environment", .string("Production")),
  ])

  static let appTransaction: JSONValue = .members([
    ("receiptType", .string("Production")), ("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId)),
    ("applicationVersion", .string("1.2.3")), ("receiptCreationDate", .integer(signedDate.milliseconds)),
    ("originalApplicationVersion", .string("1.0")), ("originalPlatform", .string("iOS")),
  ])

  static let realtimeRequest: JSONValue = .members([
    ("originalTransactionId", .string("2000000943565530")), ("appAppleId", .integer(appAppleId)),
    ("productId", .string("com.example.month")), ("userLocale", .string("zh-Hans")),
    ("requestIdentifier", .string("3db5c98d-8acf-4e29-831e-8e1f82f9f6e9")),
    ("environment", .string("Production")), ("signedDate", .integer(signedDate.milliseconds)),
  ])

  /// A notification of a one-time charge, with the transaction signed inside.
  static func notification(
    transaction token: String? = chain.sign(transaction), renewalInfo: String? = nil
  ) -> JSONValue {
    .members([
      ("notificationType", .string("ONE_TIME_CHARGE")),
      ("notificationUUID", .string("002e14d5-51f5-4503-b5a8-c3a1af68eb20")),
      (
        "data",
        .members([
          ("environment", .string("Production")), ("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId)),
          ("signedTransactionInfo", token.map { .string($0) }),
          ("signedRenewalInfo", renewalInfo.map { .string($0) }),
        ])
      ), ("version", .string("2.0")), ("signedDate", .integer(signedDate.milliseconds)),
    ])
  }

  /// A header with some members changed.
  static func header(_ changes: [(String, JSONValue?)], _ chain: SigningChain = chain) -> [UInt8] {
    JSONValue.members([
      ("alg", .string("ES256")),
      ("x5c", .array(chain.certificates.map { .string(Base64.encode($0.der)) })),
    ]).with(changes).bytes
  }
}

/// A chain in which any link can be made wrong.
struct ChainRecipe {
  var root = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Made for tests Root CA", organization: "Made for tests"), serialNumber: [1],
    notBefore: TestAppStore.now - .days(3650), notAfter: TestAppStore.now + .days(3650))
  var intermediate = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Intermediate CA"), serialNumber: [2],
    notBefore: TestAppStore.now - .days(3000), notAfter: TestAppStore.now + .days(3000))
  var leaf = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Receipt Signing"), serialNumber: [3],
    notBefore: TestAppStore.now - .days(300), notAfter: TestAppStore.now + .days(300))
  var rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: TestAppStore.seed(11))
  var intermediateKey = ECDSAPrivateKey(curve: .p384, randomBytes: TestAppStore.seed(12))
  var leafKey = ECDSAPrivateKey(curve: .p256, randomBytes: TestAppStore.seed(13))
  /// The real signer, if it differs from the named issuer.
  var intermediateSigner: ECDSAPrivateKey?
  var leafSigner: ECDSAPrivateKey?
  /// The issuer that the leaf names, if it differs from the intermediate.
  var namedIssuer: X509Certificate?

  init() {
    root.basicConstraints = .authority()
    root.keyUsage = [.keyCertSign]
    intermediate.basicConstraints = .authority(pathLength: 0)
    intermediate.keyUsage = [.keyCertSign]
    intermediate.extensions = [.marker("1.2.840.113635.100.6.2.1")]
    leaf.basicConstraints = .endEntity
    leaf.keyUsage = .digitalSignature
    leaf.extensions = [.marker("1.2.840.113635.100.6.11.1")]
  }

  init(_ change: (inout ChainRecipe) -> Void) {
    self.init()
    change(&self)
  }

  var chain: SigningChain {
    let root = root.selfSigned(by: rootKey)
    let intermediate = intermediate.issued(
      to: intermediateKey.publicKey, by: root, key: intermediateSigner ?? rootKey)
    let leaf = leaf.issued(
      to: leafKey.publicKey, by: namedIssuer ?? intermediate, key: leafSigner ?? intermediateKey)
    return SigningChain(leafKey: leafKey, certificates: [leaf, intermediate, root])
  }

  /// The root of the unchanged recipe, which the tests trust.
  static let trustedRoot = ChainRecipe().chain.certificates[2]
}
