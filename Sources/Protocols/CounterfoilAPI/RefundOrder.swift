public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/orders/{orderId}/refund`: gives money of a WeChat Pay order back. With an `Idempotency-Key`, which names
/// the refund for ever.
public enum RefundOrder {
  /// What is asked.
  public struct Request: Hashable, Sendable {
    /// What goes back, in fen; nil for all that is left.
    public var amount: Int64?
    /// What the payer reads; at most 80 bytes.
    public var reason: String?

    /// A refund of all that is left.
    public init(amount: Int64? = nil, reason: String? = nil) {
      self.amount = amount
      self.reason = reason
    }

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      amount = try fields.optionalInteger("amount", in: 1...10_000_000_000_000)
      reason = try fields.optionalString("reason", bytesMax: 80)
    }

    /// The request as it is sent.
    public var json: JSONValue {
      .members([("amount", amount.map { .integer($0) }), ("reason", reason.map(JSONValue.string))])
    }
  }
}

/// A refund as every answer shows it.
public struct RefundBody: Hashable, Sendable {
  /// Our number: WeChat Pay's `out_refund_no`.
  public var id: String
  /// The order.
  public var order: OrderIdentifier?
  /// The store's number of the payment.
  public var transaction: TransactionIdentifier
  /// What goes back.
  public var amount: Money
  /// What was paid.
  public var total: Money
  /// `asked`, `underWay`, `done`, `failed` or `stuck`.
  public var state: String
  /// When the money was back with the payer.
  public var doneAt: Timestamp?
  /// The store's word for why it failed.
  public var failure: String?
  /// What the payer reads.
  public var reason: String?
  /// WeChat Pay's number: `refund_id`.
  public var storeRefundId: String?
  /// When it was asked for, or learned of.
  public var createdAt: Timestamp

  /// A refund with what it always shows.
  public init(
    id: String, transaction: TransactionIdentifier, amount: Money, total: Money, state: String, createdAt: Timestamp
  ) {
    self.id = id
    self.transaction = transaction
    self.amount = amount
    self.total = total
    self.state = state
    self.createdAt = createdAt
  }

  /// The refund as it is answered.
  public var json: JSONValue {
    .members([
      ("id", .string(id)), ("orderId", order.map { .string($0.appAccountToken) }),
      ("transactionId", .string(transaction.text)), ("amount", .integer(amount.minorUnits)),
      ("total", .integer(total.minorUnits)), ("currency", .string(amount.currency.code)), ("state", .string(state)),
      ("doneAt", doneAt.map { .string($0.iso8601) }), ("failure", failure.map(JSONValue.string)),
      ("reason", reason.map(JSONValue.string)), ("storeRefundId", storeRefundId.map(JSONValue.string)),
      ("createdAt", .string(createdAt.iso8601)),
    ])
  }
}
