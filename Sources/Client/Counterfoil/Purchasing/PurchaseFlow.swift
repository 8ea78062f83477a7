import PaymentPrimitives
import CounterfoilAPI

/// One call of `purchase` while it lasts: what it is for, how far it has come, and who waits for it.
struct PurchaseFlow: Sendable {
  /// How far a flow has come.
  enum Stage: Hashable, Sendable {
    /// No sheet yet, so nothing can have been charged.
    case preparing
    /// The caller went away before there was a sheet: there must be none.
    case abandoned
    /// The sheet is, or was, open for this order.
    case paying(RecordIdentifier, PlacedOrder)
  }

  let user: UserIdentifier
  let request: CreateOrder.Request
  var offer: StoreOffer?
  /// The promotional offer that the server is to sign.
  var promotionalOffer: String?
  var promoted: PromotedPayment?
  var stage = Stage.preparing
  /// The record that it works on; nobody else may close it meanwhile.
  var record: RecordIdentifier?
  var isDecided = false
  /// How often the app came to the foreground since: the hint counts from the last time.
  var foregrounds = 0
  /// What WeChat is handed, once the server has signed it.
  var weChatRequest: WeChatPayRequest?
  /// Whether the customer is back from WeChat, by whatever sign.
  var isBack = false
  /// What WeChat said first; a hint (X20).
  var weChatCode: Int?
  /// Rung when he comes back.
  var returned: OneShotPromise<Void>?
  /// For the caller.
  let outcome = OneShotPromise<Result<PurchaseOutcome, PurchasingError>>()
  /// For the flow itself, so that it stops asking.
  let decided = OneShotPromise<Void>()

  init(user: UserIdentifier, request: CreateOrder.Request) {
    self.user = user
    self.request = request
  }

  /// Whether it is still buying that for that user.
  func isFor(_ product: ProductIdentifier, _ user: UserIdentifier) -> Bool {
    !isDecided && request.product == product && self.user == user
  }

  /// The record of an order whose payment WeChat was opened for.
  var weChatRecord: RecordIdentifier? {
    guard request.store == .weChatPay, case .paying(let record, _) = stage else { return nil }
    return record
  }

  /// The order whose sheet was opened.
  var order: PlacedOrder? {
    guard case .paying(_, let order) = stage else { return nil }
    return order
  }
}

/// A payment sheet that was opened in this run: what a transaction that appears now may belong to.
struct OpenedSheet: Sendable {
  let record: RecordIdentifier
  let order: PlacedOrder
  let quantity: Int
  /// Transactions that were known before it opened: they are not its payment.
  let known: Set<TransactionKey>
  /// Whether the store has reported a failure of it.
  var hasFailed = false

  /// Clocks of server and store differ by so much at most (docs/specification/matching.md, “Words”).
  private static let clockAllowance = TimeSpan.minutes(5)

  /// Whether a transaction may be what this sheet sold.
  func maySell(_ transaction: StoreTransaction) -> Bool {
    if let token = transaction.token { return token == order.id }
    if let key = TransactionKey(transaction), known.contains(key) { return false }
    if let date = transaction.purchaseDate, date < order.createdAt - Self.clockAllowance {
      return false
    }
    // What the store renewed or shared by itself is nobody's tap.
    guard !transaction.isRenewal, !transaction.isFamilyShared else { return false }
    return order.isSold(as: transaction.product) && transaction.quantity == quantity
  }

  /// Whether the store has answered this sheet with something that it sold before.
  func isAnswered(byEarlier transaction: StoreTransaction) -> Bool {
    guard transaction.answers == order.id else { return false }
    if let key = TransactionKey(transaction), known.contains(key) { return true }
    if let token = transaction.token, token != order.id { return true }
    // No payment lies before its order, whatever the queue says of the two. Both dates are the servers'.
    return transaction.purchaseDate.map { $0 < order.createdAt - Self.clockAllowance } ?? false
  }

  /// Whether a transaction plainly belongs to it, so that the server may be told so across users (`sameRun`).
  ///
  /// Within one run a payment keeps its token, unless the store took a detour by its own screens, reported a
  /// failure, and sold afterwards (S4). So a charge without a token that appears beside a sheet without a failure
  /// is somebody's earlier one.
  func plainlySold(_ transaction: StoreTransaction) -> Bool {
    maySell(transaction) && (transaction.token != nil || hasFailed)
  }
}
