package import PaymentPrimitives

/// Everything that fulfilling a payment writes, decided before anything is written: one database transaction performs
/// it.
package struct FulfilmentPlan: Hashable, Sendable {
  /// The payment in its new state.
  package var payment: Payment
  /// The order that it pays, in its new state; made here if it is a derived one.
  package var order: Order?
  /// Whether `order` is new.
  package var orderIsNew: Bool
  /// The payment that the order's pairing is taken from, without the order.
  package var formerPayment: PaymentKey?
  /// The grant in its new state.
  package var grant: Grant?
  /// Whether `grant` is new.
  package var grantIsNew: Bool
  /// Where the promise of a new grant comes from.
  package var promiseOrigin: PromiseOrigin?
  package var changes: [GrantChange]
  package var postings: [Posting]
  /// Whether the balance of the grant's user is left in debt, and nothing may be spent of it until that is settled.
  package var freezesBalance: Bool
  /// What the backend must be told, in order.
  package var announcements: [Announcement]
  /// Whether the claim counts against the user's claims of the day.
  package var countsAsClaim: Bool
  /// Events for the journal, in order.
  package var story: [String]

  /// Something that the app's backend must be told once.
  package struct Announcement: Hashable, Sendable {
    package let kind: Delivery.Kind
    /// Which event of the payment: `grant`, or the name of the refund.
    package let cause: String
    /// Parts of the grant that it is about.
    package let amount: Int64
    /// Parts of the grant that are taken back in all after it.
    package let takenBack: Int64

    package init(kind: Delivery.Kind, cause: String, amount: Int64, takenBack: Int64 = 0) {
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
package struct FulfilmentInput: Sendable {
  /// The payment with its newest facts, as stored or new.
  package var payment: Payment
  /// What the match rule decided; nil when the payment already has an owner.
  package var decision: MatchDecision?
  /// The order that the decision names.
  package var order: Order?
  /// The catalog entry of the store's product.
  package var product: Product?
  /// The newest grant of the same App Store product in the same subscription, looked up where there is no catalog
  /// entry.
  package var earlier: Grant?
  /// The product as the order that the payment's token names, or one that is presented with it, has copied it; looked
  /// up where there is neither of those.
  package var ordered: Product?
  package var grant: Grant?
  /// The refunds that have already taken effect.
  package var changes: [GrantChange]
  /// Our refunds at the store whose money is back with the payer; all of one payment, so all state one total.
  package var refunds: [Refund]
  /// The id of an order that would be derived from this payment.
  package var derivedOrder: OrderIdentifier
  package var now: Timestamp

  /// An input with what is always needed.
  package init(payment: Payment, derivedOrder: OrderIdentifier, now: Timestamp) {
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
  package func rows(after changes: [GrantChange], _ postings: [Posting]) -> PaymentRows {
    var rows = PaymentRows(payment: payment)
    rows.order = order
    rows.grant = grant
    rows.changes = changes + self.changes
    rows.postings = postings + self.postings
    return rows
  }
}
