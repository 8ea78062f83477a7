public import PaymentVocabulary
public import StrictJSON

/// What the comparison of our ledger with a store's bill of one day found.
public struct ReconciliationReport: Hashable, Sendable {
  /// The app.
  public var app: AppIdentifier
  /// Whose bill.
  public var store: Store
  /// The store's day: at WeChat Pay a Beijing day.
  public var day: String
  /// Lines of payments in the bill that are ours, and what they add up to in the smallest unit.
  public var payments = Sum()
  /// Lines of refunds in the bill that are ours.
  public var refunds = Sum()
  /// Lines of other systems of the same merchant: their numbers are none of ours.
  public var foreignLines = 0
  /// Everything that was not equal from the start, in the order of the bill, then of our ledger.
  public var findings: [Finding] = []

  /// A number of lines and their amount.
  public struct Sum: Hashable, Sendable {
    /// How many.
    public var count: Int
    /// In the smallest unit.
    public var amount: Int64

    /// So many lines of that amount in all.
    public init(count: Int = 0, amount: Int64 = 0) {
      self.count = count
      self.amount = amount
    }

    mutating func add(_ amount: Int64) {
      count += 1
      self.amount += amount
    }
  }

  /// One thing that was not equal.
  public struct Finding: Hashable, Sendable {
    /// What it is; the names are permanent.
    public enum Kind: String, Hashable, CaseIterable, Sendable {
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

    /// What it is.
    public var kind: Kind
    /// Whether it is put right: granted or taken back by now.
    public var isHealed: Bool
    /// The order, where one is named.
    public var order: OrderIdentifier?
    /// The store's number of the payment.
    public var transaction: String
    /// Our number of the refund, where it is about one.
    public var refund: String?
    /// What the bill says, in the smallest unit.
    public var billAmount: Int64?
    /// What our ledger says.
    public var ourAmount: Int64?
    /// The particulars: a reason to hold, a word of the bill.
    public var details: String?

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
  public var differences: [Finding] { findings.filter { !$0.isHealed && $0.kind != .notGranted } }

  /// Whether nothing is left that a later try may put right.
  public var isComplete: Bool {
    !findings.contains { !$0.isHealed && ($0.kind == .missedPayment || $0.kind == .missedRefund) }
  }

  /// The report as JSON, with all findings.
  public var json: JSONValue {
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
  /// The finding as JSON.
  public var json: JSONValue {
    .members([
      ("kind", .string(kind.rawValue)), ("healed", .bool(isHealed)),
      ("orderId", order.map { .string($0.appAccountToken) }), ("transactionId", .string(transaction)),
      ("refund", refund.map(JSONValue.string)), ("billAmount", billAmount.map { .integer($0) }),
      ("ourAmount", ourAmount.map { .integer($0) }), ("details", details.map(JSONValue.string)),
    ])
  }
}
