import Cryptography
import PaymentPrimitives

/// The verification of one transaction receipt of iOS 6.
///
/// Apple never documented the format; it is known from genuine receipts. A property list holds `purchase-info` and
/// `signature`, both in Base64. `purchase-info` is another property list. `signature` has four parts: a version byte (2
/// or 3), an RSA signature, the length of a certificate in four bytes, and the certificate. The RSA signature is over
/// the SHA-1 of the version byte and the purchase-info.
struct TransactionReceiptVerification {
  let verifier: ReceiptVerifier
  let expectations: SignedDataExpectations
  let now: Timestamp
  let sender: String?

  var journal: ReceiptJournal
  var receipt: TransactionReceipt?

  init(
    _ verifier: ReceiptVerifier, _ expectations: SignedDataExpectations, at now: Timestamp, from sender: String?
  ) {
    self.verifier = verifier
    self.expectations = expectations
    self.now = now
    self.sender = sender
    journal = ReceiptJournal(ReceiptCheck.ofTransactionReceipts, leavingOut: verifier.leftOut)
  }

  mutating func run(_ text: String) throws(FailedReceiptCheck) -> TransactionReceiptVerdict {
    let bytes = try ReceiptEnvelope.open(text, .transactionReceipt, verifier: verifier, journal: &journal)
    guard let list = TextPropertyList.read(bytes), let info = list["purchase-info"].flatMap({ Base64.decode($0) }),
      let blob = list["signature"].flatMap({ Base64.decode($0) })
    else {
      throw FailedReceiptCheck(.form, .malformed, details: "It is no property list with signature and purchase-info.")
    }
    guard let blob = SignatureBlob(blob) else {
      throw FailedReceiptCheck(.form, .malformed, details: "Its signature is not of version 2 or 3 with a certificate.")
    }
    try journal.check(.form, .malformed, holds: true, "")
    guard let fields = TextPropertyList.read(info) else {
      throw FailedReceiptCheck(
        .payload, .malformedAttribute, details: "The purchase-info is no property list of texts.")
    }
    let receipt = TransactionReceipt(fields: fields, purchaseInfo: info)
    self.receipt = receipt
    try journal.check(.payload, .malformedAttribute, holds: true, "")
    let app = try ReceiptEnvelope.app(receipt.bundleId, appItemId: nil, expectations, journal: &journal)
    let date = try ReceiptEnvelope.date(receipt.purchaseDate, at: now, verifier, journal: &journal)
    guard let signer = try? X509Certificate(der: blob.certificate) else {
      throw FailedReceiptCheck(.certificates, .certificateUnusable, details: "The signer's certificate cannot be read.")
    }
    try journal.check(
      .signature, .invalidSignature,
      holds: signer.isRSASignature(blob.signature, over: [blob.version] + info, digest: .sha1),
      "It does not belong to this purchase-info and the signer's key.")
    let chain = try chain(of: signer)
    journal.chain = chain
    try journal.check(
      .validity, .certificateExpired, holds: chain.isValid(at: date),
      "At \(date.iso8601) a certificate was not valid: together they are from \(chain.notBefore.iso8601) to "
        + "\(chain.notAfter.iso8601).")
    let environment: StoreEnvironment =
      verifier.configuration.isApple(chain.anchor) ? .undetermined : .simulated
    try ReceiptEnvelope.environment(environment, expectations, journal: &journal)
    var verdict = TransactionReceiptVerdict(journal)
    verdict.verified = VerifiedTransactionReceipt(
      receipt: receipt, environment: environment, app: app, effectiveDate: date, chain: chain)
    return verdict
  }

  /// Builds the chain from the signer to a root, if the intermediate is available.
  ///
  /// All signers until 2015 had keys of 1024 bits, which can be factored today. Such a signature only excludes
  /// accidental changes, so the receipt still needs confirmation by Apple.
  private mutating func chain(of signer: X509Certificate) throws(FailedReceiptCheck) -> CertificateChain {
    let known = verifier.intermediates + [AppleRootCertificates.developerRelations2013].compactMap { $0 }
    let named = known.filter { $0.subject == signer.issuer }
    guard !named.isEmpty else {
      throw FailedReceiptCheck(
        .anchor, .chainNotShown,
        details: "The certificate of its issuer, \(signer.issuer.description.shown), is not at hand.")
    }
    let signing = named.first { signer.isSigned(by: $0) } ?? (verifier.leftOut(.path) ? named[0] : nil)
    guard let intermediate = signing
    else {
      throw FailedReceiptCheck(.path, .untrusted, details: "The signer was not certified by the issuer that it names.")
    }
    if (signer.rsaBitCount ?? 0) < 2048, !verifier.leftOut(.leafKey) {
      throw FailedReceiptCheck(
        .leafKey, .chainNotShown, details: "The signer's key has only \(signer.rsaBitCount ?? 0) bits.")
    }
    let root = verifier.configuration.anchors.first { $0.subject == intermediate.issuer }
    let (facts, _, fingerprint) = try ReceiptEnvelope.examine(
      [signer.der, intermediate.der, root?.der ?? AppleRootCertificates.receiptRoot],
      HeaderBytes(joining: [signer.der, intermediate.der]), from: sender, at: now, verifier: verifier, journal: &journal
    )
    verifier.memory.remember(fingerprint)
    return facts
  }
}

/// The parts of the bytes of `signature`.
private struct SignatureBlob {
  let version: UInt8
  let signature: [UInt8]
  let certificate: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard let version = bytes.first, version == 2 || version == 3 else { return nil }
    let signatureEnd = 1 + (version == 2 ? 128 : 256)
    guard bytes.count > signatureEnd + 4 else { return nil }
    let length = bytes[signatureEnd..<signatureEnd + 4].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count == signatureEnd + 4 + length else { return nil }
    self.version = version
    signature = Array(bytes[1..<signatureEnd])
    certificate = Array(bytes[(signatureEnd + 4)...])
  }
}
