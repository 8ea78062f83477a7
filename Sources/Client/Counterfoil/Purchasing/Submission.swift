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

/// How the client found a transaction.
enum TransactionSource: Hashable, Sendable {
  /// The store reported it.
  case update
  /// A check of the queue showed it.
  case queue(RecoveryReason)
  /// The vault holds it, and the queue no longer does.
  case vault(RecoveryReason)
  /// The customer asked the store for their earlier purchases.
  case restore
  /// A pause is over.
  case retry

  /// Whether a postponed transaction is submitted again: at each start, for another user, and on request.
  var asksAgain: Bool {
    switch self {
    case .queue(let reason), .vault(let reason):
      switch reason {
      case .launch, .userChanged, .userAsked, .push: true
      case .foreground, .link, .beforePurchase, .networkBack: false
      }
    case .restore: true
    case .update, .retry: false
    }
  }

  /// Whether the store's queue has an entry for it that can be finished.
  var isInQueue: Bool {
    switch self {
    case .update, .queue, .restore: true
    case .vault, .retry: false
    }
  }
}

/// What this run knows of one update; after a process kill the vault and the server know the rest.
struct SubmissionState: Sendable {
  /// The callers that wait for the running submission; nil when none is running.
  var waiting: [OneShotPromise<SubmissionResult>]?
  /// The entry of the store's queue, if it showed one: the finish needs it.
  var inQueue: StoreTransaction?
  var result: SubmissionResult?
  /// Whether the customer asked for a restore, and has no answer to it yet.
  var isRestore = false
  /// The user who was signed in when the server was asked last.
  var asker: UserIdentifier?
  /// Retries since the last submission that was not a retry.
  var attempts = 0
  /// Whether the server did not find the transaction in the evidence.
  var isEvidenceStale = false
  /// Whether a pause is running; at its end the transaction is submitted again.
  var isPausing = false
  /// The server asks for no request before this time.
  var notBefore: Timestamp?
  /// Whether the server allowed the finish in this run: then a second `update` is a repeated report, not a finish
  /// that failed to take effect.
  var wasClearedInThisRun = false
}
