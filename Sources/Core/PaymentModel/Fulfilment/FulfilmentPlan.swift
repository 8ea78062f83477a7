package import PaymentPrimitives

/// All writes that fulfil a payment, decided before the first write. One database transaction performs them.
package struct FulfilmentPlan: Hashable, Sendable {
  /// The payment in its new state.
  package var payment: Payment
  /// The order that it pays, in its new state. A derived order is created here.
  package var order: Order?
  package var orderIsNew: Bool
  /// The payment that loses its pairing with the order.
  package var formerPayment: PaymentKey?
  /// The grant in its new state.
  package var grant: Grant?
  package var grantIsNew: Bool
  /// The origin of a new grant's promise.
  package var promiseOrigin: PromiseOrigin?
  package var changes: [GrantChange]
  package var postings: [Posting]
  /// Whether the balance of the grant's user is in debt. Until the debt is settled, the user cannot spend from it.
  package var freezesBalance: Bool
  /// The deliveries to the backend, in order.
  package var announcements: [Announcement]
  /// Whether this counts towards the user's daily claims.
  package var countsAsClaim: Bool
  /// Whether the end of an existing grant's period changes.
  package var extendsPeriod: Bool
  /// Events for the journal, in order.
  package var events: [JournalEvent]

  /// A delivery that the app's backend must receive once.
  package struct Announcement: Hashable, Sendable {
    package let kind: Delivery.Kind
    /// The event of the payment: `grant`, or the name of the refund.
    package let cause: String
    /// Parts of the grant that the delivery is about.
    package let amount: Int64
    /// Parts of the grant that are taken back in total after it.
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
    self.extendsPeriod = false
    self.events = []
  }
}

package struct FulfilmentInput: Sendable {
  /// The payment with its newest facts, stored or new.
  package var payment: Payment
  /// The decision of the match rule; nil when the payment already has an owner.
  package var decision: MatchDecision?
  /// The order that the decision names.
  package var order: Order?
  /// The catalog entry of the store's product.
  package var product: Product?
  /// The newest grant of the same App Store product in the same subscription. It is read only if there is no catalog
  /// entry.
  package var earlier: Grant?
  /// The product as copied by an order. The payment's token names the order, or the order is presented with the
  /// payment. It is read only if `product` and `earlier` are absent.
  package var ordered: Product?
  package var grant: Grant?
  package var changes: [GrantChange]
  /// Our finished refunds at the store: the payer has the money back. All are of one payment, so all state the same
  /// total.
  package var refunds: [Refund]
  /// Makes the id for an order that is derived from this payment. Most payments need none.
  package let derivedOrder: @Sendable () -> OrderIdentifier
  package var now: Timestamp

  /// An input with the fields that are always needed.
  package init(
    payment: Payment, derivedOrder: @autoclosure @escaping @Sendable () -> OrderIdentifier, now: Timestamp
  ) {
    self.payment = payment
    self.derivedOrder = derivedOrder
    self.now = now
    self.changes = []
    self.refunds = []
  }
}

extension FulfilmentInput {
  /// The product for an order that is created for the payment.
  var soldProduct: Product? {
    product ?? earlier.flatMap { $0.promise.product(as: payment.facts.storeProduct) } ?? ordered
  }
}

extension FulfilmentPlan {
  /// The rows as they are after the plan is written.
  ///
  /// - Parameters:
  ///   - changes: the refunds that took effect before.
  ///   - postings: the postings from before.
  package func rows(after changes: [GrantChange], _ postings: [Posting]) -> PaymentRows {
    var rows = PaymentRows(payment: payment)
    rows.order = order
    rows.grant = grant
    rows.changes = changes + self.changes
    rows.postings = postings + self.postings
    return rows
  }
}
