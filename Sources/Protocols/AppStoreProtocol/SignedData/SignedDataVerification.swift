import Cryptography
import PaymentPrimitives
import StrictJSON

/// The verification of one token. Each step returns or throws the check that failed.
struct SignedDataVerification<Payload: SignedPayload> {
  let verifier: SignedDataVerifier
  let expectations: SignedDataExpectations
  let now: Timestamp
  /// The sender, for the budget of unknown chains.
  let sender: String?

  var passed = SignedDataCheckSet()
  var notes: [SignedDataCheck: String] = [:]
  var payload: Payload?
  var payloadBytes: [UInt8]?
  var claims = SignedDataClaims(namesApp: .not)
  var chain: CertificateChain?
  var environment: StoreEnvironment?
  var app: AppIdentity?
  var effectiveDate: Timestamp?
  /// Whether an issuer was to be asked and has not answered.
  var statusIsUnknown = false

  var known: KnownChain?
  var unknown: HeaderBytes?
  var knownFailure: FailedCheck?
  var certificates: [String] = []
  private var signature: [UInt8] = []
  var unsigned: SignedDataConfiguration.UnsignedEnvironment?

  init(
    _ verifier: SignedDataVerifier, _ expectations: SignedDataExpectations, at now: Timestamp, from sender: String?
  ) {
    self.verifier = verifier
    self.expectations = expectations
    self.now = now
    self.sender = sender
  }

  /// Passes if the condition is true, or if the check is left out.
  mutating func check(
    _ check: SignedDataCheck, _ code: SignedDataErrorCode, holds: Bool,
    _ details: @autoclosure () -> String
  ) throws(FailedCheck) {
    guard holds || verifier.leftOut(check) else { throw FailedCheck(check, code, details: details()) }
    passed.insert(check)
  }

  /// All cheap checks: from the size to the claims.
  mutating func readClaims(_ token: UnsafeRawBufferPointer) throws(FailedCheck) -> CompactJWSParts {
    let bytesMax = verifier.limits.bytesMax
    try check(
      .size, .signedDataTooLarge, holds: token.count <= bytesMax,
      "It has \(token.count) bytes; at most \(bytesMax) are read.")
    guard let parts = CompactJWSParts(token) else {
      throw FailedCheck(.form, .invalidFormat, details: "It does not have three parts.")
    }
    try check(.form, .invalidFormat, holds: !parts.hasMore, "It has more than three parts.")
    let header = UnsafeRawBufferPointer(rebasing: token[parts.header])
    known = verifier.memory.known(header, at: now)
    if known == nil { knownFailure = verifier.memory.failure(of: header) }
    if known == nil && knownFailure == nil { unknown = HeaderBytes(header) }
    if known != nil || knownFailure != nil {
      // The same header bytes were read before, so their contents are the same.
      passed.insert(.algorithm)
      passed.insert(.keyHeaders)
    } else {
      try readHeader(header)
      try checkBudget()
    }
    guard let signature = Base64URL.decode(UnsafeRawBufferPointer(rebasing: token[parts.signature]))
    else { throw FailedCheck(.form, .invalidFormat, details: "The signature is not Base64URL.") }
    self.signature = signature
    try readPayload(UnsafeRawBufferPointer(rebasing: token[parts.payload]))
    try checkApp()
    let signedDate = claims.signedDate
    try check(
      .signedDate, .signedInTheFuture,
      holds: signedDate.map { $0 <= now + verifier.limits.clockSkew } ?? true,
      "Signed at \(signedDate?.iso8601 ?? ""), which is later than now.")
    effectiveDate = signedDate
    unsigned = verifier.configuration.unsignedEnvironments.first {
      $0.word.rawValue == claims.environment
    }
    return parts
  }

  private mutating func readHeader(_ encoded: UnsafeRawBufferPointer) throws(FailedCheck) {
    guard let header = SignedDataHeader(encoded) else {
      throw FailedCheck(.form, .invalidFormat, details: "The header is not strict JSON in Base64URL.")
    }
    try check(
      .algorithm, .invalidAlgorithm, holds: header.algorithm == "ES256",
      "The header does not name ES256.")
    try check(
      .keyHeaders, .invalidHeader, holds: header.refusedMember == nil,
      "The header has a member \(header.refusedMember ?? "").")
    certificates = header.certificates
  }

  /// Reads no payload under an unknown chain for which there is no budget. Unsigned data has no chain, and only the
  /// payload says that it is unsigned.
  private func checkBudget() throws(FailedCheck) {
    guard verifier.configuration.unsignedEnvironments.isEmpty, certificates.count == 3 else { return }
    guard verifier.memory.mayRead(from: sender, at: now) else { throw Self.busy }
  }

  private mutating func readPayload(_ encoded: UnsafeRawBufferPointer) throws(FailedCheck) {
    guard let bytes = Base64URL.decode(encoded) else {
      throw FailedCheck(.form, .invalidFormat, details: "The payload is not Base64URL.")
    }
    payloadBytes = bytes
    let value: JSONValue
    do {
      value = try JSONReader.read(bytes, limits: JSONLimits(bytesMax: bytes.count))
    } catch {
      throw FailedCheck(.form, .invalidFormat, details: "The payload is not strict JSON: \(error).")
    }
    let fields: PayloadFields
    let read: Payload
    do {
      fields = try PayloadFields(value, path: "", isLenient: verifier.leftOut(.payload))
      read = try Payload(fields)
    } catch {
      throw FailedCheck(.payload, .malformedPayload, details: "\(error.path) is not \(error.expected).")
    }
    payload = read
    claims = read.claims
    passed.insert(.payload)
    let kind = SignedDataKind.recognized(in: fields)
    try check(
      .kind, .unexpectedKind, holds: kind == Payload.kind,
      "It is \(kind?.rawValue ?? "of no known kind"), not \(Payload.kind.rawValue).")
  }

  private mutating func checkApp() throws(FailedCheck) {
    guard let apps = expectations.apps else {
      notes[.appIdentifier] = "No app was asked for."
      return
    }
    guard claims.namesApp != .not else {
      notes[.appIdentifier] = "Renewal information names no app."
      return
    }
    let isProduction = claims.environment == AppStoreEnvironment.production.rawValue
    guard claims.namesApp != .byNumber || isProduction else {
      notes[.appIdentifier] = "Outside production it names no app."
      return
    }
    app = apps.first { app in
      (claims.namesApp == .byNumber
        || claims.bundleId.map { $0.utf8.elementsEqual(app.bundleId.utf8) } ?? false)
        && (claims.namesApp == .byBundle || !isProduction
          || (app.appAppleId.map { $0 == claims.appAppleId } ?? (claims.namesApp != .byNumber)))
    }
    let named = (claims.bundleId, claims.appAppleId)
    try check(
      .appIdentifier, .invalidAppIdentifier, holds: app != nil,
      "It is for \(named.0?.shown ?? "no bundle id")"
        + (named.1.map { ", Apple id \($0)" } ?? "") + ".")
  }

  /// Adds a note to a check.
  mutating func note(_ check: SignedDataCheck, _ text: String) { notes[check] = text }

  /// The result as a verdict: rejected if there is a failure, otherwise verified.
  func verdict(_ failure: FailedCheck?, bytes: Int) -> SignedDataVerdict<Payload> {
    var verdict = SignedDataVerdict<Payload>()
    verdict.passed = passed
    verdict.notes = notes
    verdict.bytes = bytes
    verdict.chain = chain
    verdict.effectiveDate = effectiveDate
    verdict.statusIsUnknown = statusIsUnknown
    var genuine: VerifiedSignedData<Payload>?
    if let payload, let payloadBytes, let environment {
      genuine = VerifiedSignedData(
        payload: payload, payloadBytes: payloadBytes, environment: environment, app: app,
        effectiveDate: effectiveDate ?? now, chain: chain)
    }
    if let failure {
      verdict.failedCheck = failure.check
      verdict.failure = CodedError(failure.code, failure.details)
      verdict.unverifiedPayload = payload
      verdict.unverifiedPayloadBytes = payloadBytes
      if failure.code == .certificateStatusUnknown { verdict.waiting = genuine }
    } else {
      verdict.verified = genuine
    }
    return verdict
  }

  /// Environment and signature: the last two checks of every kind.
  mutating func checkSignature(
    _ token: UnsafeRawBufferPointer, _ parts: CompactJWSParts
  ) throws(FailedCheck) {
    let environment = environment ?? self.environment(claims, chain?.anchor)
    self.environment = environment
    if let accepted = expectations.environments {
      let word = claims.environment
      try check(
        .environment, .invalidEnvironment, holds: accepted.contains(environment),
        "It is \(environment.rawValue)"
          + (word.map { " (it says \($0.shown))" } ?? " (it does not say)") + ".")
    } else {
      notes[.environment] = "No environment was asked for; it is \(environment.rawValue)."
    }
    guard let known else { return }
    let rest = UnsafeRawBufferPointer(rebasing: token[parts.payload])
    let isValid = signature.withUnsafeBytes { known.signatures.isValid($0, forRest: rest) }
    let count = signature.count
    try check(
      .signature, .invalidSignature, holds: isValid,
      count == 64
        ? "It does not belong to this text and the leaf's key."
        : "It has \(count) bytes instead of 64.")
  }

  /// The environment that the payload claims, limited by the root: only Apple's roots yield production or sandbox. An
  /// unknown or absent word yields neither.
  private func environment(
    _ claims: SignedDataClaims, _ anchor: CertificateChain.Anchor?
  ) -> StoreEnvironment {
    guard verifier.configuration.isApple(anchor) else { return .simulated }
    switch claims.environment.flatMap({ AppStoreEnvironment(rawValue: $0) }) {
    case .production: return .production
    case .sandbox: return .sandbox
    case .xcode, .localTesting, nil: return .undetermined
    }
  }
}
