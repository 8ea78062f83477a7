import Cryptography
import PaymentPrimitives

/// The verification of one app receipt. Each step returns or throws the check that failed.
struct AppReceiptVerification {
  let verifier: ReceiptVerifier
  let expectations: SignedDataExpectations
  let device: [UInt8]?
  let now: Timestamp
  let sender: String?

  var journal: ReceiptJournal
  var receipt: AppReceipt?

  init(
    _ verifier: ReceiptVerifier, _ expectations: SignedDataExpectations, device: [UInt8]?, at now: Timestamp,
    from sender: String?
  ) {
    self.verifier = verifier
    self.expectations = expectations
    self.device = device
    self.now = now
    self.sender = sender
    journal = ReceiptJournal(ReceiptCheck.allCases, leavingOut: verifier.leftOut)
  }

  mutating func run(_ text: String) throws(FailedReceiptCheck) -> AppReceiptVerdict {
    let bytes = try ReceiptEnvelope.open(text, .appReceipt, verifier: verifier, journal: &journal)
    let signed = try readForm(bytes)
    let digest = try readAlgorithm(signed)
    let receipt = try readPayload(signed.content)
    let number = receipt.environment == "Production" ? receipt.appItemId : nil
    let app = try ReceiptEnvelope.app(receipt.bundleId, appItemId: number, expectations, journal: &journal)
    let date = try ReceiptEnvelope.date(receipt.creationDate, at: now, verifier, journal: &journal)
    let environment: StoreEnvironment
    var chain: CertificateChain?
    if let unsigned = unsignedEnvironment(receipt) {
      environment = unsigned.environment
      let reason = "Receipts of \(unsigned.rawValue) are not signed by Apple; the configuration accepts it."
      for check in ReceiptCheck.ofChain + [.validity, .signedAttributes, .signature] { journal.note(check, reason) }
      try ReceiptEnvelope.environment(environment, expectations, journal: &journal)
    } else {
      let known = try knownChain(signed)
      chain = known.facts
      journal.chain = chain
      try judgeValidity(known.facts, at: date)
      environment = self.environment(receipt.environment, known.facts.anchor)
      try ReceiptEnvelope.environment(environment, expectations, journal: &journal)
      try checkSignature(signed, digest, signer: known.signer)
    }
    try checkDevice(receipt)
    var verdict = AppReceiptVerdict(journal)
    verdict.verified = VerifiedAppReceipt(
      receipt: receipt, environment: environment, app: app, effectiveDate: date, chain: chain)
    return verdict
  }

  private mutating func readForm(_ bytes: [UInt8]) throws(FailedReceiptCheck) -> CMSSignedData {
    var bytes = bytes
    if verifier.leftOut(.form), let whole = try? wholeElement(bytes) { bytes = whole }
    guard let signed = try? CMSSignedData(bytes) else {
      throw FailedReceiptCheck(
        .form, .malformed, details: "It is no CMS SignedData with one signer and its content inside.")
    }
    try journal.check(.form, .malformed, holds: true, "")
    return signed
  }

  private func wholeElement(_ bytes: [UInt8]) throws(BERError) -> [UInt8] {
    var reader = BERReader(bytes)
    return try Array(reader.whole(of: reader.next()))
  }

  /// RSA alone, or with the digest in its name (RFC 3370 §3.2). Both occur.
  private static let signatureAlgorithms: Set<ASN1ObjectIdentifier> = [
    "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.5", "1.2.840.113549.1.1.11",
  ]

  private mutating func readAlgorithm(_ signed: CMSSignedData) throws(FailedReceiptCheck) -> ReceiptDigest {
    let digest = ReceiptDigest(signed.digestAlgorithm)
    try journal.check(
      .algorithm, .algorithm,
      holds: (digest == .sha1 || digest == .sha256) && Self.signatureAlgorithms.contains(signed.signatureAlgorithm),
      "It is signed with \(signed.signatureAlgorithm) over \(signed.digestAlgorithm).")
    guard let digest else {
      throw FailedReceiptCheck(.algorithm, .algorithm, details: "The digest \(signed.digestAlgorithm) is not known.")
    }
    return digest
  }

  private mutating func readPayload(_ content: [UInt8]) throws(FailedReceiptCheck) -> AppReceipt {
    do throws(ReceiptAttributeFailure) {
      let receipt = try AppReceipt(payload: content, isLenient: verifier.leftOut(.payload))
      self.receipt = receipt
      try? journal.check(.payload, .malformedAttribute, holds: true, "")
      return receipt
    } catch {
      let name = error.type.map { "Attribute \($0)" } ?? "The content"
      throw FailedReceiptCheck(.payload, .malformedAttribute, details: "\(name) is not \(error.expected).")
    }
  }

  private func unsignedEnvironment(
    _ receipt: AppReceipt
  ) -> SignedDataConfiguration.UnsignedEnvironment? {
    verifier.configuration.unsignedEnvironments.first { $0.word.rawValue == receipt.environment }
  }

  private mutating func judgeValidity(
    _ chain: CertificateChain, at date: Timestamp
  ) throws(FailedReceiptCheck) {
    try journal.check(
      .validity, .certificateExpired, holds: chain.isValid(at: date),
      "At \(date.iso8601) a certificate was not valid: together they are from \(chain.notBefore.iso8601) to "
        + "\(chain.notAfter.iso8601).")
  }

  /// The environment that the receipt claims, limited by the root: only Apple's roots yield production or sandbox.
  private func environment(_ word: String?, _ anchor: CertificateChain.Anchor) -> StoreEnvironment {
    guard verifier.configuration.isApple(anchor) else { return .simulated }
    return switch word {
    case "Production", "ProductionVPP": .production
    case "ProductionSandbox", "ProductionVPPSandbox": .sandbox
    default: .undetermined
    }
  }

  private mutating func checkSignature(
    _ signed: CMSSignedData, _ digest: ReceiptDigest, signer: X509Certificate
  ) throws(FailedReceiptCheck) {
    if let attributes = signed.signedAttributes {
      try journal.check(
        .signedAttributes, .invalidSignature, holds: attributes.messageDigest == digest.hash(signed.content),
        "The signed attributes state another digest than the content has.")
      journal.note(.signedAttributes, "they state the digest of the content")
    } else {
      try journal.check(.signedAttributes, .invalidSignature, holds: true, "")
    }
    try journal.check(
      .signature, .invalidSignature,
      holds: signer.isRSASignature(
        signed.signature, over: signed.signedAttributes?.signedBytes ?? signed.content, digest: digest),
      "It does not belong to this content and the signer's key.")
  }

  /// Source: Apple's "Validating receipts on the device": SHA-1 over the device's id, the opaque value and the bytes of
  /// the bundle id.
  private mutating func checkDevice(_ receipt: AppReceipt) throws(FailedReceiptCheck) {
    guard let device else {
      journal.note(.device, "No device was asked for.")
      return
    }
    let hash = SHA1.hash(device + (receipt.opaqueValue ?? []) + (receipt.bundleIdBytes ?? []))
    try journal.check(
      .device, .otherDevice,
      holds: receipt.opaqueValue != nil && receipt.bundleIdBytes != nil
        && ConstantTime.isEqual(hash, receipt.deviceHash ?? []),
      receipt.deviceHash == nil ? "It names no device." : "Its device hash is of another device.")
  }
}
