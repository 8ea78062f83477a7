import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities

// Receipts are signed with RSA, as Apple's are, by a separate intermediate under the same root (rule AS-RCPT-2). So a
// server that trusts the simulator needs only one root.

extension SimulatedSigningAuthority {
  /// The receipt signing chain with this number. Creating it takes some tenths of a second, so callers that sign often
  /// keep it.
  ///
  /// - Parameter prepared: keys that already exist; nil to create this authority's own.
  func receiptChain(leaf number: Int64, _ prepared: PreparedReceiptKeys? = nil) -> ReceiptSigningChain {
    let rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: Self.bytes(seed, "root"))
    let intermediateKey =
      prepared?.intermediate ?? RSAPrivateKey(randomBytes: Self.bytes(seed, "receipt intermediate"))
    let key = prepared?.signer ?? RSAPrivateKey(randomBytes: Self.bytes(seed, "receipt signer \(number)"))
    var builder = X509CertificateBuilder(
      subject: Self.subject("Test Receipt CA, not Apple's"),
      serialNumber: Self.serialNumber(seed, "receipt intermediate"),
      notBefore: firstDay - .days(5 * 365), notAfter: firstDay + .days(10 * 365))
    builder.basicConstraints = .authority(pathLength: 0)
    builder.keyUsage = [.keyCertSign, .cRLSign]
    builder.extensions = [.marker(AppleShapedAuthority.intermediateMarker)]
    let intermediate = builder.issued(to: intermediateKey.publicKey, by: root, key: rootKey)
    let start = firstDay + .days(number * Self.leafDays)
    builder = X509CertificateBuilder(
      subject: Self.subject("Test App Receipt Signing, not Apple's"),
      serialNumber: Self.serialNumber(seed, "receipt signer \(number)"),
      notBefore: start - .days(20), notAfter: start + .days(Self.leafDays + 15))
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    builder.extensions = [.marker(AppleShapedAuthority.leafMarker)]
    let signer = builder.issued(to: key.publicKey, by: intermediate, key: intermediateKey)
    return ReceiptSigningChain(key: key, certificates: [signer, intermediate, root])
  }
}

/// The RSA keys for receipts, created once for many simulators. A key takes some tenths of a second, and one test run
/// opens hundreds of simulators. Each simulator has its own certificates.
package struct PreparedReceiptKeys: Sendable {
  fileprivate let intermediate: RSAPrivateKey
  fileprivate let signer: RSAPrivateKey

  /// The keys of a seed.
  ///
  /// - Parameter testKeySeed: at least 48 bytes.
  package init(testKeySeed: [UInt8]) {
    intermediate = RSAPrivateKey(randomBytes: SimulatedSigningAuthority.bytes(testKeySeed, "receipt intermediate"))
    signer = RSAPrivateKey(randomBytes: SimulatedSigningAuthority.bytes(testKeySeed, "receipt signer"))
  }
}
