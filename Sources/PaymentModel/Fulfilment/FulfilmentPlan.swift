public import PaymentVocabulary

/// Everything that fulfilling a payment writes, decided before anything is written: one database transaction performs
/// it.
public struct FulfilmentPlan: Hashable, Sendable {
  /// The payment in its new state.
  public var payment: Payment
  /// The order that it pays, in its new state; made here if it is a derived one.
  public var order: Order?
  /// Whether `order` is new.
  public var orderIsNew: Bool
  /// The payment that the order's pairing is taken from, without the order.
  public var formerPayment: PaymentKey?
  /// The grant in its new state.
  public var grant: Grant?
  /// Whether `grant` is new.
  public var grantIsNew: Bool
  /// Where the promise of a new grant comes from.
  public var promiseOrigin: PromiseOrigin?
  /// Refunds that take effect.
  public var changes: [GrantChange]
  /// Movements of units.
  public var postings: [Posting]
  /// Whether the balance of the grant's user is left in debt, and nothing may be spent of it until that is settled.
  public var freezesBalance: Bool
  /// What the backend must be told, in order.
  public var announcements: [Announcement]
  /// Whether the claim counts against the user's claims of the day.
  public var countsAsClaim: Bool
  /// Events for the journal, in order.
  public var story: [String]

  /// Something that the app's backend must be told once.
  public struct Announcement: Hashable, Sendable {
    /// What.
    public let kind: Delivery.Kind
    /// Which event of the payment: `grant`, or the name of the refund.
    public let cause: String
    /// Parts of the grant that it is about.
    public let amount: Int64
    /// Parts of the grant that are taken back in all after it.
    public let takenBack: Int64

    /// An announcement.
    public init(kind: Delivery.Kind, cause: String, amount: Int64, takenBack: Int64 = 0) {
      self.kind = kind
      self.cause = cause
      self.amount = amount
      self.takenBack = takenBack
    }
  }

  init(payment: Payment) {
    self.payment = payment
    self.orderIsNew = false
    self.grantIsNew = false
    self.changes = []
    self.postings = []
    self.freezesBalance = false
    self.announcements = []
    self.countsAsClaim = false
    self.story = []
  }
}

/// What a plan is made from.
public struct FulfilmentInput: Sendable {
  /// The payment with its newest facts, as stored or new.
  public var payment: Payment
  /// What the match rule decided; nil when the payment already has an owner.
  public var decision: MatchDecision?
  /// The order that the decision names.
  public var order: Order?
  /// The catalog entry of the store's product.
  public var product: Product?
  /// The newest grant of the same App Store product in the same subscription, looked up where there is no catalog
  /// entry.
  public var earlier: Grant?
  /// The product as the order that the payment's token names, or one that is presented with it, has copied it; looked
  /// up where there is neither of those.
  public var ordered: Product?
  /// The grant as stored.
  public var grant: Grant?
  /// The refunds that have already taken effect.
  public var changes: [GrantChange]
  /// Our refunds at the store whose money is back with the payer; all of one payment, so all state one total.
  public var refunds: [Refund]
  /// The id of an order that would be derived from this payment.
  public var derivedOrder: OrderIdentifier
  /// The moment.
  public var now: Timestamp

  /// An input with what is always needed.
  public init(payment: Payment, derivedOrder: OrderIdentifier, now: Timestamp) {
    self.payment = payment
    self.derivedOrder = derivedOrder
    self.now = now
    self.changes = []
    self.refunds = []
  }
}

extension FulfilmentInput {
  /// The product that an order made for the payment is for.
  var soldProduct: Product? {
    product ?? earlier.flatMap { $0.promise.product(as: payment.facts.storeProduct) } ?? ordered
  }
}

extension FulfilmentPlan {
  /// The rows as they stand once the plan is written.
  ///
  /// - Parameters:
  ///   - changes: the refunds that had taken effect before.
  ///   - postings: the movements that were made before.
  public func rows(after changes: [GrantChange], _ postings: [Posting]) -> PaymentRows {
    var rows = PaymentRows(payment: payment)
    rows.order = order
    rows.grant = grant
    rows.changes = changes + self.changes
    rows.postings = postings + self.postings
    return rows
  }
}
