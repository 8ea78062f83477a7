package import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// A leaf's key with its three certificates: what signs data the way the App Store does.
///
/// Signatures are made without chance, so one key and one payload always give one token; a simulated world needs that.
package struct SigningChain: Sendable {
  package let certificates: [X509Certificate]

  private let leafKey: ECDSAPrivateKey
  private let header: [UInt8]

  /// A chain as given; whether it makes sense is for the verifier to say.
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

  /// The compact JWS of payload bytes under a header of the caller's choice: for tests, which need wrong ones.
  package func sign(_ payload: [UInt8], header: [UInt8]? = nil) -> String {
    CompactJWS.token(header: header ?? self.header, payload: payload) { signed in
      leafKey.deterministicSignature(for: signed, digest: .sha256).raw
    }
  }
}

/// A certificate authority shaped like Apple's: a root and an intermediate on P-384 with Apple's marker, which
/// certifies leaves on P-256 with Apple's other marker. For simulators and tests.
package struct AppleShapedAuthority: Sendable {
  /// The root, to be configured as an anchor where its data is to be believed.
  package let root: X509Certificate
  package let intermediate: X509Certificate

  private let intermediateKey: ECDSAPrivateKey
  private let name: String

  /// An authority made of random bytes that are handed in: the same bytes give the same keys and certificates.
  ///
  /// - Parameters:
  ///   - name: stands in all its certificates, so that nobody takes them for Apple's.
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

  /// A leaf of this authority with its key, ready to sign.
  ///
  /// - Parameters:
  ///   - serialNumber: tells the leaves of one authority apart.
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
