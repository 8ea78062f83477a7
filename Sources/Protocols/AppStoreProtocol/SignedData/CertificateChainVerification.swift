import Cryptography
import PaymentPrimitives

/// Steps 6 to 10 of the algorithm: from three certificates to a key that may sign. Cheap rules come before expensive
/// ones.
///
/// The third certificate is never trusted because it is present. It is a root only if the SHA-256 of its bytes is
/// pinned. Otherwise it is not even read, and the root must be one of the configured ones.
struct CertificateChainVerification {
  /// Apple's markers. Without them, any developer certificate under the same roots could sign.
  static let leafMarker: ASN1ObjectIdentifier = "1.2.840.113635.100.6.11.1"
  static let intermediateMarker: ASN1ObjectIdentifier = "1.2.840.113635.100.6.2.1"

  /// The extensions that this code reads, or that carry no content to check.
  private static let understood: Set<ASN1ObjectIdentifier> = [
    X509Extension.basicConstraints, X509Extension.keyUsage, leafMarker, intermediateMarker,
  ]

  /// The differences between the chains of tokens and of receipts.
  struct Rules: Sendable {
    let algorithms: Set<ASN1ObjectIdentifier>
    let fitsLeafKey: @Sendable (X509Certificate) -> Bool
    let leafKey: String

    /// ECDSA and RSA with SHA-256, SHA-384 and SHA-512 (RFC 5758, RFC 4055), but not SHA-1. ES256 requires P-256.
    static let tokens = Rules(
      algorithms: [
        "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.10045.4.3.4",
        "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13",
      ], fitsLeafKey: { $0.publicKey?.curve == .p256 }, leafKey: "on P-256")

    /// RSA with SHA-1, used by Apple's authorities until 2022, and with SHA-2 (RFC 4055). The root of a simulator may
    /// have an elliptic curve key.
    static let receipts = Rules(
      algorithms: [
        "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3",
        "1.2.840.113549.1.1.5", "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13",
      ], fitsLeafKey: { (2048...8192).contains($0.rsaBitCount ?? 0) }, leafKey: "an RSA key of 2048 bits or more")
  }

  let anchors: [X509Certificate]
  let leftOut: LeftOutCheck
  let rules: Rules

  /// The passed checks; they are kept here so that an error shows which checks passed before it.
  private(set) var passed: [SignedDataCheck] = []

  init(anchors: [X509Certificate], leftOut: LeftOutCheck, rules: Rules = .tokens) {
    self.anchors = anchors
    self.leftOut = leftOut
    self.rules = rules
  }

  /// The leaf with its signing key, and the facts about the chain.
  ///
  /// - Parameter date: the time at which all three certificates must be valid; nil if the caller judges that
  ///   afterwards.
  mutating func run(
    _ chain: [[UInt8]], validAt date: Timestamp?
  ) throws(FailedCheck) -> Result {
    try checkSignatures(of: try read(chain, validAt: date), validAt: date)
  }

  /// A chain that satisfies all rules.
  struct Result {
    let facts: CertificateChain
    /// The leaf, whose key may sign.
    let leaf: X509Certificate
    /// What its issuers can be asked.
    let questions: [CertificateStatusQuestion]
  }

  /// Certificates that satisfy all rules except the signatures.
  struct Candidate {
    let leaf: X509Certificate
    let intermediate: X509Certificate
    fileprivate let roots: [Root]
  }

  /// The cheap part: form, names, roles, markers, validity.
  mutating func read(_ chain: [[UInt8]], validAt date: Timestamp?) throws(FailedCheck) -> Candidate {
    try check(.chainLength, .invalidChainLength, holds: chain.count == 3) { "There are \(chain.count)." }
    guard chain.count >= 3 else {
      throw FailedCheck(.chainLength, .invalidChainLength, details: "There are only \(chain.count).")
    }
    let leaf = try certificate(chain[0], "leaf")
    let intermediate = try certificate(chain[1], "intermediate")
    passed.append(.certificates)
    var roots = try candidates(for: intermediate, offered: chain[2])
    try checkRoles(leaf, intermediate, roots: &roots)
    let rules = rules
    try check(.leafKey, .invalidCertificate, holds: rules.fitsLeafKey(leaf)) {
      "The leaf's key is not \(rules.leafKey)."
    }
    guard leaf.issuer == intermediate.subject || leftOut(.path) else {
      throw FailedCheck(.path, .invalidChain, details: "The leaf names another authority than the intermediate.")
    }
    if let date { try checkValidity([("leaf", leaf), ("intermediate", intermediate)], at: date) }
    return Candidate(leaf: leaf, intermediate: intermediate, roots: roots)
  }

  /// The expensive part: two signatures on P-384, 1.8 ms.
  mutating func checkSignatures(
    of chain: Candidate, validAt date: Timestamp?
  ) throws(FailedCheck) -> Result {
    let root = try signingRoot(of: chain.intermediate, chain.roots, chain.leaf)
    // Only the signature tells which root it is: two roots may have the same name.
    if let date, let root { try checkValidity([("root", root.certificate)], at: date) }
    return Result(
      facts: facts(chain.leaf, chain.intermediate, root: root), leaf: chain.leaf,
      questions: root.map { $0.questions(chain.leaf, chain.intermediate) } ?? [])
  }

  /// A root that may have signed the intermediate.
  fileprivate struct Root {
    let certificate: X509Certificate
    let anchor: CertificateChain.Anchor

    func questions(_ leaf: X509Certificate, _ intermediate: X509Certificate) -> [CertificateStatusQuestion] {
      let isApples = if case .apple = anchor { true } else { false }
      return [
        CertificateStatusQuestion(leaf, issuer: intermediate, root: certificate, isApples: isApples),
        CertificateStatusQuestion(intermediate, issuer: certificate, root: certificate, isApples: isApples),
      ]
    }

    /// A root may be of version 1 without extensions. If it has them, they must allow an intermediate.
    var allowsIntermediate: Bool {
      certificate.basicConstraints.map { $0.isCertificateAuthority && $0.pathLength ?? 1 >= 1 }
        ?? true
    }
  }

  private mutating func check(
    _ check: SignedDataCheck, _ code: SignedDataErrorCode, holds: Bool,
    _ details: () -> String
  ) throws(FailedCheck) {
    guard holds || leftOut(check) else { throw FailedCheck(check, code, details: details()) }
    passed.append(check)
  }

  private func certificate(_ der: [UInt8], _ role: String) throws(FailedCheck) -> X509Certificate {
    let certificate: X509Certificate
    do {
      certificate = try X509Certificate(der: der)
    } catch {
      throw FailedCheck(.certificates, .invalidCertificate, details: "The \(role): \(error.details)")
    }
    guard rules.algorithms.contains(certificate.signatureAlgorithm) || leftOut(.certificates) else {
      throw FailedCheck(
        .certificates, .invalidCertificate,
        details: "The \(role) is signed with \(certificate.signatureAlgorithm), which is not accepted.")
    }
    return certificate
  }

  private mutating func candidates(
    for intermediate: X509Certificate, offered: [UInt8]
  ) throws(FailedCheck) -> [Root] {
    var roots: [Root] = []
    if let name = AppleRootCertificates.name(ofFingerprint: SHA256.hash(offered)),
      let root = try? X509Certificate(der: offered), root.subject == intermediate.issuer
    {
      roots.append(Root(certificate: root, anchor: .apple(name)))
    }
    for anchor in anchors where anchor.subject == intermediate.issuer {
      roots.append(Root(certificate: anchor, anchor: .configured(anchor.subject.description)))
    }
    try check(.anchor, .invalidChain, holds: !roots.isEmpty) {
      "No trusted root is named \(intermediate.issuer.description.shown)."
    }
    return roots
  }

  private mutating func checkRoles(
    _ leaf: X509Certificate, _ intermediate: X509Certificate, roots: inout [Root]
  ) throws(FailedCheck) {
    let allowing = roots.filter { $0.allowsIntermediate }
    try check(
      .authority, .invalidCertificate,
      holds: intermediate.basicConstraints?.isCertificateAuthority == true
        && intermediate.keyUsage?.contains(.keyCertSign) ?? true && allowing.isEmpty == roots.isEmpty
    ) { "The intermediate may not certify, or its root allows no intermediate." }
    if !allowing.isEmpty { roots = allowing }
    try check(
      .leafUsage, .invalidCertificate,
      holds: leaf.basicConstraints?.isCertificateAuthority != true
        && leaf.keyUsage?.contains(.digitalSignature) ?? true
    ) { "The leaf may not sign data, or may certify." }
    let unknown = (leaf.extensions + intermediate.extensions)
      .first { $0.isCritical && !Self.understood.contains($0.identifier) }
    try check(.criticalExtensions, .invalidCertificate, holds: unknown == nil) {
      "The extension \(unknown?.identifier.text ?? "") is critical and not known."
    }
    try check(
      .intermediateMarker, .missingOID, holds: intermediate.hasExtension(Self.intermediateMarker)
    ) { "The intermediate lacks \(Self.intermediateMarker)." }
    try check(.leafMarker, .missingOID, holds: leaf.hasExtension(Self.leafMarker)) {
      "The leaf lacks \(Self.leafMarker)."
    }
  }

  private mutating func checkValidity(
    _ certificates: [(role: String, certificate: X509Certificate)], at date: Timestamp
  ) throws(FailedCheck) {
    let invalid = certificates.first { !$0.certificate.isValid(at: date) }
    try check(.validity, .expired, holds: invalid == nil) {
      guard let (role, certificate) = invalid else { return "" }
      return "At \(date.iso8601) the \(role) was not valid: it is from "
        + "\(certificate.notBefore.iso8601) to \(certificate.notAfter.iso8601)."
    }
  }

  private mutating func signingRoot(
    of intermediate: X509Certificate, _ roots: [Root], _ leaf: X509Certificate
  ) throws(FailedCheck) -> Root? {
    let root = roots.first { intermediate.isSigned(by: $0.certificate) }
    try check(
      .path, .invalidChain, holds: (root != nil || roots.isEmpty) && leaf.isSigned(by: intermediate)
    ) {
      root == nil
        ? "The intermediate was not signed by the root that it names."
        : "The leaf was not signed by the intermediate."
    }
    // Without a root there is no signature to check. This only occurs in tests that leave out the root check.
    return root ?? roots.first
  }

  private func facts(
    _ leaf: X509Certificate, _ intermediate: X509Certificate, root: Root?
  ) -> CertificateChain {
    let all = [leaf, intermediate] + (root.map { [$0.certificate] } ?? [])
    return CertificateChain(
      anchor: root?.anchor ?? .configured("none"), leaf: .init(leaf),
      intermediate: .init(intermediate),
      notBefore: all.map(\.notBefore).max() ?? leaf.notBefore,
      notAfter: all.map(\.notAfter).min() ?? leaf.notAfter)
  }
}

extension X509Certificate {
  /// Whether the certificate is valid at a time, in whole seconds like certificate dates.
  fileprivate func isValid(at moment: Timestamp) -> Bool {
    notBefore.seconds <= moment.seconds && moment.seconds <= notAfter.seconds
  }
}

/// A failed check; `check` is nil if the verifier is busy.
struct FailedCheck: Error {
  let check: SignedDataCheck?
  let code: SignedDataErrorCode
  let details: String

  init(_ check: SignedDataCheck?, _ code: SignedDataErrorCode, details: String) {
    self.check = check
    self.code = code
    self.details = details
  }
}
