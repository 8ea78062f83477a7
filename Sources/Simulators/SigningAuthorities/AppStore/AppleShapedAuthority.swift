package import Cryptography
package import PaymentPrimitives

/// A certificate authority shaped like Apple's. The root and the intermediate are on P-384 with Apple's marker. The
/// leaves are on P-256 with Apple's other marker.
package struct AppleShapedAuthority: Sendable {
  /// The extensions with which Apple marks its leaves and intermediates.
  package static let leafMarker: ASN1ObjectIdentifier = "1.2.840.113635.100.6.11.1"
  package static let intermediateMarker: ASN1ObjectIdentifier = "1.2.840.113635.100.6.2.1"

  /// The root. Configure it as an anchor to accept data of this authority.
  package let root: X509Certificate
  package let intermediate: X509Certificate

  private let intermediateKey: ECDSAPrivateKey
  private let name: String

  /// An authority from the given random bytes: the same bytes give the same keys and certificates.
  ///
  /// - Parameters:
  ///   - name: part of all its certificates, so that they cannot be confused with Apple's.
  ///   - randomBytes: at least 48 unpredictable bytes.
  package init(name: String, randomBytes: [UInt8], notBefore: Timestamp, notAfter: Timestamp) {
    self.name = name
    let rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: randomBytes + [0x72])
    intermediateKey = ECDSAPrivateKey(curve: .p384, randomBytes: randomBytes + [0x69])
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Root CA", organization: name), serialNumber: [1],
      notBefore: notBefore, notAfter: notAfter)
    builder.basicConstraints = .authority()
    builder.keyUsage = [.keyCertSign, .cRLSign]
    root = builder.selfSigned(by: rootKey)
    builder.subject = X509NameParts(commonName: "\(name) Intermediate CA", organization: name)
    builder.serialNumber = [2]
    builder.basicConstraints = .authority(pathLength: 0)
    builder.extensions = [.marker(Self.intermediateMarker)]
    intermediate = builder.issued(
      to: intermediateKey.publicKey, by: root, key: rootKey)
  }

  /// A leaf of this authority with its key.
  ///
  /// - Parameters:
  ///   - serialNumber: distinguishes the leaves of one authority.
  ///   - randomBytes: at least 32 unpredictable bytes.
  package func signingChain(
    serialNumber: UInt32, randomBytes: [UInt8], notBefore: Timestamp, notAfter: Timestamp
  ) -> SigningChain {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: randomBytes)
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Receipt Signing", organization: name),
      serialNumber: withUnsafeBytes(of: serialNumber.bigEndian) { Array($0) },
      notBefore: notBefore, notAfter: notAfter)
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    builder.extensions = [.marker(Self.leafMarker)]
    let leaf = builder.issued(to: key.publicKey, by: intermediate, key: intermediateKey)
    return SigningChain(leafKey: key, certificates: [leaf, intermediate, root])
  }
}
