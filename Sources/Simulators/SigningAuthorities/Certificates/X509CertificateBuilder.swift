package import Cryptography
package import PaymentPrimitives

/// Issues certificates without any check: simulators need a chain like Apple's, and tests need invalid ones.
///
/// Signatures use no randomness, so the same builder and keys give the same bytes.
package struct X509CertificateBuilder: Sendable {
  /// The owner of the certified key, as common name and organisation.
  package var subject: X509NameParts
  /// The serial number of the certificate, most significant byte first.
  package var serialNumber: [UInt8]
  /// The first second of validity.
  package var notBefore: Timestamp
  /// The last second of validity.
  package var notAfter: Timestamp
  /// Basic constraints, critical as authorities write them; nil omits them.
  package var basicConstraints: X509BasicConstraints?
  /// Key usage, critical; nil omits it.
  package var keyUsage: X509KeyUsage?
  package var extensions: [X509Extension] = []
  /// The digest to sign; default: that of the issuer's curve.
  package var digest: DigestFunction?

  /// A certificate for a subject; other fields are set afterwards.
  package init(
    subject: X509NameParts, serialNumber: [UInt8], notBefore: Timestamp, notAfter: Timestamp
  ) {
    self.subject = subject
    self.serialNumber = serialNumber
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// The self-signed certificate of a key: a root.
  package func selfSigned(by key: ECDSAPrivateKey) -> X509Certificate {
    issue(key.publicKey, issuer: subject.der, issuerKey: key.publicKey, by: key)
  }

  /// The certificate of a key, signed by an authority.
  ///
  /// Nothing is checked: a test may let a leaf issue a leaf, or sign with a key that is not the authority's.
  package func issued(
    to publicKey: ECDSAPublicKey, by authority: X509Certificate, key: ECDSAPrivateKey
  ) -> X509Certificate {
    issue(
      publicKey, issuer: authority.subject.der,
      issuerKey: authority.publicKey ?? key.publicKey, by: key)
  }

  /// The self-signed certificate of an RSA key, as WeChat Pay's simulated platform uses.
  package func selfSigned(by key: RSAPrivateKey) -> X509Certificate {
    let algorithm = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.11"), DERWriter.null])
    let identified = key.publicKey.spki
    return issue(key.publicKey.spki, issuer: subject.der, identified: (identified, identified), algorithm) {
      key.signature(for: $0)
    }
  }

  private func issue(
    _ publicKey: ECDSAPublicKey, issuer: [UInt8], issuerKey: ECDSAPublicKey, by key: ECDSAPrivateKey
  ) -> X509Certificate {
    let digest = digest ?? key.curve.digest
    let algorithm = DERWriter.sequence([DERWriter.objectIdentifier(digest.ecdsaIdentifier)])
    return issue(publicKey.spki, issuer: issuer, identified: (publicKey.point, issuerKey.point), algorithm) {
      key.deterministicSignature(for: $0, digest: digest).der
    }
  }

  func issue(
    _ spki: [UInt8], issuer: [UInt8], identified: (key: [UInt8], issuer: [UInt8]), _ algorithm: [UInt8],
    sign: (_ content: [UInt8]) -> [UInt8]
  ) -> X509Certificate {
    let content = DERWriter.sequence([
      DERWriter.tagged(0, DERWriter.integer([2])), DERWriter.integer(serialNumber), algorithm,
      issuer, DERWriter.sequence([DERWriter.time(notBefore), DERWriter.time(notAfter)]),
      subject.der, spki,
      DERWriter.tagged(3, DERWriter.sequence(allExtensions(identified.key, identified.issuer).map(\.der))),
    ])
    let der = DERWriter.sequence([content, algorithm, DERWriter.bitString(sign(content))])
    do {
      return try X509Certificate(der: der)
    } catch {
      preconditionFailure("the builder was given what no certificate can hold: \(error)")
    }
  }

  private func allExtensions(
    _ key: [UInt8], _ issuerKey: [UInt8]
  ) -> [X509Extension] {
    var all: [X509Extension] = []
    if let basicConstraints {
      all.append(
        X509Extension(
          X509Extension.basicConstraints, isCritical: true, value: basicConstraints.der))
    }
    // The identifiers are the first 20 bytes of a SHA-256 of the key (RFC 7093 §2); any value is allowed (RFC 5280
    // §4.2.1.2).
    let identifier = { (key: [UInt8]) in Array(SHA256.hash(key).prefix(20)) }
    all.append(
      X509Extension(
        X509Extension.authorityKeyIdentifier,
        value: DERWriter.sequence([DERWriter.element(0x80, identifier(issuerKey))])))
    all.append(
      X509Extension(
        X509Extension.subjectKeyIdentifier, value: DERWriter.octetString(identifier(key))))
    if let keyUsage {
      all.append(X509Extension(X509Extension.keyUsage, isCritical: true, value: keyUsage.der))
    }
    return all + extensions
  }
}

/// A name with the two parts that our authorities use.
package struct X509NameParts: Hashable, Sendable {
  /// `CN`
  package var commonName: String
  /// `O`; nil omits it.
  package var organization: String?

  package init(commonName: String, organization: String? = nil) {
    self.commonName = commonName
    self.organization = organization
  }

  var der: [UInt8] {
    let attribute = { (identifier: ASN1ObjectIdentifier, text: String) in
      DERWriter.set([
        DERWriter.sequence([DERWriter.objectIdentifier(identifier), DERWriter.utf8String(text)])
      ])
    }
    return DERWriter.sequence(
      [attribute("2.5.4.3", commonName)] + (organization.map { [attribute("2.5.4.10", $0)] } ?? []))
  }
}

extension DigestFunction {
  /// The identifier of ECDSA with this digest (RFC 5758 §3.2).
  var ecdsaIdentifier: ASN1ObjectIdentifier {
    switch self {
    case .sha256: "1.2.840.10045.4.3.2"
    case .sha384: "1.2.840.10045.4.3.3"
    case .sha512: "1.2.840.10045.4.3.4"
    }
  }
}

extension X509BasicConstraints {
  fileprivate var der: [UInt8] {
    var parts: [[UInt8]] = isCertificateAuthority ? [DERWriter.boolean(true)] : []
    if let pathLength { parts.append(DERWriter.integer([UInt8(clamping: pathLength)])) }
    return DERWriter.sequence(parts)
  }
}

extension X509KeyUsage {
  fileprivate var der: [UInt8] {
    // Bit 0 is the highest of the byte; DER omits trailing zero bits (X.690 §11.2.2).
    let byte = (0..<8).reduce(UInt8(0)) { rawValue >> UInt16($1) & 1 == 1 ? $0 | 0x80 >> UInt8($1) : $0 }
    return DERWriter.bitString(
      byte == 0 ? [] : [byte], unusedBits: byte == 0 ? 0 : UInt8(byte.trailingZeroBitCount))
  }
}

extension X509Extension {
  /// An extension without content, like Apple's markers: its value is NULL.
  package static func marker(_ identifier: ASN1ObjectIdentifier) -> X509Extension {
    X509Extension(identifier, value: DERWriter.null)
  }

  fileprivate var der: [UInt8] {
    DERWriter.sequence(
      [DERWriter.objectIdentifier(identifier)] + (isCritical ? [DERWriter.boolean(true)] : [])
        + [DERWriter.octetString(value)])
  }
}
