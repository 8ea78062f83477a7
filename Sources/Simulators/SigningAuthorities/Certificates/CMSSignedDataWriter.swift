package import Cryptography

/// Writes a CMS SignedData with one signer, as in receipts. Tests also write invalid ones.
package struct CMSSignedDataWriter: Sendable {
  package var content: [UInt8]
  package var certificates: [X509Certificate]
  /// The certificate with the issuer and serial number of the signer.
  package var signer: X509Certificate
  package var digest = ReceiptDigest.sha256
  /// The signer's serial number, if it must differ from that of `signer`.
  package var serialNumber: [UInt8]?
  /// The content for the digest in the signed attributes; nil for no attributes, as Apple does.
  package var attributed: [UInt8]?
  /// Whether to use indefinite lengths and split content, as BER allows and Apple sometimes does.
  package var isIndefinite = false

  package init(content: [UInt8], certificates: [X509Certificate], signer: X509Certificate) {
    self.content = content
    self.certificates = certificates
    self.signer = signer
  }

  /// The bytes, signed with a key.
  package func signed(by key: RSAPrivateKey) -> [UInt8] {
    var attributes: [UInt8] = []
    if let attributed {
      attributes = [
        DERWriter.sequence([
          DERWriter.objectIdentifier("1.2.840.113549.1.9.3"),
          DERWriter.set([DERWriter.objectIdentifier("1.2.840.113549.1.7.1")]),
        ]),
        DERWriter.sequence([
          DERWriter.objectIdentifier("1.2.840.113549.1.9.4"),
          DERWriter.set([DERWriter.octetString(digest.hash(attributed))]),
        ]),
      ].flatMap { $0 }
    }
    let isAttributed = attributed != nil
    let signature = key.receiptSignature(
      for: isAttributed ? DERWriter.element(0x31, attributes) : content, digest: digest)
    let algorithm = DERWriter.sequence([DERWriter.objectIdentifier(digest.identifier), DERWriter.null])
    let signerInfo = DERWriter.sequence([
      DERWriter.integer([1]),
      DERWriter.sequence([signer.issuer.der, DERWriter.integer(serialNumber ?? signer.serialNumber)]), algorithm,
      isAttributed ? DERWriter.tagged(0, attributes) : [], DERWriter.rsaEncryption,
      DERWriter.octetString(signature),
    ])
    let signedData = element(
      0x30,
      [
        DERWriter.integer([1]), DERWriter.set([algorithm]),
        element(0x30, [DERWriter.objectIdentifier("1.2.840.113549.1.7.1"), element(0xA0, [octets(content)])]),
        element(0xA0, certificates.map(\.der)), DERWriter.set([signerInfo]),
      ])
    return element(0x30, [DERWriter.objectIdentifier("1.2.840.113549.1.7.2"), element(0xA0, [signedData])])
  }

  private func element(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
    let content = parts.flatMap { $0 }
    return isIndefinite ? [tag, 0x80] + content + [0, 0] : DERWriter.element(tag, content)
  }

  private func octets(_ bytes: [UInt8]) -> [UInt8] {
    guard isIndefinite else { return DERWriter.octetString(bytes) }
    let pieces = stride(from: 0, to: bytes.count, by: 1000).map {
      DERWriter.octetString(Array(bytes[$0..<min($0 + 1000, bytes.count)]))
    }
    return element(0x24, pieces)
  }
}
