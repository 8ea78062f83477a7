public import PaymentPrimitives
public import CounterfoilAPI

/// How a purchase stands when `purchase` returns. Cancelling and waiting for a parent are outcomes, not errors.
public enum PurchaseOutcome: Hashable, Sendable {
  /// Granted. The order is usually the one that this purchase made; it is another where an earlier purchase of the
  /// same product was completed or found instead (`recovered`): then this tap has charged nothing.
  case fulfilled(OrderIdentifier, recovered: Bool)
  /// The customer gave up. The order is kept: a charge that turns up after all is granted to it.
  case cancelled(OrderIdentifier)
  /// Somebody has to approve the purchase (Ask to Buy), perhaps days from now. It is then granted by itself.
  case pendingApproval(OrderIdentifier)
  /// The store has charged nothing and taken the wish: from its next period on the subscription renews as the product
  /// that was bought (a downgrade, or another duration). Until then the present one lasts. The order is closed.
  case renewalChanged(OrderIdentifier)
  /// Charged or not: nobody knows yet. The work goes on, now and at each start; `events` will tell.
  case awaitingConfirmation(OrderIdentifier)
  /// The server has judged the payment and did not grant it to this user, for the reason named: `held` and
  /// `unclaimed` for an operator to look at, `refused`, `revoked`, `imported`, or granted to another account. Show
  /// the customer the way to support.
  case notGranted(OrderIdentifier, Verdict, reason: String?)

  /// The order that this is about: the customer's support number.
  public var order: OrderIdentifier {
    switch self {
    case .fulfilled(let order, _), .cancelled(let order), .pendingApproval(let order), .renewalChanged(let order),
      .awaitingConfirmation(let order), .notGranted(let order, _, _):
      order
    }
  }
}

/// Why the client looks for open business now.
public enum RecoveryReason: String, Hashable, CaseIterable, Sendable {
  /// The app has started.
  case launch
  /// The app came to the foreground.
  case foreground
  /// A purchase is about to begin.
  case beforePurchase
  /// The app was opened by a link of WeChat's, of whatever kind (scene, URL, universal link).
  case link
  /// The network is back.
  case networkBack
  /// Another user signed in.
  case userChanged
  /// The customer asked for it.
  case userAsked
  /// A push message said that there is news.
  case push
}

/// What a recovery found and did.
public struct RecoveryReport: Hashable, Sendable {
  /// Whether vault, queue and (with a user) server could be asked at all. Without it the numbers tell only a part.
  public var isComplete = true
  /// Transactions that the server says are granted, to whomever.
  public var fulfilled = 0
  /// Transactions whose verdict is not known yet.
  public var waiting = 0
  /// Transactions with a verdict that leaves them unfinished or ungranted: for support.
  public var setAside = 0
  /// Transactions for which the vault had no record.
  public var orphans = 0
  /// Whether it was a restore and the customer gave it up.
  public var isCancelled = false
  /// Records that left the vault.
  public var ordersClosed = 0

  /// Nothing found.
  public init() {}
}

/// What an app may want to show or log as it happens. New kinds may come: have a `default` in your switch.
public enum PurchaseEvent: Hashable, Sendable {
  /// An order of the signed-in user is open, or stands elsewhere than before. Replayed to each new listener and
  /// each new user.
  case orderOpen(OpenOrder)
  /// An order of the signed-in user left the vault: it is granted, or it was closed unpaid.
  case orderClosed(OrderIdentifier)
  /// A transaction was granted to the signed-in user; `firstSeen` when this very submission brought it to the server.
  case fulfilled(TransactionIdentifier, order: OrderIdentifier?, firstSeen: Bool)
  /// An order at WeChat Pay is paid and granted, by whatever path the news came.
  case orderGranted(OrderIdentifier)
  /// The app's backend has acknowledged what was granted (only with `complete: delivered`).
  case delivered(OrderIdentifier)
  /// The customer came back from WeChat and the order is not paid, as far as anybody knows. It stays open: a later
  /// payment is granted.
  case notConfirmed(OrderIdentifier)
  /// The app is in the foreground again for a while, and the store is silent: the purchase takes longer than usual.
  case slowCallback(OrderIdentifier)
  /// The customer began a purchase in the App Store. Buy it with `purchase`, handing it in as `details.promoted`.
  case promotedPayment(PromotedPayment)
  /// What an earlier version of the app had stored was judged: its own number and the verdict.
  case earlierRecordJudged(reference: String, Verdict, reason: String?)
  /// A transaction was judged and not granted to the signed-in user.
  case notGranted(TransactionIdentifier, Verdict, reason: String?)
  /// A transaction came for which the vault has no order; it was submitted all the same (X3).
  case orphan(TransactionIdentifier)
  /// A finished transaction came back, for the so manieth time; it was finished again (S6).
  case finishDidNotStick(TransactionIdentifier, times: Int)
}

/// An order that the device still holds a record of.
public struct OpenOrder: Hashable, Sendable {
  /// The order.
  public let order: PlacedOrder
  /// Whose it is.
  public let user: UserIdentifier
  /// The store that is to be paid.
  public let store: Store
  /// What was ordered.
  public let product: ProductIdentifier
  /// Pieces.
  public let quantity: Int
  /// How far the payment has come.
  public let phase: OrderRecord.Phase

  init?(_ record: OrderRecord) {
    guard case .placed(let order, let phase) = record.state else { return nil }
    self.order = order
    self.user = record.user
    self.store = record.request.store
    self.product = record.request.product
    self.quantity = record.request.quantity
    self.phase = phase
  }
}
