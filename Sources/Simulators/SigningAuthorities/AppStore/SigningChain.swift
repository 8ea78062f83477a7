package import Cryptography
package import StrictJSON

/// A leaf's key with its three certificates, which signs data as the App Store does.
///
/// Signatures are deterministic: the same key and payload always give the same token. Simulations need that.
package struct SigningChain: Sendable {
  package let certificates: [X509Certificate]

  private let leafKey: ECDSAPrivateKey
  private let header: [UInt8]

  /// A chain without any check; the verifier decides whether it is valid.
  package init(leafKey: ECDSAPrivateKey, certificates: [X509Certificate]) {
    self.leafKey = leafKey
    self.certificates = certificates
    header =
      JSONValue.members([
        ("alg", .string("ES256")),
        ("x5c", .array(certificates.map { .string(Base64.encode($0.der)) })),
      ]).bytes
  }

  /// The compact JWS of a payload, with the certificates in its header.
  package func sign(_ payload: JSONValue) -> String { sign(payload.bytes, header: header) }

  /// The compact JWS of payload bytes with a header from the caller. For tests, which need invalid tokens.
  package func sign(_ payload: [UInt8], header: [UInt8]? = nil) -> String {
    CompactJWS.token(header: header ?? self.header, payload: payload) { signed in
      leafKey.deterministicSignature(for: signed, digest: .sha256).raw
    }
  }
}
