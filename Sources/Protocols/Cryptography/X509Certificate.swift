package import PaymentPrimitives

/// An X.509 certificate (RFC 5280) with the fields for a verifier, read once from its exact bytes.
///
/// It does not decide about trust: the caller chooses the trusted certificates and calls `isSigned(by:)`.
package struct X509Certificate: Sendable {
  /// The exact bytes.
  package let der: [UInt8]
  /// 1, 2 or 3; only 3 has extensions.
  package let version: Int
  package let subject: X509Name
  package let issuer: X509Name
  /// The issuer's serial number for it, most significant byte first.
  package let serialNumber: [UInt8]
  /// The first second of its validity.
  package let notBefore: Timestamp
  /// The last second of its validity.
  package let notAfter: Timestamp
  package let signatureAlgorithm: ASN1ObjectIdentifier
  /// The certified key; nil if it is not on P-256 or P-384.
  package let publicKey: ECDSAPublicKey?
  /// Whether it may certify others; nil if it is not stated.
  package let basicConstraints: X509BasicConstraints?
  /// The allowed uses of its key; nil if they are not stated, which allows everything.
  package let keyUsage: X509KeyUsage?
  /// The allowed purposes; nil if they are not stated.
  package let extendedKeyUsage: [ASN1ObjectIdentifier]?
  /// All its extensions, in their order.
  package let extensions: [X509Extension]

  let handle: CertificateHandle

  /// The SHA-256 of its bytes, used for pinning roots.
  package var fingerprint: [UInt8] { SHA256.hash(der) }

  /// Whether an extension is present, with any value; Apple marks its certificates in this way.
  package func hasExtension(_ identifier: ASN1ObjectIdentifier) -> Bool {
    extensions.contains { $0.identifier == identifier }
  }

  /// A certificate from DER.
  ///
  /// - Throws: `malformedCertificate` when it is not exact DER, contains an extension twice, or contains a known
  ///   extension in a wrong form.
  package init(der: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    try self.init(reading: der)
  }

  /// The certificates of a PEM text, in their order; other blocks are ignored.
  ///
  /// - Throws: `malformedPEM`, or `malformedCertificate`, also when there is none.
  package static func certificates(
    inPEM text: some Collection<UInt8>
  ) throws(CodedError<CryptographyErrorCode>) -> [X509Certificate] {
    var certificates: [X509Certificate] = []
    for block in try PEM.blocks(in: text) where block.label == "CERTIFICATE" {
      certificates.append(try X509Certificate(der: block.bytes.withBytes { Array($0) }))
    }
    guard !certificates.isEmpty else {
      throw CodedError(.malformedCertificate, "The text holds no block CERTIFICATE.")
    }
    return certificates
  }

  /// The certificates of a file that is DER (one certificate) or PEM (any number).
  package static func certificates(
    inFile bytes: [UInt8]
  ) throws(CodedError<CryptographyErrorCode>) -> [X509Certificate] {
    // The first byte of DER is that of a sequence; no text starts with it.
    bytes.first == 0x30
      ? [try X509Certificate(der: bytes)] : try certificates(inPEM: bytes)
  }
}

extension X509Certificate: Hashable {
  package static func == (a: X509Certificate, b: X509Certificate) -> Bool { a.der == b.der }
  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// A subject or issuer. Names are compared by their bytes: RFC 5280 §7.1 allows it if an issuer copies its own name.
package struct X509Name: Hashable, Sendable, CustomStringConvertible {
  package let der: [UInt8]
  /// The name as text for people: `CN=Apple Root CA - G3, OU=…`.
  package let description: String

  package static func == (a: X509Name, b: X509Name) -> Bool { a.der == b.der }
  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// Whether a certificate's key may certify others (RFC 5280 §4.2.1.9).
package struct X509BasicConstraints: Hashable, Sendable {
  package let isCertificateAuthority: Bool
  /// Maximum number of authorities between it and the last certificate; nil: any number.
  package let pathLength: Int?

  /// May certify others, with at most that many authorities in between.
  package static func authority(pathLength: Int? = nil) -> X509BasicConstraints {
    X509BasicConstraints(isCertificateAuthority: true, pathLength: pathLength)
  }

  package static let endEntity = X509BasicConstraints(isCertificateAuthority: false, pathLength: nil)
}

/// The allowed uses of a certificate's key (RFC 5280 §4.2.1.3). The bits are numbered as in the standard: the first is
/// 0.
package struct X509KeyUsage: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let digitalSignature = X509KeyUsage(rawValue: 1 << 0)
  /// Signatures that the owner must not be able to deny.
  package static let nonRepudiation = X509KeyUsage(rawValue: 1 << 1)
  package static let keyEncipherment = X509KeyUsage(rawValue: 1 << 2)
  package static let dataEncipherment = X509KeyUsage(rawValue: 1 << 3)
  package static let keyAgreement = X509KeyUsage(rawValue: 1 << 4)
  package static let keyCertSign = X509KeyUsage(rawValue: 1 << 5)
  package static let cRLSign = X509KeyUsage(rawValue: 1 << 6)
}

package struct X509Extension: Hashable, Sendable {
  package let identifier: ASN1ObjectIdentifier
  /// Whether a verifier that does not know it must reject the certificate.
  package let isCritical: Bool
  package let value: [UInt8]

  package init(_ identifier: ASN1ObjectIdentifier, isCritical: Bool = false, value: [UInt8]) {
    self.identifier = identifier
    self.isCritical = isCritical
    self.value = value
  }

  /// Basic constraints, key usage and the two key identifiers: the extensions that a verifier needs to read a chain.
  package static let basicConstraints: ASN1ObjectIdentifier = "2.5.29.19"
  /// `keyUsage`
  package static let keyUsage: ASN1ObjectIdentifier = "2.5.29.15"
  /// `extKeyUsage`
  package static let extendedKeyUsage: ASN1ObjectIdentifier = "2.5.29.37"
  /// `subjectKeyIdentifier`
  package static let subjectKeyIdentifier: ASN1ObjectIdentifier = "2.5.29.14"
  /// `authorityKeyIdentifier`
  package static let authorityKeyIdentifier: ASN1ObjectIdentifier = "2.5.29.35"
}
