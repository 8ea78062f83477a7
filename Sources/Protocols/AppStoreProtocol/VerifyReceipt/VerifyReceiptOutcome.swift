package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// What has become of one question to `verifyReceipt`.
package enum VerifyReceiptOutcome: Sendable {
  /// Apple decoded the receipt. Whether it is this app's is for the caller to compare: Apple takes any app's.
  case answered(VerifyReceiptResponse)
  /// The receipt belongs to the other host, which is to be asked.
  case elsewhere(AppStoreEnvironment)
  /// Apple refused, and will refuse again.
  case refused(VerifyReceiptRefusal)
  /// Nobody knows: the same is asked again.
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

  /// A weekly subscription of ten years lists five hundred periods twice, each with some thirty members.
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
      let refusal = VerifyReceiptRefusal(status: answer.status.rawValue, isRetryable: answer.isRetryable)
      return refusal.isCertain ? .refused(refusal) : .unknown(.undecided(refusal))
    }
  }

  /// The answer, if there is one.
  package var answer: VerifyReceiptResponse? {
    guard case .answered(let answer) = self else { return nil }
    return answer
  }
}

/// A status of `verifyReceipt` that is no success.
package struct VerifyReceiptRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: VerifyReceiptErrorCode
  package let status: Int64
  /// What Apple says of asking again; nil where it does not say.
  package let isRetryable: Bool?

  package init(status: Int64, isRetryable: Bool? = nil) {
    code = VerifyReceiptErrorCode(status: status)
    self.status = status
    self.isRetryable = isRetryable
  }

  /// Whether asking again cannot help. Apple's own word goes before ours.
  package var isCertain: Bool { !(isRetryable ?? (code.retry == .later)) }

  package var description: String { "\(code.rawValue): \(status)" }
}

/// Why nobody knows what Apple thinks of a receipt.
package enum VerifyReceiptUncertainty: Hashable, Sendable {
  case noAnswer(HTTPExchangeError)
  /// A failure at Apple, by its own word.
  case undecided(VerifyReceiptRefusal)
  /// An answer that is not of the form that this version reads.
  case unreadable(status: Int, String)
  /// Nothing was sent: ask again at that moment.
  case busy(until: Timestamp)
  /// Nothing was sent: the configuration does not allow it.
  case notAllowed
}
