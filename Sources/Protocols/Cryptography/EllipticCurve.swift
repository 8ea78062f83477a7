import COpenSSL

/// The two supported curves: Apple's leaf certificates and ES256 tokens use P-256, Apple's authorities P-384.
package enum EllipticCurve: String, CaseIterable, Sendable {
  /// NIST P-256, `secp256r1`.
  case p256 = "P-256"
  /// NIST P-384, `secp384r1`.
  case p384 = "P-384"

  /// Bytes of a coordinate, a private key and each half of a signature.
  package var byteCount: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    }
  }

  /// The default digest of the curve.
  package var digest: DigestFunction {
    switch self {
    case .p256: .sha256
    case .p384: .sha384
    }
  }

  /// OpenSSL's name of the curve.
  var groupName: StaticString {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    }
  }

  var numericIdentifier: Int32 {
    switch self {
    case .p256: NID_X9_62_prime256v1
    case .p384: NID_secp384r1
    }
  }

  /// The curve's identifier in a certificate or key: RFC 5480 §2.1.1.1.
  var objectIdentifier: ASN1ObjectIdentifier {
    switch self {
    case .p256: "1.2.840.10045.3.1.7"
    case .p384: "1.3.132.0.34"
    }
  }
}
