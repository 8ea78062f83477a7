package import HTTPMessages
package import PaymentPrimitives

/// What has become of one call to the App Store Server API. There are three, never two.
package enum AppStoreServerOutcome<Answer: Sendable>: Sendable {
  /// Apple answered. Signed parts are still to be verified.
  case answered(Answer)
  /// Apple refused: the request had no effect, and will be refused again as it is.
  case refused(AppStoreServerRefusal)
  /// Nobody knows, or the answer is "later": the same is asked again.
  case unknown(AppStoreServerUncertainty)

  /// The answer, if there is one.
  package var answer: Answer? {
    guard case .answered(let answer) = self else { return nil }
    return answer
  }

  /// The refusal, if it is one.
  package var refusal: AppStoreServerRefusal? {
    guard case .refused(let refusal) = self else { return nil }
    return refusal
  }
}

/// Why nobody knows what has become of a call, or when to ask again.
package enum AppStoreServerUncertainty: Hashable, Sendable {
  case noAnswer(HTTPExchangeError)
  /// An answer that leaves it open: too many requests, a failure at Apple, "not found, try again".
  case undecided(AppStoreServerRefusal)
  /// An answer that is not of a form that this version reads: a page of a gateway's, a body cut short.
  case unreadable(status: Int, String)
  /// Nothing was sent: too much else waits for this endpoint, or it has failed too often. Ask again at that moment.
  case busy(until: Timestamp)
  /// Nothing was sent: Apple has no data of that environment (Xcode, LocalTesting).
  case unaskable(StoreEnvironment)

  package var isCertainlyUnprocessed: Bool {
    switch self {
    case .noAnswer(.unreachable), .noAnswer(.refusedTarget), .busy, .unaskable: true
    case .undecided(let refusal): refusal.status == 429 || refusal.status == 404
    case .noAnswer, .unreadable: false
    }
  }

  /// Before when it is no use to ask again; nil where nobody said.
  package var retryAfter: Timestamp? {
    switch self {
    case .busy(let until): until
    case .undecided(let refusal): refusal.retryAfter
    case .noAnswer, .unreadable, .unaskable: nil
    }
  }
}
