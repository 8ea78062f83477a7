import PaymentPrimitives
import CounterfoilAPI

/// What became of handing one transaction to the server.
enum SubmissionResult: Hashable, Sendable {
  /// The server's verdict.
  case answered(PaymentAnswer)
  /// The server had allowed it to finish before; it was finished again.
  case finishedBefore
  /// Nobody is signed in, and the app has no key of its own: it waits for `setUser`.
  case noUser
  /// Nobody knows; the same again will tell.
  case unknown
  /// The server could not read it; asked again at each start.
  case unreadable(code: String)

  /// Whether a new purchase of the same product must wait (docs/specification/states.md, “Verdicts”): only for what is
  /// not known.
  var blocksPurchase: Bool {
    switch self {
    case .answered(let answer): answer.verdict.blocksPurchase && !answer.finish
    case .noUser, .unknown: true
    case .finishedBefore, .unreadable: false
    }
  }

  /// Whether it is fulfilled, for somebody else.
  var isAnothers: Bool {
    if case .answered(let answer) = self { answer.verdict == .fulfilledForAnother } else { false }
  }

  /// Whether it is put aside until the next start: the answer would be the same.
  var isSetAside: Bool {
    switch self {
    case .answered(let answer): !answer.finish && answer.verdict != .pending
    case .unreadable: true
    case .finishedBefore, .noUser, .unknown: false
    }
  }
}

/// How a transaction came to be looked at.
enum TransactionSource: Hashable, Sendable {
  /// The store reported it.
  case update
  /// It was in the queue when somebody looked.
  case queue(RecoveryReason)
  /// It is in the vault and no longer in the queue.
  case vault(RecoveryReason)
  /// The customer asked the store for what he bought before.
  case restore
  /// A pause is over.
  case retry

  /// Whether what was set aside is asked again: at each start, for another user, and when somebody wants to know.
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

  /// Whether there is an entry in the store's queue behind it that can be finished.
  var isInQueue: Bool {
    switch self {
    case .update, .queue, .restore: true
    case .vault, .retry: false
    }
  }
}

/// What this run knows of one piece of news; after a kill the vault and the server know the rest.
struct SubmissionState: Sendable {
  /// Those who wait for the submission that is under way; nil when none is.
  var waiting: [OneShotPromise<SubmissionResult>]?
  /// The entry of the store's queue, if it showed one: by this it is finished.
  var inQueue: StoreTransaction?
  /// What became of the last one.
  var result: SubmissionResult?
  /// Whether the customer asked for what he bought before, and has no answer to that yet.
  var isRestore = false
  /// Who was signed in when the server was asked last.
  var asker: UserIdentifier?
  /// Attempts since something gave reason to hope.
  var attempts = 0
  /// Whether the server did not find the transaction in the evidence.
  var isEvidenceStale = false
  /// Whether a pause is running at whose end it is submitted again.
  var isPausing = false
  /// Until when the server wants not to be asked.
  var notBefore: Timestamp?
  /// Whether the server allowed in this run to finish it: then seeing it again is an echo, not a finish that did
  /// not stick.
  var wasClearedInThisRun = false
}
