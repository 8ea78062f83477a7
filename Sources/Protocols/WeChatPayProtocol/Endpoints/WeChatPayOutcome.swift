package import HTTPMessages
package import PaymentPrimitives

/// The outcome of one call to WeChat Pay.
///
/// There are three possible outcomes: an unsigned answer means neither success nor failure.
package struct WeChatPayOutcome<Answer: Sendable>: Sendable {
  package enum Result: Sendable {
    case answered(Answer)
    /// A verified error: the request had no effect, and WeChat Pay states the reason.
    case refused(WeChatPayError)
    /// It is unknown whether the request took effect: send it again, or query its order.
    case unknown(WeChatPayUncertainty)
  }

  package let result: Result
  /// WeChat Pay's `Request-ID` of this exchange, for logs and support. nil if there was no answer.
  package let requestId: String?

  init(_ result: Result, requestId: String?) {
    self.result = result
    self.requestId = requestId
  }

  /// The outcome of a call without an answer.
  package init(_ error: HTTPExchangeError) {
    self.init(.unknown(.noAnswer(error)), requestId: nil)
  }

  /// The answer of a verified success; otherwise nil.
  package var answer: Answer? {
    guard case .answered(let answer) = result else { return nil }
    return answer
  }
}

/// The reason why the outcome of a call is unknown.
package enum WeChatPayUncertainty: Hashable, Sendable {
  case noAnswer(HTTPExchangeError)
  /// The answer has no valid signature; `claim`, its unverified error, is for diagnosis only.
  case unverified(CodedError<PlatformSignatureErrorCode>, status: Int, claim: WeChatPayError?)
  /// A verified answer that leaves the outcome open: too many requests, an error at WeChat Pay.
  case undecided(WeChatPayError)
  /// This version cannot read the verified answer.
  case unreadable(String)

  /// Whether the request was certainly not processed, so it had no effect.
  package var isCertainlyUnprocessed: Bool {
    switch self {
    case .noAnswer(.unreachable), .noAnswer(.refusedTarget): true
    default: false
    }
  }

  /// Whether another host may succeed: this one is unreachable, did not answer in time, or reported a failure. An
  /// unsigned 5xx answer of a gateway counts too. The repetition is safe.
  package var asksForAnotherHost: Bool {
    switch self {
    case .noAnswer(.unreachable), .noAnswer(.outcomeUnknown), .noAnswer(.unreadableAnswer): true
    case .noAnswer(.refusedTarget), .noAnswer(.cancelled), .unreadable: false
    case .unverified(_, let status, _): (500...599).contains(status)
    case .undecided(let error): (500...599).contains(error.status)
    }
  }

  /// Whether to download the certificates again: the answer names a key that is unknown here or not valid now.
  package var asksForCertificates: Bool {
    guard case .unverified(let error, _, _) = self else { return false }
    return error.code == .unknownKey || error.code == .keyNotValid
  }
}
