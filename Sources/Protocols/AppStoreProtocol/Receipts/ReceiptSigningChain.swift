package import Cryptography
package import PaymentPrimitives

/// A signer's key with its three certificates, which signs receipts as the App Store does.
package struct ReceiptSigningChain: Sendable {
  package let certificates: [X509Certificate]

  private let key: RSAPrivateKey

  /// A chain without any check; the verifier decides whether it is valid.
  package init(key: RSAPrivateKey, certificates: [X509Certificate]) {
    self.key = key
    self.certificates = certificates
  }

  /// An app receipt in Base64.
  ///
  /// - Parameter change: for tests, which need invalid receipts.
  package func appReceipt(
    _ content: AppReceiptContent, digest: ReceiptDigest = .sha256,
    change: (inout CMSSignedDataWriter) -> Void = { _ in }
  ) -> String {
    Base64.encode(appReceipt(content.bytes, digest: digest, change: change))
  }

  /// An app receipt with any content.
  package func appReceipt(
    _ content: [UInt8], digest: ReceiptDigest = .sha256,
    change: (inout CMSSignedDataWriter) -> Void = { _ in }
  ) -> [UInt8] {
    var writer = CMSSignedDataWriter(content: content, certificates: certificates, signer: certificates[0])
    writer.digest = digest
    change(&writer)
    return writer.signed(by: key)
  }

  /// A transaction receipt of iOS 6 in Base64: version 3, or version 2 for a key of 1024 bits.
  ///
  /// - Parameters:
  ///   - fields: the signed fields, in their order.
  ///   - environment: outside the signature; nil for none.
  package func transactionReceipt(_ fields: [(name: String, value: String)], environment: String?) -> String {
    let info = Array(Self.propertyList(fields).utf8)
    let version: UInt8 = key.publicKey.bitCount == 1024 ? 2 : 3
    let certificate = certificates[0].der
    let length = withUnsafeBytes(of: UInt32(certificate.count).bigEndian) { Array($0) }
    let blob = [version] + key.receiptSignature(for: [version] + info, digest: .sha1) + length + certificate
    var list = [("signature", Base64.encode(blob)), ("purchase-info", Base64.encode(info))]
    if let environment { list.append(("environment", environment)) }
    list += [("pod", "100"), ("signing-status", "0")]
    return Base64.encode(Self.propertyList(list).utf8)
  }

  private static func propertyList(_ fields: [(name: String, value: String)]) -> String {
    let lines = fields.map { name, value in
      let escaped = value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
      return "\t\"\(name)\" = \"\(String(escaped))\";\n"
    }
    return "{\n" + lines.joined() + "}"
  }
}

/// A certificate authority shaped like the one of Apple's receipts: RSA keys of 2048 bits, with Apple's markers.
///
/// For simulators and tests. Each key takes some tenths of a second to make.
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
    builder.extensions = [.marker(CertificateChainVerification.intermediateMarker)]
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
    builder.extensions = [.marker(CertificateChainVerification.leafMarker)]
    let signer = builder.issued(to: key.publicKey, by: intermediate, key: intermediateKey)
    return ReceiptSigningChain(key: key, certificates: [signer, intermediate, root])
  }
}
