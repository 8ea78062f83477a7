public import PaymentVocabulary

/// An X.509 certificate (RFC 5280) with what a verifier looks at, read once from its exact bytes.
///
/// It says nothing of trust: who asks decides which certificates to believe, and calls `isSigned(by:)`.
public struct X509Certificate: Sendable {
  /// The exact bytes.
  public let der: [UInt8]
  /// 1, 2 or 3; only 3 has extensions.
  public let version: Int
  /// Whose key it certifies.
  public let subject: X509Name
  /// Who certifies it.
  public let issuer: X509Name
  /// The issuer's number for it, most significant byte first.
  public let serialNumber: [UInt8]
  /// The first second of its validity.
  public let notBefore: Timestamp
  /// The last second of its validity.
  public let notAfter: Timestamp
  /// How its issuer signed it.
  public let signatureAlgorithm: ASN1ObjectIdentifier
  /// The certified key; nil when it is not on P-256 or P-384.
  public let publicKey: ECDSAPublicKey?
  /// Whether it may certify others; nil when it does not say.
  public let basicConstraints: X509BasicConstraints?
  /// What its key may do; nil when it does not say, which allows everything.
  public let keyUsage: X509KeyUsage?
  /// For what purposes; nil when it does not say.
  public let extendedKeyUsage: [ASN1ObjectIdentifier]?
  /// All its extensions, in their order.
  public let extensions: [X509Extension]

  let handle: CertificateHandle

  /// The SHA-256 of its bytes, by which roots are pinned.
  public var fingerprint: [UInt8] { SHA256.hash(der) }

  /// Whether an extension is there, whatever it holds; Apple marks its certificates so.
  public func hasExtension(_ identifier: ASN1ObjectIdentifier) -> Bool {
    extensions.contains { $0.identifier == identifier }
  }

  /// A certificate from DER.
  ///
  /// - Throws: `malformedCertificate` when it is not DER to its last byte, holds an extension twice, or one that it
  ///   should hold in another form.
  public init(der: [UInt8]) throws(Refusal<CryptographyErrorCode>) {
    try self.init(reading: der)
  }

  /// The certificates of a PEM text, in their order; other blocks are passed over.
  ///
  /// - Throws: `malformedPEM`, or `malformedCertificate` also when there is none.
  public static func certificates(
    inPEM text: some Collection<UInt8>
  ) throws(Refusal<CryptographyErrorCode>) -> [X509Certificate] {
    var certificates: [X509Certificate] = []
    for block in try PEM.blocks(in: text) where block.label == "CERTIFICATE" {
      certificates.append(try X509Certificate(der: block.bytes.withBytes { Array($0) }))
    }
    guard !certificates.isEmpty else {
      throw Refusal(.malformedCertificate, "The text holds no block CERTIFICATE.")
    }
    return certificates
  }

  /// The certificates of a file that is DER (one certificate) or PEM (any number).
  public static func certificates(
    inFile bytes: [UInt8]
  ) throws(Refusal<CryptographyErrorCode>) -> [X509Certificate] {
    // DER begins with a sequence; no text does.
    bytes.first == 0x30
      ? [try X509Certificate(der: bytes)] : try certificates(inPEM: bytes)
  }
}

extension X509Certificate: Hashable {
  public static func == (a: X509Certificate, b: X509Certificate) -> Bool { a.der == b.der }
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// A subject or issuer. Names are compared by their bytes, as RFC 5280 §7.1 allows where an issuer copies its own name.
public struct X509Name: Hashable, Sendable, CustomStringConvertible {
  /// The name in DER.
  public let der: [UInt8]
  /// The name to read: `CN=Apple Root CA - G3, OU=…`.
  public let description: String

  public static func == (a: X509Name, b: X509Name) -> Bool { a.der == b.der }
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// Whether a certificate's key may certify others (RFC 5280 §4.2.1.9).
public struct X509BasicConstraints: Hashable, Sendable {
  /// Whether it may.
  public let isCertificateAuthority: Bool
  /// How many authorities may stand between it and the last certificate; nil: any number.
  public let pathLength: Int?

  /// May certify others, at most with that many authorities in between.
  public static func authority(pathLength: Int? = nil) -> X509BasicConstraints {
    X509BasicConstraints(isCertificateAuthority: true, pathLength: pathLength)
  }

  /// May not certify.
  public static let endEntity = X509BasicConstraints(isCertificateAuthority: false, pathLength: nil)
}

/// What a certificate's key may do (RFC 5280 §4.2.1.3). The bits are counted as in the standard: the first is 0.
public struct X509KeyUsage: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Sign something other than certificates.
  public static let digitalSignature = X509KeyUsage(rawValue: 1 << 0)
  /// Sign what its owner shall not deny.
  public static let nonRepudiation = X509KeyUsage(rawValue: 1 << 1)
  /// Encrypt keys.
  public static let keyEncipherment = X509KeyUsage(rawValue: 1 << 2)
  /// Encrypt data.
  public static let dataEncipherment = X509KeyUsage(rawValue: 1 << 3)
  /// Agree on keys.
  public static let keyAgreement = X509KeyUsage(rawValue: 1 << 4)
  /// Sign certificates.
  public static let keyCertSign = X509KeyUsage(rawValue: 1 << 5)
  /// Sign lists of revoked certificates.
  public static let cRLSign = X509KeyUsage(rawValue: 1 << 6)
}

/// One extension of a certificate.
public struct X509Extension: Hashable, Sendable {
  /// Its name.
  public let identifier: ASN1ObjectIdentifier
  /// Whether somebody who does not know it must refuse the certificate.
  public let isCritical: Bool
  /// Its value, DER inside.
  public let value: [UInt8]

  /// An extension as given.
  public init(_ identifier: ASN1ObjectIdentifier, isCritical: Bool = false, value: [UInt8]) {
    self.identifier = identifier
    self.isCritical = isCritical
    self.value = value
  }

  /// An extension that says nothing but that it is there, like Apple's markers: its value is NULL.
  public static func marker(_ identifier: ASN1ObjectIdentifier) -> X509Extension {
    X509Extension(identifier, value: DERWriter.null)
  }

  /// Basic constraints, key usage and the two key identifiers: what a verifier must know to read a chain.
  public static let basicConstraints: ASN1ObjectIdentifier = "2.5.29.19"
  /// `keyUsage`
  public static let keyUsage: ASN1ObjectIdentifier = "2.5.29.15"
  /// `extKeyUsage`
  public static let extendedKeyUsage: ASN1ObjectIdentifier = "2.5.29.37"
  /// `subjectKeyIdentifier`
  public static let subjectKeyIdentifier: ASN1ObjectIdentifier = "2.5.29.14"
  /// `authorityKeyIdentifier`
  public static let authorityKeyIdentifier: ASN1ObjectIdentifier = "2.5.29.35"
}
