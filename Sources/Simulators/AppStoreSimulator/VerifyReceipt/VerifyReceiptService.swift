import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// `verifyReceipt`, which Apple has deprecated and still answers: no token, one host per environment, a number instead
/// of a status code.
struct VerifyReceiptService {
  let snapshot: AppStoreSnapshot
  let authority: SimulatedSigningAuthority
  /// The environment whose host was called.
  let environment: SimulatedEnvironment

  /// Answers a `verifyReceipt` request. The HTTP status is always 200; the result is a number in the body.
  func answer(to request: HTTPRequest, _ fault: AppStoreAPIFault?) -> HTTPResponse {
    if let status = fault?.receiptStatus { return status.response }
    do throws(VerifyReceiptProblem) {
      let asked = try VerifyReceiptQuestion(request)
      return HTTPResponse(status: 200, json: try decoded(asked))
    } catch { return error.response }
  }

  private func decoded(_ asked: VerifyReceiptQuestion) throws(VerifyReceiptProblem) -> JSONValue {
    let verifier: ReceiptVerifier
    let moment = snapshot.now
    do throws(CodedError<SignedDataErrorCode>) {
      verifier = try ReceiptVerifier(
        SignedDataConfiguration(profile: .development, anchors: [authority.root]),
        intermediates: [snapshot.signer.receiptChain(at: moment).certificates[1]])
    } catch { throw .status(21009) }
    let answer: VerifyReceiptAnswer
    switch ReceiptForm(asked.receipt) {
    case .appReceipt?:
      let verdict = verifier.verifyAppReceipt(asked.receipt, expecting: SignedDataExpectations(), at: moment)
      guard let verified = verdict.verified else { throw Self.problem(verdict.failure) }
      answer = .unified(verified.receipt)
    case .transactionReceipt?:
      let verdict = verifier.verifyTransactionReceipt(asked.receipt, expecting: SignedDataExpectations(), at: moment)
      guard let verified = verdict.verified else { throw Self.problem(verdict.failure) }
      answer = .flat(verified.receipt)
    case .signedData?, nil: throw .status(21002)
    }
    return try VerifyReceiptBook(
      state: snapshot.state, secret: authority.testSharedSecret, environment: environment, now: moment
    ).entry(answer, asked)
  }

  /// Unreadable data is malformed (21002); readable data without this simulator's signature is not authentic (21003):
  /// rule AS-VR-2.
  private static func problem(_ failure: CodedError<ReceiptErrorCode>?) -> VerifyReceiptProblem {
    switch failure?.code {
    case .tooLarge, .notBase64, .isSignedData, .otherKind, .malformed, .malformedAttribute, nil: .status(21002)
    case .busy: .status(21005)
    default: .status(21003)
    }
  }
}

extension SimulatedSigningAuthority {
  /// The shared secret of every app here, as App Store Connect shows it: 32 hexadecimal digits, derived from the seed.
  package var testSharedSecret: String {
    let bytes = SHA256.hash(seed + Array("Counterfoil Simulator shared secret".utf8)).prefix(16)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// One of Apple's error numbers, perhaps with Apple's retry advice.
struct VerifyReceiptProblem: Error {
  let status: Int64
  var isRetryable: Bool?

  static func status(_ number: Int64) -> VerifyReceiptProblem { VerifyReceiptProblem(status: number) }

  var response: HTTPResponse {
    HTTPResponse(
      status: 200,
      json: .members([
        ("status", .integer(status)),
        // Apple writes a number here, and booleans elsewhere.
        ("is-retryable", isRetryable.map { .integer($0 ? 1 : 0) }),
      ]))
  }
}

/// The request (rule AS-VR-1).
struct VerifyReceiptQuestion {
  /// The receipt in Base64.
  let receipt: String
  let password: String?
  let excludesOldTransactions: Bool

  private static let limits = JSONLimits(
    bytesMax: SimulatorLimits.receiptQuestionBytesMax, depthMax: 2, valuesMax: 16)

  init(_ request: HTTPRequest) throws(VerifyReceiptProblem) {
    guard request.method == "POST" else { throw .status(21000) }
    guard let body = try? JSONReader.read(request.body, limits: Self.limits),
      let receipt = body["receipt-data"]?.string, Base64.decode(receipt) != nil
    else { throw .status(21002) }
    self.receipt = receipt
    password = body["password"]?.string
    excludesOldTransactions = body["exclude-old-transactions"] == .bool(true)
  }
}

extension AppStoreAPIFault {
  /// The answer of `verifyReceipt` to this fault; nil when the fault does not change the answer (rule AS-VR-7).
  var receiptStatus: VerifyReceiptProblem? {
    switch self {
    case .receiptUnreadable: .status(21002)
    case .receiptServiceDown: .status(21005)
    case .receiptServiceFailed: .status(21009)
    case .receiptAccountGone: .status(21010)
    case .receiptDataRetryable: VerifyReceiptProblem(status: 21100, isRetryable: true)
    case .receiptDataFinal: VerifyReceiptProblem(status: 21199, isRetryable: false)
    default: nil
    }
  }

  /// Whether the fault applies to a call. Faults with a `verifyReceipt` number apply only there; faults with an HTTP
  /// status apply to all other calls.
  func concerns(_ operation: AppStoreAPIOperation) -> Bool {
    switch self {
    case .unreachable, .loseRequest, .htmlError, .loseAnswer, .slow, .cutAnswer: true
    case .unauthorized, .notFound, .notFoundYet, .rateLimited, .internalError, .internalErrorRetryable,
      .internalErrorAfterEffect:
      operation != .verifyReceipt && operation != .certificateStatus
    case .receiptUnreadable, .receiptServiceDown, .receiptServiceFailed, .receiptAccountGone, .receiptDataRetryable,
      .receiptDataFinal:
      operation == .verifyReceipt
    }
  }
}
