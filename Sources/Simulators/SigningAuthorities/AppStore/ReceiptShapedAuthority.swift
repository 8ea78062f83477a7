package import Cryptography
package import PaymentPrimitives

/// A certificate authority shaped like the one of Apple's receipts: RSA keys of 2048 bits, with Apple's markers.
///
/// Each key takes some tenths of a second to make.
package struct ReceiptShapedAuthority: Sendable {
  /// The root. Configure it as an anchor to accept receipts of this authority.
  package let root: X509Certificate
  package let intermediate: X509Certificate

  private let intermediateKey: RSAPrivateKey
  private let name: String

  /// An authority from the given random bytes: the same bytes give the same keys and certificates.
  ///
  /// - Parameters:
  ///   - name: part of all its certificates, so that they cannot be confused with Apple's.
  ///   - randomBytes: at least 32 unpredictable bytes.
  package init(name: String, randomBytes: [UInt8], notBefore: Timestamp, notAfter: Timestamp) {
    self.name = name
    let rootKey = RSAPrivateKey(randomBytes: randomBytes + [0x72])
    intermediateKey = RSAPrivateKey(randomBytes: randomBytes + [0x69])
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Receipt Root CA", organization: name), serialNumber: [1],
      notBefore: notBefore, notAfter: notAfter)
    builder.basicConstraints = .authority()
    builder.keyUsage = [.keyCertSign, .cRLSign]
    root = builder.selfSigned(by: rootKey)
    builder.subject = X509NameParts(commonName: "\(name) Receipt Intermediate CA", organization: name)
    builder.serialNumber = [2]
    builder.basicConstraints = .authority(pathLength: 0)
    builder.extensions = [.marker(AppleShapedAuthority.intermediateMarker)]
    intermediate = builder.issued(to: intermediateKey.publicKey, by: root, key: rootKey)
  }

  /// A signer of this authority, ready to sign.
  ///
  /// - Parameter randomBytes: at least 32 unpredictable bytes.
  package func signingChain(
    serialNumber: UInt32, randomBytes: [UInt8], notBefore: Timestamp, notAfter: Timestamp
  ) -> ReceiptSigningChain {
    let key = RSAPrivateKey(randomBytes: randomBytes)
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Receipt Signing", organization: name),
      serialNumber: withUnsafeBytes(of: serialNumber.bigEndian) { Array($0) },
      notBefore: notBefore, notAfter: notAfter)
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    builder.extensions = [.marker(AppleShapedAuthority.leafMarker)]
    let signer = builder.issued(to: key.publicKey, by: intermediate, key: intermediateKey)
    return ReceiptSigningChain(key: key, certificates: [signer, intermediate, root])
  }
}
