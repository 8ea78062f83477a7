package import Cryptography
package import PaymentPrimitives

/// A signer's key with its three certificates: what signs receipts the way the App Store does.
package struct ReceiptSigningChain: Sendable {
  package let certificates: [X509Certificate]

  private let key: RSAPrivateKey

  /// A chain as given; whether it makes sense is for the verifier to say.
  package init(key: RSAPrivateKey, certificates: [X509Certificate]) {
    self.key = key
    self.certificates = certificates
  }

  /// An app receipt in Base64.
  ///
  /// - Parameter change: for tests, which need wrong ones.
  package func appReceipt(
    _ content: AppReceiptContent, digest: ReceiptDigest = .sha256,
    change: (inout CMSSignedDataWriter) -> Void = { _ in }
  ) -> String {
    Base64.encode(appReceipt(content.bytes, digest: digest, change: change))
  }

  /// An app receipt of any content.
  package func appReceipt(
    _ content: [UInt8], digest: ReceiptDigest = .sha256,
    change: (inout CMSSignedDataWriter) -> Void = { _ in }
  ) -> [UInt8] {
    var writer = CMSSignedDataWriter(content: content, certificates: certificates, signer: certificates[0])
    writer.digest = digest
    change(&writer)
    return writer.signed(by: key)
  }

  /// A transaction receipt of iOS 6 in Base64, of version 3, or 2 where the key has 1024 bits.
  ///
  /// - Parameters:
  ///   - fields: what is signed, in their order.
  ///   - environment: stands beside it, outside the signature; nil for none.
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

/// An authority shaped like the one behind Apple's receipts: RSA keys of 2048 bits throughout, with Apple's markers.
///
/// For simulators and tests. Making one takes some tenths of a second for each key.
package struct ReceiptShapedAuthority: Sendable {
  /// The root, to be configured as an anchor where its receipts are to be believed.
  package let root: X509Certificate
  package let intermediate: X509Certificate

  private let intermediateKey: RSAPrivateKey
  private let name: String

  /// An authority made of random bytes that are handed in: the same bytes give the same keys and certificates.
  ///
  /// - Parameters:
  ///   - name: stands in all its certificates, so that nobody takes them for Apple's.
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
