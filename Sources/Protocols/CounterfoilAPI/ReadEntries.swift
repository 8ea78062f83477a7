public import PaymentPrimitives
public import StrictJSON

/// A posting on a user's balance: `GET /v1/users/{userId}/balances/{unit}/entries`.
public struct EntryBody: Hashable, Sendable {
  /// Its number in the ledger; newer ones have greater numbers.
  public var id: Int64
  /// The change of the balance: more than 0 was received, less than 0 was given.
  public var amount: Int64
  /// The account on the other side: `issued:appStore`, `issued:weChatPay`, `spent`, `credited`, `writtenOff` or
  /// `merged`.
  public var counterpart: String
  /// The kind of cause: `grant`, `reversal`, `reinstatement`, `writeOff`, `writeOffUndone`, `debit`,
  /// `debtWrittenOff`, `credit`, `mergeOut` or `mergeIn`.
  public var kind: String
  /// The name of the refund that caused the entry, if a refund did.
  public var cause: String?
  /// The store of the payment.
  public var store: Store?
  /// The store's transaction id of the payment.
  public var transaction: TransactionIdentifier?
  /// The caller's id of the booking; nil if a payment caused the entry.
  public var booking: String?
  /// The reason of the booking.
  public var reason: String?
  /// The caller's own data of the booking.
  public var metadata: JSONValue?
  /// The time of the posting.
  public var at: Timestamp

  /// An entry with its required fields.
  public init(id: Int64, amount: Int64, counterpart: String, kind: String, at: Timestamp) {
    self.id = id
    self.amount = amount
    self.counterpart = counterpart
    self.kind = kind
    self.at = at
  }

  /// The kinds of entries, in a possible order of events.
  public static let kinds = [
    "grant", "reversal", "writeOff", "reinstatement", "writeOffUndone", "debit", "credit", "debtWrittenOff",
    "mergeOut", "mergeIn",
  ]

  /// The entry as in an answer.
  public var json: JSONValue {
    .members([
      ("id", .integer(id)), ("amount", .integer(amount)), ("counterpart", .string(counterpart)),
      ("kind", .string(kind)), ("cause", cause.map(JSONValue.string)), ("store", store.map { .string($0.rawValue) }),
      ("transactionId", transaction.map { .string($0.text) }), ("bookingId", booking.map(JSONValue.string)),
      ("reason", reason.map(JSONValue.string)), ("metadata", metadata), ("at", .string(at.iso8601)),
    ])
  }
}
