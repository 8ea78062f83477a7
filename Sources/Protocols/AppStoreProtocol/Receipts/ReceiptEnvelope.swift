import Cryptography
import PaymentPrimitives

/// The steps that app receipts and transaction receipts share.
enum ReceiptEnvelope {
  /// Decodes the received text into the bytes of the expected kind of receipt.
  static func open(
    _ text: String, _ form: ReceiptForm, verifier: ReceiptVerifier, journal: inout ReceiptJournal
  ) throws(FailedReceiptCheck) -> [UInt8] {
    let count = text.utf8.count
    let bytesMax = verifier.limits.receiptBytesMax
    journal.byteCount = count
    try journal.check(
      .size, .tooLarge, holds: count <= bytesMax, "It has \(count) bytes; at most \(bytesMax) are read.")
    let bytes: [UInt8]
    switch ReceiptTransport(text, isLenient: verifier.leftOut(.transport)) {
    case .bytes(let read, let repairs):
      bytes = read
      journal.repairs = repairs
    case .signedData:
      throw FailedReceiptCheck(.transport, .isSignedData, details: "It is a JWS of three parts.")
    case .notBase64:
      throw FailedReceiptCheck(.transport, .notBase64, details: "It is no Base64, not even after the known repairs.")
    }
    try journal.check(.transport, .notBase64, holds: true, "")
    guard let found = ReceiptForm.form(of: bytes) else {
      throw FailedReceiptCheck(.form, .malformed, details: "Its bytes are neither CMS nor a property list.")
    }
    guard found == form else {
      throw FailedReceiptCheck(.form, .otherKind, details: "It is of the kind \(found.rawValue).")
    }
    return bytes
  }

  /// The app of a receipt, one of the expected apps.
  static func app(
    _ bundleId: String?, appItemId: Int64?, _ expectations: SignedDataExpectations, journal: inout ReceiptJournal
  ) throws(FailedReceiptCheck) -> AppIdentity? {
    guard let apps = expectations.apps else {
      journal.note(.appIdentifier, "No app was asked for.")
      return nil
    }
    let app = apps.first { app in
      bundleId.map { $0.utf8.elementsEqual(app.bundleId.utf8) } ?? false
        && (appItemId == nil || app.appAppleId == nil || appItemId == app.appAppleId)
    }
    try journal.check(
      .appIdentifier, .otherApp, holds: app != nil,
      "It is for \(bundleId?.shown ?? "no bundle id")" + (appItemId.map { ", Apple id \($0)" } ?? "") + ".")
    return app
  }

  /// The time at which the certificates must be valid.
  static func date(
    _ stated: Timestamp?, at now: Timestamp, _ verifier: ReceiptVerifier, journal: inout ReceiptJournal
  ) throws(FailedReceiptCheck) -> Timestamp {
    let date = stated ?? now
    journal.effectiveDate = date
    if stated == nil, !verifier.leftOut(.creationDate) {
      throw FailedReceiptCheck(.creationDate, .undated, details: "It states no date.")
    }
    try journal.check(
      .creationDate, .fromTheFuture, holds: date <= now + verifier.limits.clockSkew,
      "Made at \(date.iso8601), which is later than now.")
    return date
  }

  /// Checks that the environment is an accepted one.
  static func environment(
    _ environment: StoreEnvironment, _ expectations: SignedDataExpectations, journal: inout ReceiptJournal
  ) throws(FailedReceiptCheck) {
    guard let accepted = expectations.environments else {
      journal.note(.environment, "No environment was asked for; it is \(environment.rawValue).")
      return
    }
    journal.note(.environment, environment.rawValue)
    try journal.check(
      .environment, .otherEnvironment, holds: accepted.contains(environment), "It is \(environment.rawValue).")
  }

  /// Examines signer, intermediate and root, if the budgets allow it.
  ///
  /// - Parameter key: the bytes that contained the chain.
  static func examine(
    _ chain: [[UInt8]], _ key: HeaderBytes, from sender: String?, at now: Timestamp, verifier: ReceiptVerifier,
    journal: inout ReceiptJournal
  ) throws(FailedReceiptCheck) -> (facts: CertificateChain, leaf: X509Certificate, fingerprint: [UInt8]) {
    let busy = FailedReceiptCheck(nil, .busy, details: "The certificates were not looked at.")
    guard verifier.memory.mayRead(from: sender, at: now) else { throw busy }
    var examination = CertificateChainVerification(
      anchors: verifier.configuration.anchors, leftOut: verifier.leftOut.ofChain, rules: .receipts)
    defer { journal.pass(examination.passed.compactMap { ReceiptCheck(rawValue: $0.rawValue) }) }
    var isDear = false
    do throws(FailedCheck) {
      let candidate = try examination.read(chain, validAt: nil)
      let fingerprint = SHA256.hash(key.bytes)
      guard
        verifier.memory.mayExamine(
          fingerprint, intermediate: candidate.intermediate.der, from: sender, at: now)
      else { throw FailedCheck(nil, .verificationBusy, details: "") }
      isDear = true
      let found = try examination.checkSignatures(of: candidate, validAt: nil)
      return (found.facts, found.leaf, fingerprint)
    } catch {
      guard error.check != nil else { throw busy }
      verifier.memory.charge(sender, wasDear: isDear, at: now)
      throw FailedReceiptCheck(error)
    }
  }
}
