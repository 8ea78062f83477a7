import PaymentEngine
package import PaymentPrimitives
package import StrictJSON

/// The result of a comparison of our ledger with a store's bill of one day.
package struct ReconciliationReport: Hashable, Sendable {
  package var app: AppIdentifier
  package var store: Store
  /// The store's day: at WeChat Pay a Beijing day.
  package var day: String
  /// Lines of our payments in the bill, and their sum in the smallest currency unit.
  package var payments = Sum()
  /// Lines of our refunds in the bill, with their sum.
  package var refunds = Sum()
  /// The fees of these lines, less those that refunds gave back, in fen.
  package var fees = Sum()
  /// What coupons paid of these lines and the merchant does not get, less what refunds gave back to coupons, in fen.
  package var coupons = Sum()
  /// Lines of other systems of the same merchant: their order numbers are not ours.
  package var foreignLines = 0
  /// Everything that was not equal at first, in the order of the bill, then of our ledger.
  package var findings: [Finding] = []
  /// The day's fund-flow bill, compared with the trade bill; nil before it was asked for.
  package var fundFlow: FundFlowReport?

  /// A number of lines and their amount.
  package struct Sum: Hashable, Sendable {
    package var count: Int
    package var amount: Int64

    /// A number of lines and their total amount.
    package init(count: Int = 0, amount: Int64 = 0) {
      self.count = count
      self.amount = amount
    }

    mutating func add(_ amount: Int64) {
      count += 1
      self.amount += amount
    }
  }

  /// One difference.
  package struct Finding: Hashable, Sendable {
    /// The kind of difference; the names are permanent.
    package enum Kind: String, Hashable, CaseIterable, Sendable {
      /// Paid in the bill, unknown here.
      case missedPayment
      /// Refunded in the bill, unknown or unfinished here.
      case missedRefund
      /// Paid in the bill; stored here, but held or without an owner, with that reason.
      case notGranted
      /// The bill names an order in our format that does not exist here.
      case orderUnknown
      case amountDiffers
      /// The payment belongs to another order here.
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
    /// Whether it is fixed: granted or taken back by now.
    package var isHealed: Bool
    /// The order, if one is named.
    package var order: OrderIdentifier?
    /// The store's number of the payment.
    package var transaction: String
    /// Our number of the refund, if it concerns one.
    package var refund: String?
    /// The amount in the bill, in the smallest currency unit.
    package var billAmount: Int64?
    package var ourAmount: Int64?
    /// The details: a hold reason, a word of the bill.
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

  /// Findings that are neither fixed nor explained by their own state here.
  package var differences: [Finding] { findings.filter { !$0.isHealed && $0.kind != .notGranted } }

  /// The differences of both bills.
  package var differenceCount: Int { differences.count + (fundFlow?.findings.count ?? 0) }

  /// Whether a later try has nothing left to fix.
  package var isComplete: Bool {
    fundFlow?.mayBeTriedAgain != true
      && !findings.contains { !$0.isHealed && ($0.kind == .missedPayment || $0.kind == .missedRefund) }
  }

  /// The report as JSON, with all findings.
  package var json: JSONValue {
    .members([
      ("app", .string(app.text)), ("store", .string(store.rawValue)), ("day", .string(day)),
      ("payments", payments.json), ("refunds", refunds.json), ("fees", fees.json),
      ("coupons", coupons.json),
      ("foreignLines", .integer(foreignLines)),
      ("healed", .integer(findings.count(where: \.isHealed))), ("differences", .integer(differenceCount)),
      ("findings", .array(findings.map(\.json))), ("fundFlow", fundFlow?.json),
    ])
  }
}

extension ReconciliationReport.Sum {
  var json: JSONValue { .members([("count", .integer(count)), ("amount", .integer(amount))]) }
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
