import AppStoreProtocol
package import Cryptography
package import PaymentPrimitives
import SigningAuthorities
import SimulatorCore

/// Signs like the App Store, with certificates that name a simulator.
///
/// The chain has Apple's shape (rules AS-KEY-1 to AS-KEY-4): a root and an intermediate on P-384, a leaf on P-256, the
/// two markers, validities of 25 years, 15 years and 25 months. The markers are defined again here, not taken from the
/// verifier: a simulator must not share the verifier's mistakes.
package struct SimulatedSigningAuthority: Sendable {
  /// The root. A server that is configured to trust it accepts what is signed here, as simulated.
  package let root: X509Certificate
  /// The intermediate of the first leaf and of those before it.
  package let intermediate: X509Certificate

  let rootKey: ECDSAPrivateKey
  let seed: [UInt8]
  let firstDay: Timestamp

  private static let name = "Counterfoil Simulator"
  /// The leaves within the validity of the first intermediates.
  static let leafNumbers: ClosedRange<Int64> = -3...5
  /// Days after which the next leaf signs; both are valid for some weeks.
  static let leafDays: Int64 = 730

  /// An authority made of given random bytes: the same bytes and moment give the same keys and certificates.
  ///
  /// - Parameters:
  ///   - seed: at least 48 unpredictable bytes.
  ///   - moment: the creation time; the certificates' validity is computed from it.
  package init(seed: [UInt8], createdAt moment: Timestamp) {
    self.seed = seed
    let day = Timestamp(milliseconds: moment.milliseconds - moment.milliseconds % 86_400_000)
    firstDay = day
    rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: Self.bytes(seed, "root"))
    var builder = X509CertificateBuilder(
      subject: Self.subject("Test Root CA, not Apple's"), serialNumber: Self.serialNumber(seed, "root"),
      notBefore: day - .days(10 * 365), notAfter: day + .days(15 * 365))
    builder.basicConstraints = .authority()
    builder.keyUsage = [.keyCertSign, .cRLSign]
    root = builder.selfSigned(by: rootKey)
    intermediate =
      Self.intermediate("intermediate", of: seed, since: day, by: root, rootKey, statusAddress: nil).certificate
  }

  private static func intermediate(
    _ role: String, of seed: [UInt8], since day: Timestamp, by root: X509Certificate, _ rootKey: ECDSAPrivateKey,
    statusAddress: String?
  ) -> (certificate: X509Certificate, key: ECDSAPrivateKey) {
    let key = ECDSAPrivateKey(curve: .p384, randomBytes: bytes(seed, role))
    var builder = X509CertificateBuilder(
      subject: subject("Test Developer Relations CA, not Apple's"), serialNumber: serialNumber(seed, role),
      notBefore: day - .days(5 * 365), notAfter: day + .days(10 * 365))
    builder.basicConstraints = .authority(pathLength: 0)
    builder.keyUsage = [.keyCertSign, .cRLSign]
    builder.extensions =
      [.marker(AppleShapedAuthority.intermediateMarker)] + (statusAddress.map { [.statusAddress($0)] } ?? [])
    return (builder.issued(to: key.publicKey, by: root, key: rootKey), key)
  }

  /// The intermediate with the name of its key.
  func intermediate(
    _ role: String, statusAddress: String?
  ) -> (certificate: X509Certificate, key: ECDSAPrivateKey) {
    Self.intermediate(role, of: seed, since: firstDay, by: root, rootKey, statusAddress: statusAddress)
  }

  package var rootPEM: String { PEM.text(label: "CERTIFICATE", bytes: root.der) }

  /// The number of the leaf that signs at a moment: 0 for the first two years, then 1.
  func leafNumber(at moment: Timestamp) -> Int64 {
    let days = (moment - firstDay).milliseconds / 86_400_000
    // No leaf exists before or after the intermediate's validity; the first or last leaf signs then, and its signature
    // is not valid.
    return min(
      max(
        days >= 0 ? days / Self.leafDays : (days - Self.leafDays + 1) / Self.leafDays, Self.leafNumbers.lowerBound),
      Self.leafNumbers.upperBound)
  }

  /// The signing chain with these certificates. Creating it takes some milliseconds, so callers that sign often keep
  /// it.
  func signingChain(_ certificates: SigningCertificates, statusAddress: String?) -> SigningChain {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: Self.bytes(seed, certificates.leafRole))
    let start = firstDay + .days(certificates.leaf * Self.leafDays)
    var builder = X509CertificateBuilder(
      subject: Self.subject("Test Receipt Signing, not Apple's"),
      serialNumber: Self.serialNumber(seed, certificates.leafRole),
      notBefore: start - .days(20), notAfter: start + .days(Self.leafDays + 15))
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    builder.extensions =
      [.marker(AppleShapedAuthority.leafMarker)] + (statusAddress.map { [.statusAddress($0)] } ?? [])
    let authority = intermediate(certificates.intermediateRole, statusAddress: statusAddress)
    let leaf = builder.issued(to: key.publicKey, by: authority.certificate, key: authority.key)
    return SigningChain(leafKey: key, certificates: [leaf, authority.certificate, root])
  }

  static func subject(_ role: String) -> X509NameParts {
    X509NameParts(commonName: "\(name) \(role)", organization: name)
  }

  /// The bytes for one key; they reveal nothing about another key.
  static func bytes(_ seed: [UInt8], _ role: String) -> [UInt8] {
    precondition(seed.count >= SimulatorOrigin.seedByteCount, "an authority needs 48 random bytes")
    return DigestFunction.sha384.hash(seed + Array("\(name) key: \(role)".utf8))
  }

  /// 64 bits, as Apple's have; positive and never zero.
  static func serialNumber(_ seed: [UInt8], _ role: String) -> [UInt8] {
    var bytes = Array(SHA256.hash(seed + Array("\(name) serial number: \(role)".utf8)).prefix(8))
    bytes[0] = bytes[0] & 0x3F | 0x40
    return bytes
  }
}
