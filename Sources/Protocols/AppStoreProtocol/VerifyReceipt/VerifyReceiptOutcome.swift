package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// The outcome of one request to `verifyReceipt`.
package enum VerifyReceiptOutcome: Sendable {
  /// Apple decoded the receipt. The caller must compare the app: Apple accepts receipts of any app.
  case answered(VerifyReceiptResponse)
  /// The receipt belongs to the other host; send the request there.
  case elsewhere(AppStoreEnvironment)
  /// Apple returned an error, and would return it again.
  case refused(VerifyReceiptError)
  /// The outcome is unknown: send the same request again.
  case unknown(VerifyReceiptUncertainty)

  package init(_ response: HTTPResponse) {
    guard response.status == 200 else {
      self = .unknown(.unreadable(status: response.status, "It is no answer of verifyReceipt."))
      return
    }
    do {
      self = Self.outcome(try VerifyReceiptResponse(JSONReader.read(response.body, limits: Self.limits)))
    } catch {
      let why = (error as? PayloadProblem).map { "\($0.path) must be \($0.expected)." } ?? "\(error)"
      self = .unknown(.unreadable(status: 200, why))
    }
  }

  /// A weekly subscription of ten years has five hundred periods. Each is listed twice, with some thirty members.
  static let limits = JSONLimits(bytesMax: 16 << 20, depthMax: 8, valuesMax: 500_000)

  private static func outcome(_ answer: VerifyReceiptResponse) -> VerifyReceiptOutcome {
    switch answer.status {
    case .known(.valid), .known(.expired):
      guard answer.receipt != nil else {
        return .unknown(.unreadable(status: 200, "receipt must be there."))
      }
      return .answered(answer)
    case .known(.fromSandbox): return .elsewhere(.sandbox)
    case .known(.fromProduction): return .elsewhere(.production)
    case .known, .raw:
      let error = VerifyReceiptError(status: answer.status.rawValue, isRetryable: answer.isRetryable)
      return error.isCertain ? .refused(error) : .unknown(.undecided(error))
    }
  }

  /// The answer; nil if there is none.
  package var answer: VerifyReceiptResponse? {
    guard case .answered(let answer) = self else { return nil }
    return answer
  }
}

/// A status of `verifyReceipt` that means an error.
package struct VerifyReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: VerifyReceiptErrorCode
  package let status: Int64
  /// Apple's statement whether a retry helps; nil if it makes none.
  package let isRetryable: Bool?

  package init(status: Int64, isRetryable: Bool? = nil) {
    code = VerifyReceiptErrorCode(status: status)
    self.status = status
    self.isRetryable = isRetryable
  }

  /// Whether a retry cannot help. Apple's own statement has priority over ours.
  package var isCertain: Bool { !(isRetryable ?? (code.retry == .later)) }

  package var description: String { "\(code.rawValue): \(status)" }
}

/// The reason why Apple's verdict on a receipt is unknown.
package enum VerifyReceiptUncertainty: Hashable, Sendable {
  case noAnswer(HTTPExchangeError)
  /// An error at Apple that Apple itself reports.
  case undecided(VerifyReceiptError)
  /// This version cannot read the answer.
  case unreadable(status: Int, String)
  /// Nothing was sent: retry at that time.
  case busy(until: Timestamp)
  /// Nothing was sent: the configuration does not allow it.
  case notAllowed
}
