public import PaymentPrimitives
public import StrictJSON

/// An order, as in every answer.
public struct OrderBody: Hashable, Sendable {
  /// The order's id: a UUID in lower case with dashes.
  public var id: OrderIdentifier
  /// The app's own number.
  public var reference: String?
  /// `app` if the number comes from the app on the device: a backend must not use it for bookings.
  public var referenceFrom: String?
  /// The user of the order.
  public var user: UserIdentifier
  /// Our product id.
  public var product: ProductIdentifier
  /// The number of pieces.
  public var quantity: Int
  /// The store for the payment.
  public var store: Store
  /// The environment of the order.
  public var environment: StoreEnvironment
  /// The state of the order.
  public var state: State
  /// The reason why it was closed, if it was.
  public var closeReason: String?
  /// The price at WeChat Pay in fen, per order; nil for the App Store, because Apple sets that price.
  public var price: Money?
  /// The price that the App Store signed, once the order is paid. Unit: thousandths of the currency's main unit, for
  /// one piece as far as Apple documents it. For display only, never for bookings.
  public var signedPrice: StatedPrice?
  /// The app's own data.
  public var metadata: JSONValue?
  /// When it was created.
  public var createdAt: Timestamp
  /// When it closes automatically; a late payment still pays it.
  public var expiresAt: Timestamp
  /// When it was paid.
  public var paidAt: Timestamp?
  /// The state of the delivery to the backend.
  public var delivery: DeliveryState
  /// When the backend acknowledged the grant; later deliveries about refunds do not change it.
  public var deliveredAt: Timestamp?
  /// Its refunds, finished or under way, oldest first.
  public var refunds: [Refund] = []
  /// The amount refunded so far; nil if there is none, or if the store does not state the amount.
  public var refundedAmount: Money?
  /// How much of the payment is refunded; nil for nothing. The order stays `paid`.
  public var refundState: RefundState?
  /// The last verdict about a payment for it.
  public var lastVerdict: Verdict?
  /// The parameters for the App Store.
  public var appStore: AppStoreParameters?
  /// The parameters for WeChat, if the order is paid in an app.
  public var weChatPay: WeChatPayParameters?
  /// The parameters for WeChat, if the order is not paid in an app: the six names of JSAPI, `h5Url` or `codeUrl`.
  public var weChatPayElsewhere: JSONValue?
  /// The order that the payment named but could not pay.
  public var derivedFrom: OrderIdentifier?

  /// The state of an order.
  public enum State: String, CaseIterable, Sendable {
    /// No payment is known.
    case awaitingPayment
    /// A payment is paired with the order; the grant may still be held or on its way.
    case paid
    /// Payment is no longer expected.
    case closed
  }

  /// The progress of the delivery to the app's backend.
  public enum DeliveryState: String, CaseIterable, Sendable {
    /// There is nothing to deliver.
    case none
    /// Not acknowledged yet.
    case pending
    /// The backend acknowledged it.
    case acknowledged
    /// Stopped after 30 days; an operator restarts it.
    case parked
  }

  /// How much of the payment is refunded.
  public enum RefundState: String, CaseIterable, Sendable {
    /// A part of it.
    case partial
    /// All of it.
    case full
  }

  /// A refund of the order's payment.
  public struct Refund: Hashable, Sendable {
    /// `asked`, `underWay`, `done`, `failed` or `stuck`.
    public var state: String
    /// Our number of the refund at WeChat Pay; the App Store has none.
    public var id: String?
    /// The refunded amount, if the store states it.
    public var amount: Money?
    /// Thousandths of a percent of the purchase, if the App Store states them: 100,000 is all of it.
    public var percentage: Int64?
    /// When it was requested, or first reported.
    public var createdAt: Timestamp
    /// When the payer had the money back.
    public var doneAt: Timestamp?

    /// A refund in that state.
    public init(state: String, createdAt: Timestamp) {
      self.state = state
      self.createdAt = createdAt
    }
  }

  /// The last verdict with its reason.
  public struct Verdict: Hashable, Sendable {
    /// The verdict as text.
    public var verdict: String
    /// The reason.
    public var reason: String?
    /// The time of the verdict.
    public var at: Timestamp

    /// A verdict with its reason and time.
    public init(verdict: String, reason: String?, at: Timestamp) {
      self.verdict = verdict
      self.reason = reason
      self.at = at
    }
  }

  /// The parameters for StoreKit.
  public struct AppStoreParameters: Hashable, Sendable {
    /// Apple's product id.
    public var product: StoreProductIdentifier
    /// The order's id, as Apple carries it.
    public var appAccountToken: String

    /// Parameters for StoreKit.
    public init(product: StoreProductIdentifier, appAccountToken: String) {
      self.product = product
      self.appAccountToken = appAccountToken
    }
  }

  /// An order with its required fields.
  public init(
    id: OrderIdentifier, user: UserIdentifier, product: ProductIdentifier, quantity: Int,
    store: Store, environment: StoreEnvironment, state: State, createdAt: Timestamp,
    expiresAt: Timestamp, delivery: DeliveryState
  ) {
    self.id = id
    self.user = user
    self.product = product
    self.quantity = quantity
    self.store = store
    self.environment = environment
    self.state = state
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.delivery = delivery
  }
}
