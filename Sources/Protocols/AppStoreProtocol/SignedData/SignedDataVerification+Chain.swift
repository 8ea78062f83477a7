import Cryptography
import PaymentPrimitives

// The certificates of a token: known, rejected before, or to be examined.

extension SignedDataVerification {
  /// Finds the signing key through the certificates.
  ///
  /// - Parameter date: the time at which the certificates must be valid; nil to judge that afterwards with
  ///   `judgeValidity`.
  mutating func checkChain(validAt date: Timestamp?) throws(FailedCheck) {
    if let unsigned {
      environment = unsigned.environment
      let reason = "Data of \(unsigned.rawValue) is not signed by Apple; the configuration accepts it."
      for check in SignedDataCheck.ofChainAndSignature { notes[check] = reason }
      return
    }
    if let knownFailure {
      for check in SignedDataCheck.ofChain where check.precedes(knownFailure.check) { passed.insert(check) }
      throw knownFailure
    }
    if let unknown { try examineChain(unknown, validAt: date) }
    guard let known else { return }
    chain = known.facts
    for check in SignedDataCheck.ofChain { passed.insert(check) }
    if let date { try judgeValidity(at: date) }
  }

  private mutating func examineChain(
    _ header: HeaderBytes, validAt date: Timestamp?
  ) throws(FailedCheck) {
    let count = certificates.count
    try check(.chainLength, .invalidChainLength, holds: count == 3, "There are \(count).")
    // Stops here if the sender's budget is used up: reading the chain costs more than all previous steps.
    guard verifier.memory.mayRead(from: sender, at: now) else { throw Self.busy }
    var examination = CertificateChainVerification(
      anchors: verifier.configuration.anchors, leftOut: verifier.leftOut)
    var isDear = false
    do throws(FailedCheck) {
      let certificates = try decodedCertificates()
      let candidate = try examination.read(certificates, validAt: date)
      let fingerprint = SHA256.hash(header.bytes)
      let intermediate = candidate.intermediate.der
      guard verifier.memory.mayExamine(fingerprint, intermediate: intermediate, from: sender, at: now) else {
        throw Self.busy
      }
      isDear = true
      let found = try examination.checkSignatures(of: candidate, validAt: date)
      guard let leafKey = found.leaf.publicKey else {
        throw FailedCheck(.leafKey, .invalidCertificate, details: "The leaf's key is on no curve that we know.")
      }
      let chain = KnownChain(
        header: header.bytes, facts: found.facts, leafKey: leafKey, intermediate: intermediate,
        questions: found.questions)
      verifier.memory.remember(chain, fingerprint, at: now)
      known = chain
    } catch {
      for check in examination.passed { passed.insert(check) }
      guard error.check != nil else { throw error }
      verifier.memory.charge(sender, wasDear: isDear, at: now)
      // Validity depends on the date of the token, so another token with this chain may be valid.
      if error.check != .validity { verifier.memory.remember(error, of: header) }
      throw error
    }
  }

  static var busy: FailedCheck {
    FailedCheck(nil, .verificationBusy, details: "The signatures of its certificates were not checked.")
  }

  private func decodedCertificates() throws(FailedCheck) -> [[UInt8]] {
    var decoded: [[UInt8]] = []
    for text in certificates {
      let certificate =
        Base64.decode(text)
        ?? (verifier.leftOut(.certificates) ? Base64URL.decode(text.filter { $0 != "=" }) : nil)
      guard let certificate else {
        throw FailedCheck(.certificates, .invalidCertificate, details: "A certificate in x5c is not Base64.")
      }
      decoded.append(certificate)
    }
    return decoded
  }

  /// Checks that no issuer has revoked a certificate, as far as that is known. It comes last: the data is genuine but
  /// for that.
  mutating func checkStatus() throws(FailedCheck) {
    guard verifier.statuses.check != .off, let known else { return }
    switch verifier.statuses.status(of: known.questions, at: now) {
    case .good: passed.insert(.revocation)
    case .notAsked: notes[.revocation] = "No issuer is asked: the certificates name none, or have expired."
    case .revoked(let details): try check(.revocation, .certificateRevoked, holds: false, details)
    case .unknown(let details):
      statusIsUnknown = true
      notes[.revocation] = details
      guard verifier.statuses.check == .soft else {
        throw FailedCheck(nil, .certificateStatusUnknown, details: details)
      }
    }
  }

  /// Checks that all certificates were valid at that time. It becomes the effective date.
  mutating func judgeValidity(at date: Timestamp, note: String? = nil) throws(FailedCheck) {
    effectiveDate = date
    if let note { notes[.validity] = note }
    guard let chain else { return }
    try check(
      .validity, .expired, holds: chain.isValid(at: date),
      "At \(date.iso8601) a certificate was not valid: together they are from "
        + "\(chain.notBefore.iso8601) to \(chain.notAfter.iso8601).")
  }
}

extension SignedDataCheck {
  /// The checks with a result that depends only on the header, not on the signed content.
  static let ofChain: [SignedDataCheck] = [
    .chainLength, .certificates, .anchor, .authority, .leafUsage, .criticalExtensions,
    .intermediateMarker, .leafMarker, .leafKey, .path,
  ]

  static let ofChainAndSignature: [SignedDataCheck] = ofChain + [.validity, .signature]

  fileprivate func precedes(_ other: SignedDataCheck?) -> Bool {
    guard let other, let own = Self.ofChain.firstIndex(of: self),
      let limit = Self.ofChain.firstIndex(of: other)
    else { return false }
    return own < limit
  }
}
