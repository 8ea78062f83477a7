package import HTTPMessages
package import PaymentPrimitives

/// What has become of one call to WeChat Pay.
///
/// There are three, never two: an answer that nobody signed says nothing, neither success nor failure.
package struct WeChatPayOutcome<Answer: Sendable>: Sendable {
  package enum Result: Sendable {
    case answered(Answer)
    /// A verified refusal: the request had no effect, and WeChat Pay says why.
    case refused(WeChatPayRefusal)
    /// Nobody knows whether the request took effect: the same is asked again, or its order.
    case unknown(WeChatPayUncertainty)
  }

  package let result: Result
  /// WeChat Pay's `Request-ID` of this exchange: for logs and its support. nil when no answer came.
  package let requestId: String?

  init(_ result: Result, requestId: String?) {
    self.result = result
    self.requestId = requestId
  }

  /// The outcome of a call that got no answer.
  package init(_ error: HTTPExchangeError) {
    self.init(.unknown(.noAnswer(error)), requestId: nil)
  }

  /// The answer, if it was a verified success.
  package var answer: Answer? {
    guard case .answered(let answer) = result else { return nil }
    return answer
  }
}

/// Why nobody knows what has become of a call.
package enum WeChatPayUncertainty: Hashable, Sendable {
  case noAnswer(HTTPExchangeError)
  /// An answer came that is not signed as it should be; what it claims to refuse is for diagnosis only.
  case unverified(CodedError<PlatformSignatureErrorCode>, status: Int, claim: WeChatPayRefusal?)
  /// A verified answer that says itself that the outcome is open: too many requests, a failure at WeChat Pay.
  case undecided(WeChatPayRefusal)
  /// A verified answer that is not of the form that this version reads.
  case unreadable(String)

  /// Whether the request was certainly never processed, so that even its effect is known: none.
  package var isCertainlyUnprocessed: Bool {
    switch self {
    case .noAnswer(.unreachable), .noAnswer(.refusedTarget): true
    default: false
    }
  }

  /// Whether another host may do better: not reached, no answer in time, or failing by its own word. What came without
  /// a signature from a gateway counts, too; what is asked is safe to repeat.
  package var asksForAnotherHost: Bool {
    switch self {
    case .noAnswer(.unreachable), .noAnswer(.outcomeUnknown), .noAnswer(.unreadableAnswer): true
    case .noAnswer(.refusedTarget), .noAnswer(.cancelled), .unreadable: false
    case .unverified(_, let status, _): (500...599).contains(status)
    case .undecided(let refusal): (500...599).contains(refusal.status)
    }
  }

  /// Whether the certificates should be downloaded anew: the answer names a key that is not known here.
  package var asksForCertificates: Bool {
    guard case .unverified(let refusal, _, _) = self else { return false }
    return refusal.code == .unknownKey || refusal.code == .keyNotValid
  }
}
