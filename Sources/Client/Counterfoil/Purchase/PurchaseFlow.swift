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
