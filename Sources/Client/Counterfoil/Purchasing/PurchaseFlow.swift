import CounterfoilAPI
import PaymentPrimitives

/// One call of `purchase` while it runs: its request, its progress and its waiting caller.
struct PurchaseFlow: Sendable {
  /// The progress of a flow.
  enum Stage: Hashable, Sendable {
    /// No sheet yet, so nothing can have been charged.
    case preparing
    /// The caller stopped waiting before the sheet opened: it must not open now.
    case abandoned
    /// The sheet is, or was, open for this order.
    case paying(RecordIdentifier, PlacedOrder)
  }

  let user: UserIdentifier
  let request: CreateOrder.Request
  var offer: StoreOffer?
  /// The promotional offer that the server must sign.
  var promotionalOffer: String?
  var promoted: PromotedPayment?
  var stage = Stage.preparing
  /// The record that the flow works on; no other task may close it meanwhile.
  var record: RecordIdentifier?
  var isDecided = false
  /// How often the app came to the foreground since the sheet opened; the hint's delay counts from the last time.
  var foregrounds = 0
  /// The request for WeChat, once the server has signed it.
  var weChatRequest: WeChatPayRequest?
  /// Whether the customer is back from WeChat, by any sign.
  var isBack = false
  /// The first number that WeChat reported; a hint (X20).
  var weChatCode: Int?
  /// Resolved when the customer comes back.
  var returned: OneShotPromise<Void>?
  /// The result for the caller.
  let outcome = OneShotPromise<Result<PurchaseOutcome, PurchasingError>>()
  /// Tells the flow itself to stop asking.
  let decided = OneShotPromise<Void>()

  init(user: UserIdentifier, request: CreateOrder.Request) {
    self.user = user
    self.request = request
  }

  /// Whether the flow still buys this product for this user.
  func isFor(_ product: ProductIdentifier, _ user: UserIdentifier) -> Bool {
    !isDecided && request.product == product && self.user == user
  }

  /// The record of the order that WeChat was opened for.
  var weChatRecord: RecordIdentifier? {
    guard request.store == .weChatPay, case .paying(let record, _) = stage else { return nil }
    return record
  }

  /// The order that the sheet opened for.
  var order: PlacedOrder? {
    guard case .paying(_, let order) = stage else { return nil }
    return order
  }
}

/// A payment sheet that opened in this run; a transaction that appears now may belong to it.
struct OpenedSheet: Sendable {
  let record: RecordIdentifier
  let order: PlacedOrder
  let quantity: Int
  /// Transactions known before it opened; they are not its payment.
  let known: Set<TransactionKey>
  /// Whether the store has reported a failure of it.
  var hasFailed = false

  /// The largest difference between server and store clocks (docs/specification/matching.md, “Words”).
  private static let clockAllowance = TimeSpan.minutes(5)

  /// Whether this sheet may have sold a transaction.
  func maySell(_ transaction: StoreTransaction) -> Bool {
    if let token = transaction.token { return token == order.id }
    if let key = TransactionKey(transaction), known.contains(key) { return false }
    if let date = transaction.purchaseDate, date < order.createdAt - Self.clockAllowance {
      return false
    }
    // A renewal or a family share does not come from a tap.
    guard !transaction.isRenewal, !transaction.isFamilyShared else { return false }
    return order.isSold(as: transaction.product) && transaction.quantity == quantity
  }

  /// Whether the store has answered this sheet with an earlier sale.
  func isAnswered(byEarlier transaction: StoreTransaction) -> Bool {
    guard transaction.answers == order.id else { return false }
    if let key = TransactionKey(transaction), known.contains(key) { return true }
    if let token = transaction.token, token != order.id { return true }
    // A payment is never older than its order, whatever the queue says. Both dates come from servers.
    return transaction.purchaseDate.map { $0 < order.createdAt - Self.clockAllowance } ?? false
  }

  /// Whether a transaction plainly belongs to this sheet, so that the server may be told across users (`sameRun`).
  ///
  /// Within one run a payment keeps its token. The exception: the store showed its own screens, reported a failure,
  /// and sold afterwards (S4). So a charge without a token beside a sheet without a failure is an earlier one, perhaps
  /// another user's.
  func plainlySold(_ transaction: StoreTransaction) -> Bool {
    maySell(transaction) && (transaction.token != nil || hasFailed)
  }
}
