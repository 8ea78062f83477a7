package import Cryptography

// Certificates for RSA keys and certificates signed with RSA keys, as used by receipts.

extension X509CertificateBuilder {
  /// The self-signed certificate of an RSA key, with a digest of the caller's choice.
  package func selfSigned(by key: RSAPrivateKey, digest: ReceiptDigest) -> X509Certificate {
    issue(key.publicKey, issuer: subject.der, issuerKey: key.publicKey.spki, by: key, digest)
  }

  /// The certificate of an RSA key, signed by an authority with an RSA key. Nothing is checked.
  package func issued(
    to publicKey: RSAPublicKey, by authority: X509Certificate, key: RSAPrivateKey, digest: ReceiptDigest = .sha256
  ) -> X509Certificate {
    issue(publicKey, issuer: authority.subject.der, issuerKey: key.publicKey.spki, by: key, digest)
  }

  /// The certificate of an RSA key, signed by an authority with an elliptic-curve key. Nothing is checked.
  package func issued(
    to publicKey: RSAPublicKey, by authority: X509Certificate, key: ECDSAPrivateKey
  ) -> X509Certificate {
    let digest = digest ?? key.curve.digest
    let algorithm = DERWriter.sequence([DERWriter.objectIdentifier(digest.ecdsaIdentifier)])
    return issue(
      publicKey.spki, issuer: authority.subject.der, identified: (publicKey.spki, key.publicKey.point), algorithm
    ) {
      key.deterministicSignature(for: $0, digest: digest).der
    }
  }

  private func issue(
    _ publicKey: RSAPublicKey, issuer: [UInt8], issuerKey: [UInt8], by key: RSAPrivateKey, _ digest: ReceiptDigest
  ) -> X509Certificate {
    let algorithm = DERWriter.sequence([DERWriter.objectIdentifier(digest.rsaIdentifier), DERWriter.null])
    return issue(publicKey.spki, issuer: issuer, identified: (publicKey.spki, issuerKey), algorithm) {
      key.receiptSignature(for: $0, digest: digest)
    }
  }
}

extension ReceiptDigest {
  /// The identifier of RSA with this digest (RFC 8017 §A.2.4).
  fileprivate var rsaIdentifier: ASN1ObjectIdentifier {
    switch self {
    case .sha1: "1.2.840.113549.1.1.5"
    case .sha256: "1.2.840.113549.1.1.11"
    case .sha384: "1.2.840.113549.1.1.12"
    case .sha512: "1.2.840.113549.1.1.13"
    }
  }
}
