import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import StrictJSON

/// The verifiers of `verify`.
struct Verifiers {
  let signedData: SignedDataVerifier
  let receipts: ReceiptVerifier
  /// The device on which an app receipt must have been created; nil if this is not checked.
  let device: [UInt8]?
}

/// The verdict on one piece of evidence, as `verify` prints it.
struct VerifyReport {
  private let piece: EvidencePiece
  private var kind = "unknown"
  private(set) var isValid = false
  private var failedCheck: String?
  private var checks: [JSONValue] = []
  private var facts = JSONValue.object([])

  init(_ piece: EvidencePiece, _ verifiers: Verifiers, expectations: SignedDataExpectations, at now: Timestamp) {
    self.piece = piece
    switch piece.form {
    case .signedData: verify(verifiers.signedData, expectations, now: now)
    case .appReceipt:
      kind = "appReceipt"
      let verdict = verifiers.receipts.verifyAppReceipt(
        piece.text, expecting: expectations, device: verifiers.device, at: now)
      take(verdict, (verdict.verified?.receipt ?? verdict.unverified)?.json)
    case .transactionReceipt:
      kind = "transactionReceipt"
      let verdict = verifiers.receipts.verifyTransactionReceipt(piece.text, expecting: expectations, at: now)
      take(verdict, (verdict.verified?.receipt ?? verdict.unconfirmed ?? verdict.unverified)?.json)
    case .unknown:
      refuse("unknown", .invalidFormat, detail: "It is no JWS, no receipt, and no JSON with one of them inside.")
    }
  }

  /// The report as one JSON object in one line.
  func line(file: String) -> String {
    JSONValue.members([
      ("file", .string(file)), ("member", piece.member.map { .string($0) }), ("kind", .string(kind)),
      ("valid", .bool(isValid)), ("failedCheck", failedCheck.map { .string($0) } ?? .null),
      ("checks", .array(checks)), ("facts", facts),
    ]).text
  }

  private mutating func verify(
    _ verifier: SignedDataVerifier, _ expectations: SignedDataExpectations, now: Timestamp
  ) {
    let token = piece.text
    let recognized = Self.recognizedKind(of: token)
    kind = recognized?.rawValue ?? "unknown"
    switch recognized {
    case .transaction, nil:
      take(verifier.verifyTransaction(token, expecting: expectations, at: now))
    case .renewalInfo: take(verifier.verifyRenewalInfo(token, expecting: expectations, at: now))
    case .appTransaction: take(verifier.verifyAppTransaction(token, expecting: expectations, at: now))
    case .realtimeRequest: take(verifier.verifyRealtimeRequest(token, expecting: expectations, at: now))
    case .notification:
      let verdict = verifier.verifyNotification(token, expecting: expectations, at: now)
      take(verdict.notification)
      put(verdict.transaction, "signedTransactionInfo", in: "data")
      put(verdict.renewalInfo, "signedRenewalInfo", in: "data")
      put(verdict.appTransaction, "signedAppTransactionInfo", in: "appData")
    }
  }

  private mutating func take<Payload>(_ verdict: SignedDataVerdict<Payload>) {
    isValid = verdict.isValid
    failedCheck = verdict.failure?.code.rawValue
    checks = verdict.checks.map { Self.json($0.check.rawValue, $0.outcome, detail: $0.detail) }
    facts = Self.facts(verdict) ?? .object([])
  }

  private mutating func take<Claims, Verified>(_ verdict: ReceiptVerdict<Claims, Verified>, _ claims: JSONValue?) {
    isValid = verdict.isValid
    failedCheck = verdict.failure?.code.rawValue
    checks = verdict.checks.map { Self.json($0.check.rawValue, $0.outcome, detail: $0.detail) }
    facts = claims ?? .object([])
  }

  /// Replaces a token by its signed payload, and adds its verdict to the checks.
  private mutating func put<Payload>(
    _ verdict: SignedDataVerdict<Payload>?, _ name: String, in part: String
  ) {
    guard let verdict else { return }
    let detail =
      verdict.failure.map { "\($0.code.rawValue): \($0.details)" } ?? "valid on its own"
    checks.append(Self.json(name, verdict.isValid ? .passed : .failed, detail: detail))
    guard let decoded = Self.facts(verdict), case .object(let members) = facts else { return }
    facts = .object(
      members.map { member in
        guard member.name == part, case .object(let inner) = member.value else { return member }
        return JSONMember(
          part, .object(inner.map { $0.name == name ? JSONMember(name, decoded) : $0 }))
      })
  }

  private mutating func refuse(_ kind: String, _ code: SignedDataErrorCode, detail: String) {
    self.kind = kind
    failedCheck = code.rawValue
    checks = [Self.json("kind", .failed, detail: detail)]
  }

  private static func json(
    _ name: String, _ outcome: SignedDataCheckResult.Outcome, detail: String
  ) -> JSONValue {
    let passed: JSONValue =
      switch outcome {
      case .passed: .bool(true)
      case .failed: .bool(false)
      case .notRun: .null
      }
    return .members([("name", .string(name)), ("passed", passed), ("detail", .string(detail))])
  }

  /// The payload as it was signed; without a valid signature, as it claims.
  private static func facts<Payload>(_ verdict: SignedDataVerdict<Payload>) -> JSONValue? {
    (verdict.verified?.payloadBytes ?? verdict.unverifiedPayloadBytes)
      .flatMap { try? JSONReader.read($0) }
  }

  /// The kind of a token by its unverified payload: it only chooses the rules to apply.
  private static func recognizedKind(of token: String) -> SignedDataKind? {
    guard let parts = CompactJWS(token.utf8, bytesMax: SignedDataLimits().bytesMax),
      let value = try? JSONReader.read(parts.payload), let fields = try? PayloadFields(value)
    else { return nil }
    return SignedDataKind.recognized(in: fields)
  }
}
