public import CounterfoilAPI
public import PaymentPrimitives

/// How a purchase stands when `purchase` returns. Cancelling and waiting for a parent are outcomes, not errors.
public enum PurchaseOutcome: Hashable, Sendable {
  /// Granted. The order is usually the one that this purchase made. With `recovered` it can be another: an earlier
  /// purchase of the product was completed or found, and this tap charged nothing.
  case fulfilled(OrderIdentifier, recovered: Bool)
  /// The customer cancelled. The order is kept: a charge that appears later is granted to it.
  case cancelled(OrderIdentifier)
  /// Another person has to approve the purchase (Ask to Buy), perhaps days later. The grant then happens
  /// automatically.
  case pendingApproval(OrderIdentifier)
  /// The store charged nothing and recorded the change. From its next period the subscription renews as the product
  /// that was bought (a downgrade, or another duration). The present product lasts until then. The order is closed.
  case renewalChanged(OrderIdentifier)
  /// Not known yet whether it was charged. The work goes on, now and at each start; `events` reports the result.
  case awaitingConfirmation(OrderIdentifier)
  /// The server has judged the payment and did not grant it to this user. The reason is one of these: `held` and
  /// `unclaimed` (an operator must look), `refused`, `revoked`, `imported`, or granted to another account. Show the
  /// customer how to contact support.
  case notGranted(OrderIdentifier, Verdict, reason: String?)

  /// The order concerned; it is the customer's support number.
  public var order: OrderIdentifier {
    switch self {
    case .fulfilled(let order, _), .cancelled(let order), .pendingApproval(let order), .renewalChanged(let order),
      .awaitingConfirmation(let order), .notGranted(let order, _, _):
      order
    }
  }
}

/// Why the client looks for open purchases now.
public enum RecoveryReason: String, Hashable, CaseIterable, Sendable {
  /// The app has started.
  case launch
  /// The app came to the foreground.
  case foreground
  /// A purchase is about to begin.
  case beforePurchase
  /// A link from WeChat opened the app, of any kind (scene, URL, universal link).
  case link
  /// The network is back.
  case networkBack
  /// Another user signed in.
  case userChanged
  /// The customer asked for it.
  case userAsked
  /// A push message announced an update.
  case push
}

/// The result of a recovery.
public struct RecoveryReport: Hashable, Sendable {
  /// Whether vault, queue and (with a user) server all answered. If not, the numbers are incomplete.
  public var isComplete = true
  /// Transactions that the server says are granted, to any user.
  public var fulfilled = 0
  /// Those of `fulfilled` that belong to another account of the app.
  public var ofOtherAccounts = 0
  /// Transactions without a verdict yet.
  public var waiting = 0
  /// Transactions with a verdict that leaves them unfinished or not granted: for support.
  public var setAside = 0
  /// Transactions without a record in the vault.
  public var orphans = 0
  /// Whether it was a restore and the customer cancelled it.
  public var isCancelled = false
  /// Records that left the vault.
  public var ordersClosed = 0

  /// An empty report.
  public init() {}
}

/// An event that an app may want to show or log. New kinds may come: have a `default` in your switch.
public enum PurchaseEvent: Hashable, Sendable {
  /// An order of the signed-in user is open, or its state has changed. Replayed to each new listener and each new
  /// user.
  case orderOpen(OpenOrder)
  /// An order of the signed-in user left the vault: it is granted, or closed unpaid.
  case orderClosed(OrderIdentifier)
  /// A transaction was granted to the signed-in user; `firstSeen` if this submission was the first to bring it to the
  /// server.
  case fulfilled(TransactionIdentifier, order: OrderIdentifier?, firstSeen: Bool)
  /// An order at WeChat Pay is paid and granted, however the client learned of it.
  case orderGranted(OrderIdentifier)
  /// WeChat was opened for the order: a page can take its progress indicator away.
  case openedWeChat(OrderIdentifier)
  /// The app's backend has acknowledged the grant (only with `complete: delivered`).
  case delivered(OrderIdentifier)
  /// The customer came back from WeChat and no payment is confirmed. The order stays open: a later payment is granted.
  case notConfirmed(OrderIdentifier)
  /// The app has been in the foreground for a while, and the store is silent: the purchase takes longer than usual.
  case slowCallback(OrderIdentifier)
  /// The customer began a purchase in the App Store. Buy it with `purchase`, passing it as `details.promoted`.
  case promotedPayment(PromotedPayment)
  /// The server judged a record of an earlier version of the app: the app's own number and the verdict.
  case earlierRecordJudged(reference: String, Verdict, reason: String?)
  /// The server judged a transaction and did not grant it to the signed-in user.
  case notGranted(TransactionIdentifier, Verdict, reason: String?)
  /// A transaction appeared without an order in the vault; it was submitted nevertheless (X3).
  case orphan(TransactionIdentifier)
  /// A finished transaction came back, `times` times so far; it was finished again (S6).
  case finishDidNotStick(TransactionIdentifier, times: Int)
}

/// An order that this device still has a record of.
public struct OpenOrder: Hashable, Sendable {
  /// The order.
  public let order: PlacedOrder
  /// The user that it belongs to.
  public let user: UserIdentifier
  /// The store that receives the payment.
  public let store: Store
  /// The ordered product.
  public let product: ProductIdentifier
  /// Number of pieces.
  public let quantity: Int
  /// The progress of the payment.
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
