import Cryptography
package import PaymentPrimitives

/// The facts about the three certificates of a token after their examination.
package struct CertificateChain: Hashable, Sendable {
  package enum Anchor: Hashable, Sendable {
    /// One of Apple's roots, by name.
    case apple(String)
    /// A root from the configuration, by subject.
    case configured(String)
  }

  /// The displayed facts of one certificate.
  package struct Summary: Hashable, Sendable {
    package let subject: String
    /// The serial number in hexadecimal.
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
  /// The certificate with the key that signs the data.
  package let leaf: Summary
  /// The certificate that certifies the leaf.
  package let intermediate: Summary
  /// The first second at which all three certificates are valid.
  package let notBefore: Timestamp
  /// The last second at which all three certificates are valid.
  package let notAfter: Timestamp

  /// Whether all three certificates are valid at a time, in whole seconds like certificate dates.
  package func isValid(at moment: Timestamp) -> Bool {
    notBefore.seconds <= moment.seconds && moment.seconds <= notAfter.seconds
  }
}

/// A chain that passed examination, with the data for checking further signatures of its leaf.
final class KnownChain: Sendable {
  /// The encoded header that contained the chain, byte for byte.
  let header: [UInt8]
  let facts: CertificateChain
  /// Checks signatures of the leaf over texts that begin with the header.
  let signatures: PrefixedSignatureVerifier
  let intermediate: [UInt8]
  /// What is asked about its certificates.
  let questions: [CertificateStatusQuestion]

  init(
    header: [UInt8], facts: CertificateChain, leafKey: ECDSAPublicKey, intermediate: [UInt8],
    questions: [CertificateStatusQuestion]
  ) {
    self.questions = questions
    self.header = header
    self.facts = facts
    self.intermediate = intermediate
    signatures = PrefixedSignatureVerifier(key: leafKey, beginning: header + [0x2E])
  }
}
