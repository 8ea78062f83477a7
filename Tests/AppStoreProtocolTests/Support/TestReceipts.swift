import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities

/// Our own receipts for tests, by an authority shaped like Apple's.
enum TestReceipts {
  static let created = TestAppStore.signedDate
  static let device: [UInt8] = Array(1...16)

  static let chain = ReceiptRecipe().chain

  static let expectations = TestAppStore.expectations

  static let configuration = SignedDataConfiguration(profile: .development, anchors: [ReceiptRecipe.trustedRoot])

  static func verifier(_ limits: SignedDataLimits = SignedDataLimits()) throws -> ReceiptVerifier {
    try ReceiptVerifier(configuration, limits: limits, intermediates: [chain.certificates[1]])
  }

  /// The content of an app receipt with two purchases.
  static func content(
    bundleId: String? = TestAppStore.bundleId, created: Timestamp? = created, environment: String = "Production",
    appItemId: Int64 = TestAppStore.appAppleId, device: [UInt8]? = device,
    _ further: (inout AppReceiptContent) -> Void = { _ in }
  ) -> AppReceiptContent {
    var content = AppReceiptContent()
    content.add(0, text: environment)
    content.add(1, number: appItemId)
    if let bundleId { content.add(2, text: bundleId) }
    content.add(3, text: "1.2.3")
    if let device { content.add(device: device, opaqueValue: [9, 8, 7, 6], bundleId: bundleId ?? "") }
    if let created { content.add(12, date: created) }
    content.add(purchase: coins())
    content.add(purchase: month)
    content.add(18, ascii: "2013-08-01T07:00:00Z")
    content.add(19, text: "1.0")
    content.add(25, number: 3)
    further(&content)
    return content
  }

  /// A consumable in which some fields can be omitted.
  static func coins(leavingOut missing: Set<Int64> = []) -> AppReceiptContent {
    var purchase = AppReceiptContent()
    if !missing.contains(1701) { purchase.add(1701, number: 2) }
    if !missing.contains(1702) { purchase.add(1702, text: "com.example.coins60") }
    if !missing.contains(1703) { purchase.add(1703, text: "2000000943569033") }
    if !missing.contains(1704) { purchase.add(1704, date: created - .seconds(2)) }
    if !missing.contains(1705) { purchase.add(1705, text: "2000000943569033") }
    if !missing.contains(1706) { purchase.add(1706, date: created - .seconds(2)) }
    if !missing.contains(1707) { purchase.add(1707, number: 1) }
    purchase.add(1708, date: nil)
    purchase.add(1711, number: 0)
    purchase.add(1712, date: nil)
    return purchase
  }

  static let month: AppReceiptContent = {
    var purchase = AppReceiptContent()
    purchase.add(1701, number: 1)
    purchase.add(1702, text: "com.example.month")
    purchase.add(1703, text: "2000000943569044")
    purchase.add(1704, date: created - .seconds(3))
    purchase.add(1705, text: "2000000943569001")
    purchase.add(1706, date: created - .days(30))
    purchase.add(1707, number: 3)
    purchase.add(1708, date: created + .days(30))
    purchase.add(1711, number: 2_000_000_093_456_789)
    purchase.add(1712, date: nil)
    purchase.add(1713, number: 0)
    purchase.add(1719, number: 1)
    purchase.add(1799, number: 5)
    return purchase
  }()

  /// What a transaction receipt signs.
  static func fields(
    bundleId: String = TestAppStore.bundleId, purchased: Timestamp? = created
  ) -> [(name: String, value: String)] {
    let date = purchased.map { "\($0.iso8601.prefix(10)) \($0.iso8601.dropFirst(11).prefix(8)) Etc/GMT" }
    let dates: [(name: String, value: String)] =
      date.map { [("purchase-date", $0), ("original-purchase-date", $0)] } ?? []
    return [
      ("original-transaction-id", "1000000046178817"), ("bvrs", "1.0"), ("transaction-id", "1000000046178817"),
      ("quantity", "1"), ("product-id", "com.example.\"coins\\60"), ("item-id", "498512345"), ("bid", bundleId),
    ] + dates
  }
}

/// A receipt's chain in which any link can be made wrong.
struct ReceiptRecipe {
  private static let rootKey = RSAPrivateKey(randomBytes: TestAppStore.seed(21))
  private static let intermediateKey = RSAPrivateKey(randomBytes: TestAppStore.seed(22))
  private static let signerKey = RSAPrivateKey(randomBytes: TestAppStore.seed(23))
  static let shortKey = RSAPrivateKey(shortFromRandomBytes: TestAppStore.seed(24))
  static let otherKey = signerKey

  var root = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Made for tests Receipt Root CA"), serialNumber: [1],
    notBefore: TestAppStore.now - .days(3650), notAfter: TestAppStore.now + .days(3650))
  var intermediate = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Made for tests Receipt Intermediate CA"), serialNumber: [2],
    notBefore: TestAppStore.now - .days(3000), notAfter: TestAppStore.now + .days(3000))
  var signer = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Made for tests Receipt Signing"), serialNumber: [3],
    notBefore: TestAppStore.now - .days(300), notAfter: TestAppStore.now + .days(300))
  var key = Self.signerKey
  /// The real signer of the intermediate, if it differs from the root.
  var intermediateSigner = Self.rootKey
  /// The real signer of the signer's certificate, if it differs from the intermediate.
  var signerSigner = Self.intermediateKey
  /// A key on a curve with an unusual digest, if the root has one.
  var ellipticRoot: ECDSAPrivateKey?

  init(_ change: (inout ReceiptRecipe) -> Void = { _ in }) {
    root.basicConstraints = .authority()
    root.keyUsage = [.keyCertSign]
    intermediate.basicConstraints = .authority(pathLength: 0)
    intermediate.keyUsage = [.keyCertSign]
    intermediate.extensions = [.marker("1.2.840.113635.100.6.2.1")]
    signer.basicConstraints = .endEntity
    signer.keyUsage = .digitalSignature
    signer.extensions = [.marker("1.2.840.113635.100.6.11.1")]
    change(&self)
  }

  var chain: ReceiptSigningChain {
    let rootCertificate =
      ellipticRoot.map { root.selfSigned(by: $0) } ?? root.selfSigned(by: Self.rootKey, digest: .sha1)
    let intermediateCertificate =
      ellipticRoot.map { intermediate.issued(to: Self.intermediateKey.publicKey, by: rootCertificate, key: $0) }
      ?? intermediate.issued(to: Self.intermediateKey.publicKey, by: rootCertificate, key: intermediateSigner)
    let certificate = signer.issued(to: key.publicKey, by: intermediateCertificate, key: signerSigner, digest: .sha1)
    return ReceiptSigningChain(key: key, certificates: [certificate, intermediateCertificate, rootCertificate])
  }

  /// The root of the unchanged recipe, which the tests trust.
  static let trustedRoot = ReceiptRecipe().chain.certificates[2]
}
