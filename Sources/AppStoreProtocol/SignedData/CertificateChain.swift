import Cryptography
public import PaymentVocabulary

/// What is known of the three certificates behind a token, once they have been examined.
public struct CertificateChain: Hashable, Sendable {
  /// Where its trust comes from.
  public enum Anchor: Hashable, Sendable {
    /// One of Apple's roots, by its name.
    case apple(String)
    /// A root from configuration, by its subject.
    case configured(String)
  }

  /// What is shown of one certificate.
  public struct Summary: Hashable, Sendable {
    /// Its subject, to read.
    public let subject: String
    /// Its number in hexadecimal.
    public let serialNumber: String
    /// The first second of its validity.
    public let notBefore: Timestamp
    /// The last second of its validity.
    public let notAfter: Timestamp

    init(_ certificate: X509Certificate) {
      subject = certificate.subject.description
      serialNumber = certificate.serialNumber.map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
      notBefore = certificate.notBefore
      notAfter = certificate.notAfter
    }
  }

  /// Where its trust comes from.
  public let anchor: Anchor
  /// The certificate whose key signs the data.
  public let leaf: Summary
  /// The certificate that certifies the leaf.
  public let intermediate: Summary
  /// The first second at which all of them are valid.
  public let notBefore: Timestamp
  /// The last second at which all of them are valid.
  public let notAfter: Timestamp

  /// Whether all of them are valid at a moment, by whole seconds as certificates count.
  public func isValid(at moment: Timestamp) -> Bool {
    notBefore.seconds <= moment.seconds && moment.seconds <= notAfter.seconds
  }
}

/// A chain that was found good, with what checking the next signature of its leaf needs.
final class KnownChain: Sendable {
  /// The encoded header that brought it, byte for byte.
  let header: [UInt8]
  /// What is known of it.
  let facts: CertificateChain
  /// Checks signatures of its leaf over texts that begin with the header.
  let signatures: PrefixedSignatureVerifier
  /// The exact intermediate.
  let intermediate: [UInt8]

  init(header: [UInt8], facts: CertificateChain, leafKey: ECDSAPublicKey, intermediate: [UInt8]) {
    self.header = header
    self.facts = facts
    self.intermediate = intermediate
    signatures = PrefixedSignatureVerifier(key: leafKey, beginning: header + [0x2E])
  }
}
