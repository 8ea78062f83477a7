package import Cryptography
package import PaymentPrimitives
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

/// A certificate authority shaped like Apple's, for simulators and tests. The root and the intermediate are on P-384
/// with Apple's marker. The leaves are on P-256 with Apple's other marker.
package struct AppleShapedAuthority: Sendable {
  /// The root. Configure it as an anchor to accept data of this authority.
  package let root: X509Certificate
  package let intermediate: X509Certificate

  private let intermediateKey: ECDSAPrivateKey
  private let name: String

  /// An authority from the given random bytes: the same bytes give the same keys and certificates.
  ///
  /// - Parameters:
  ///   - name: part of all its certificates, so that they cannot be confused with Apple's.
  ///   - randomBytes: at least 48 unpredictable bytes.
  package init(name: String, randomBytes: [UInt8], notBefore: Timestamp, notAfter: Timestamp) {
    self.name = name
    let rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: randomBytes + [0x72])
    intermediateKey = ECDSAPrivateKey(curve: .p384, randomBytes: randomBytes + [0x69])
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Root CA", organization: name), serialNumber: [1],
      notBefore: notBefore, notAfter: notAfter)
    builder.basicConstraints = .authority()
    builder.keyUsage = [.keyCertSign, .cRLSign]
    root = builder.selfSigned(by: rootKey)
    builder.subject = X509NameParts(commonName: "\(name) Intermediate CA", organization: name)
    builder.serialNumber = [2]
    builder.basicConstraints = .authority(pathLength: 0)
    builder.extensions = [.marker(CertificateChainVerification.intermediateMarker)]
    intermediate = builder.issued(
      to: intermediateKey.publicKey, by: root, key: rootKey)
  }

  /// A leaf of this authority with its key.
  ///
  /// - Parameters:
  ///   - serialNumber: distinguishes the leaves of one authority.
  ///   - randomBytes: at least 32 unpredictable bytes.
  package func signingChain(
    serialNumber: UInt32, randomBytes: [UInt8], notBefore: Timestamp, notAfter: Timestamp
  ) -> SigningChain {
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: randomBytes)
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "\(name) Receipt Signing", organization: name),
      serialNumber: withUnsafeBytes(of: serialNumber.bigEndian) { Array($0) },
      notBefore: notBefore, notAfter: notAfter)
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    builder.extensions = [.marker(CertificateChainVerification.leafMarker)]
    let leaf = builder.issued(to: key.publicKey, by: intermediate, key: intermediateKey)
    return SigningChain(leafKey: key, certificates: [leaf, intermediate, root])
  }
}
