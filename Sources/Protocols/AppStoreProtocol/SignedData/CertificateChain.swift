import Cryptography
package import PaymentPrimitives

/// What is known of the three certificates behind a token, once they have been examined.
package struct CertificateChain: Hashable, Sendable {
  package enum Anchor: Hashable, Sendable {
    /// One of Apple's roots, by its name.
    case apple(String)
    /// A root from configuration, by its subject.
    case configured(String)
  }

  /// What is shown of one certificate.
  package struct Summary: Hashable, Sendable {
    package let subject: String
    /// Its number in hexadecimal.
    package let serialNumber: String
    /// The first second of its validity.
    package let notBefore: Timestamp
    /// The last second of its validity.
    package let notAfter: Timestamp

    init(_ certificate: X509Certificate) {
      subject = certificate.subject.description
      serialNumber = certificate.serialNumber.map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
      notBefore = certificate.notBefore
      notAfter = certificate.notAfter
    }
  }

  package let anchor: Anchor
  /// The certificate whose key signs the data.
  package let leaf: Summary
  /// The certificate that certifies the leaf.
  package let intermediate: Summary
  /// The first second at which all of them are valid.
  package let notBefore: Timestamp
  /// The last second at which all of them are valid.
  package let notAfter: Timestamp

  /// Whether all of them are valid at a moment, by whole seconds as certificates count.
  package func isValid(at moment: Timestamp) -> Bool {
    notBefore.seconds <= moment.seconds && moment.seconds <= notAfter.seconds
  }
}

/// A chain that was found good, with what checking the next signature of its leaf needs.
final class KnownChain: Sendable {
  /// The encoded header that brought it, byte for byte.
  let header: [UInt8]
  let facts: CertificateChain
  /// Checks signatures of its leaf over texts that begin with the header.
  let signatures: PrefixedSignatureVerifier
  let intermediate: [UInt8]

  init(header: [UInt8], facts: CertificateChain, leafKey: ECDSAPublicKey, intermediate: [UInt8]) {
    self.header = header
    self.facts = facts
    self.intermediate = intermediate
    signatures = PrefixedSignatureVerifier(key: leafKey, beginning: header + [0x2E])
  }
}
