package import Cryptography

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
