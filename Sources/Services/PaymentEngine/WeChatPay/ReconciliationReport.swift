package import PaymentPrimitives
package import StrictJSON

/// What the comparison of our ledger with a store's bill of one day found.
package struct ReconciliationReport: Hashable, Sendable {
  package var app: AppIdentifier
  package var store: Store
  /// The store's day: at WeChat Pay a Beijing day.
  package var day: String
  /// Lines of payments in the bill that are ours, and what they add up to in the smallest unit.
  package var payments = Sum()
  /// Lines of refunds in the bill that are ours.
  package var refunds = Sum()
  /// Lines of other systems of the same merchant: their numbers are none of ours.
  package var foreignLines = 0
  /// Everything that was not equal from the start, in the order of the bill, then of our ledger.
  package var findings: [Finding] = []

  /// A number of lines and their amount.
  package struct Sum: Hashable, Sendable {
    package var count: Int
    package var amount: Int64

    /// So many lines of that amount in all.
    package init(count: Int = 0, amount: Int64 = 0) {
      self.count = count
      self.amount = amount
    }

    mutating func add(_ amount: Int64) {
      count += 1
      self.amount += amount
    }
  }

  /// One thing that was not equal.
  package struct Finding: Hashable, Sendable {
    /// What it is; the names are permanent.
    package enum Kind: String, Hashable, CaseIterable, Sendable {
      /// Paid by the bill, unknown here.
      case missedPayment
      /// Refunded by the bill, unknown or unfinished here.
      case missedRefund
      /// Paid by the bill; kept here, and held or without an owner, with that reason.
      case notGranted
      /// The bill names an order of our form that is not here.
      case orderUnknown
      /// The amounts are not the same.
      case amountDiffers
      /// The payment is another order's here.
      case orderDiffers
      /// Granted here on that day, and not in the bill.
      case paymentNotInBill
      /// Refunded here on that day, and not in the bill.
      case refundNotInBill
      /// The bill has two lines for one payment or refund.
      case doubledLine
      /// A line that is neither payment nor refund.
      case unknownEvent
    }

    package var kind: Kind
    /// Whether it is put right: granted or taken back by now.
    package var isHealed: Bool
    /// The order, where one is named.
    package var order: OrderIdentifier?
    /// The store's number of the payment.
    package var transaction: String
    /// Our number of the refund, where it is about one.
    package var refund: String?
    /// What the bill says, in the smallest unit.
    package var billAmount: Int64?
    package var ourAmount: Int64?
    /// The particulars: a reason to hold, a word of the bill.
    package var details: String?

    init(_ kind: Kind, transaction: String) {
      self.kind = kind
      self.transaction = transaction
      isHealed = false
    }
  }

  init(app: AppIdentifier, store: Store, day: String) {
    self.app = app
    self.store = store
    self.day = day
  }

  /// What is neither equal nor put right nor explained by its own state here.
  package var differences: [Finding] { findings.filter { !$0.isHealed && $0.kind != .notGranted } }

  /// Whether nothing is left that a later try may put right.
  package var isComplete: Bool {
    !findings.contains { !$0.isHealed && ($0.kind == .missedPayment || $0.kind == .missedRefund) }
  }

  /// The report as JSON, with all findings.
  package var json: JSONValue {
    .members([
      ("app", .string(app.text)), ("store", .string(store.rawValue)), ("day", .string(day)),
      ("payments", payments.json), ("refunds", refunds.json), ("foreignLines", .integer(foreignLines)),
      ("healed", .integer(findings.count(where: \.isHealed))), ("differences", .integer(differences.count)),
      ("findings", .array(findings.map(\.json))),
    ])
  }
}

extension ReconciliationReport.Sum {
  fileprivate var json: JSONValue { .members([("count", .integer(count)), ("amount", .integer(amount))]) }
}

extension ReconciliationReport.Finding {
  package var json: JSONValue {
    .members([
      ("kind", .string(kind.rawValue)), ("healed", .bool(isHealed)),
      ("orderId", order.map { .string($0.appAccountToken) }), ("transactionId", .string(transaction)),
      ("refund", refund.map(JSONValue.string)), ("billAmount", billAmount.map { .integer($0) }),
      ("ourAmount", ourAmount.map { .integer($0) }), ("details", details.map(JSONValue.string)),
    ])
  }
}
