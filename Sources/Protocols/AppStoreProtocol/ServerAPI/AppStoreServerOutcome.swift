package import HTTPMessages
package import PaymentPrimitives

/// The outcome of one call to the App Store Server API; there are three possible outcomes.
package enum AppStoreServerOutcome<Answer: Sendable>: Sendable {
  /// Apple answered. Signed parts are not verified yet.
  case answered(Answer)
  /// Apple returned an error. The request had no effect, and an identical request would fail again.
  case refused(AppStoreServerError)
  /// The outcome is unknown, or Apple answered "later": send the same request again.
  case unknown(AppStoreServerUncertainty)

  /// The answer; nil if there is none.
  package var answer: Answer? {
    guard case .answered(let answer) = self else { return nil }
    return answer
  }

  /// The error; nil if there is none.
  package var error: AppStoreServerError? {
    guard case .refused(let error) = self else { return nil }
    return error
  }
}

/// The reason why the outcome of a call is unknown, or when to retry.
package enum AppStoreServerUncertainty: Hashable, Sendable {
  case noAnswer(HTTPExchangeError)
  /// The answer leaves the outcome open: too many requests, an error at Apple, or "not found, try again".
  case undecided(AppStoreServerError)
  /// This version cannot read the answer: for example a gateway's page or a truncated body.
  case unreadable(status: Int, String)
  /// Nothing was sent: the queue of this endpoint is full, or it failed too often. Retry at that time.
  case busy(until: Timestamp)
  /// Nothing was sent: Apple has no data of that environment (Xcode, LocalTesting).
  case unaskable(StoreEnvironment)

  package var isCertainlyUnprocessed: Bool {
    switch self {
    case .noAnswer(.unreachable), .noAnswer(.refusedTarget), .busy, .unaskable: true
    case .undecided(let error): error.status == 429 || error.status == 404
    case .noAnswer, .unreadable: false
    }
  }

  /// The earliest useful time for a retry; nil if unknown.
  package var retryAfter: Timestamp? {
    switch self {
    case .busy(let until): until
    case .undecided(let error): error.retryAfter
    case .noAnswer, .unreadable, .unaskable: nil
    }
  }
}
