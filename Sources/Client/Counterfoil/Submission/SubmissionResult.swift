import CounterfoilAPI
import PaymentPrimitives

/// The result of submitting one transaction to the server.
enum SubmissionResult: Hashable, Sendable {
  /// The server's verdict.
  case answered(PaymentAnswer)
  /// The server had allowed it to finish before; it was finished again.
  case finishedBefore
  /// No one is signed in, and the app has no key of its own: it waits for `setUser`.
  case noUser
  /// Not known; a repeated submission will tell.
  case unknown
  /// The server could not read it; submitted again at each start.
  case unreadable(code: String)

  /// Whether a new purchase of the same product must wait (docs/specification/states.md, “Verdicts”): only while the
  /// result is not known.
  var blocksPurchase: Bool {
    switch self {
    case .answered(let answer): answer.verdict.blocksPurchase && !answer.finish
    case .noUser, .unknown: true
    case .finishedBefore, .unreadable: false
    }
  }

  /// Whether it is fulfilled for another user.
  var isAnothers: Bool {
    if case .answered(let answer) = self { answer.verdict == .fulfilledForAnother } else { false }
  }

  /// Whether it waits until the next start: the answer would be the same.
  var isSetAside: Bool {
    switch self {
    case .answered(let answer): !answer.finish && answer.verdict != .pending
    case .unreadable: true
    case .finishedBefore, .noUser, .unknown: false
    }
  }
}
