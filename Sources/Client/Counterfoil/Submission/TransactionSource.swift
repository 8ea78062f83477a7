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
