public import PaymentPrimitives
public import StrictJSON

/// An order as every answer shows it.
public struct OrderBody: Hashable, Sendable {
  /// The order's id: a UUID in lower case with dashes.
  public var id: OrderIdentifier
  /// The app's own number.
  public var reference: String?
  /// `app` where the number came from the phone: a backend must not book by it.
  public var referenceFrom: String?
  /// Whom it is for.
  public var user: UserIdentifier
  /// Our product id.
  public var product: ProductIdentifier
  /// Pieces.
  public var quantity: Int
  /// The store that is to be paid.
  public var store: Store
  /// The world it belongs to.
  public var environment: StoreEnvironment
  /// Where it stands.
  public var state: State
  /// Why it was closed, if it was.
  public var closeReason: String?
  /// The price at WeChat Pay in fen, per order; Apple's price is not ours to state.
  public var price: Money?
  /// What the App Store signed as the price, once it is paid: in thousandths of the currency's main unit, for one piece
  /// as far as Apple documents it. It is shown, never booked by.
  public var signedPrice: StatedPrice?
  /// The app's own data.
  public var metadata: JSONValue?
  /// When it was made.
  public var createdAt: Timestamp
  /// When it closes by itself; a late payment still pays it.
  public var expiresAt: Timestamp
  /// When it was paid.
  public var paidAt: Timestamp?
  /// Whether the backend has been told.
  public var delivery: DeliveryState
  /// When it acknowledged the grant; what it is told later of refunds does not change it.
  public var deliveredAt: Timestamp?
  /// What went back of it, or is going back, oldest first.
  public var refunds: [Refund] = []
  /// The money that has gone back so far; nil where nothing has, or where the store does not say how much.
  public var refundedAmount: Money?
  /// How much of what was paid has gone back; nil for nothing. The order stays `paid`.
  public var refundState: RefundState?
  /// The last verdict about a payment for it.
  public var lastVerdict: Verdict?
  /// What the App Store must be handed.
  public var appStore: AppStoreParameters?
  /// What WeChat must be handed, for an order that is paid in an app.
  public var weChatPay: WeChatPayParameters?
  /// What WeChat must be handed for an order that is not paid in an app: the six names of JSAPI, `h5Url` or `codeUrl`.
  public var weChatPayElsewhere: JSONValue?
  /// The order that the payment named but could not pay.
  public var derivedFrom: OrderIdentifier?

  /// Where an order stands.
  public enum State: String, CaseIterable, Sendable {
    /// No payment known.
    case awaitingPayment
    /// Paid.
    case paid
    /// No longer waited for.
    case closed
  }

  /// How far the news has come to the app's backend.
  public enum DeliveryState: String, CaseIterable, Sendable {
    /// There is nothing to tell.
    case none
    /// Not acknowledged yet.
    case pending
    /// The backend has it.
    case acknowledged
    /// Given up after 30 days; an operator sends it off again.
    case parked
  }

  /// How much of what was paid has gone back.
  public enum RefundState: String, CaseIterable, Sendable {
    /// A part.
    case partial
    /// All of it.
    case full
  }

  /// A refund of the order's payment.
  public struct Refund: Hashable, Sendable {
    /// `asked`, `underWay`, `done`, `failed` or `stuck`.
    public var state: String
    /// Our number of it at WeChat Pay; the App Store states none.
    public var id: String?
    /// What goes back, where the store states money.
    public var amount: Money?
    /// Thousandths of a percent of the purchase, where the App Store states them: 100,000 is all of it.
    public var percentage: Int64?
    /// When it was asked for, or learned of.
    public var createdAt: Timestamp
    /// When the money was back.
    public var doneAt: Timestamp?

    /// A refund in a state.
    public init(state: String, createdAt: Timestamp) {
      self.state = state
      self.createdAt = createdAt
    }
  }

  /// The last verdict with its reason.
  public struct Verdict: Hashable, Sendable {
    /// The verdict's word.
    public var verdict: String
    /// Why.
    public var reason: String?
    /// When.
    public var at: Timestamp

    /// A verdict.
    public init(verdict: String, reason: String?, at: Timestamp) {
      self.verdict = verdict
      self.reason = reason
      self.at = at
    }
  }

  /// What StoreKit is handed.
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

  /// An order with what it always shows.
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
