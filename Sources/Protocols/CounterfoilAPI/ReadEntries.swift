public import PaymentPrimitives
public import StrictJSON

/// A posting on a user's balance: `GET /v1/users/{userId}/balances/{unit}/entries`.
public struct EntryBody: Hashable, Sendable {
  /// Its number in the ledger; newer ones have greater numbers.
  public var id: Int64
  /// What it did to the balance: more than 0 received, less than 0 given.
  public var amount: Int64
  /// The account on the other side: `issued:appStore`, `issued:weChatPay`, `spent` or `writtenOff`.
  public var counterpart: String
  /// What caused it: `grant`, `reversal`, `reinstatement`, `writeOff`, `writeOffUndone`, `debit` or `debtWrittenOff`.
  public var kind: String
  /// The store's name of the refund, for what a refund did.
  public var cause: String?
  /// The store of the payment.
  public var store: Store?
  /// The store's number of the payment.
  public var transaction: TransactionIdentifier?
  /// The caller's id of the booking, for what no payment caused.
  public var booking: String?
  /// What the booking was for.
  public var reason: String?
  /// The caller's own data of the booking.
  public var metadata: JSONValue?
  /// When.
  public var at: Timestamp

  /// An entry with what it always shows.
  public init(id: Int64, amount: Int64, counterpart: String, kind: String, at: Timestamp) {
    self.id = id
    self.amount = amount
    self.counterpart = counterpart
    self.kind = kind
    self.at = at
  }

  /// The kinds of entries, in the order in which they may follow each other.
  public static let kinds = [
    "grant", "reversal", "writeOff", "reinstatement", "writeOffUndone", "debit", "debtWrittenOff",
  ]

  /// The entry as it is answered.
  public var json: JSONValue {
    .members([
      ("id", .integer(id)), ("amount", .integer(amount)), ("counterpart", .string(counterpart)),
      ("kind", .string(kind)), ("cause", cause.map(JSONValue.string)), ("store", store.map { .string($0.rawValue) }),
      ("transactionId", transaction.map { .string($0.text) }), ("bookingId", booking.map(JSONValue.string)),
      ("reason", reason.map(JSONValue.string)), ("metadata", metadata), ("at", .string(at.iso8601)),
    ])
  }
}
