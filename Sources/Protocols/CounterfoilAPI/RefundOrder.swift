public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/orders/{orderId}/refund`: refunds money of a WeChat Pay order. It takes an `Idempotency-Key`, which
/// identifies the refund for ever.
public enum RefundOrder {
  /// The request.
  public struct Request: Hashable, Sendable {
    /// The amount to refund, in fen; nil for all that is left.
    public var amount: Int64?
    /// The text for the payer; at most 80 bytes.
    public var reason: String?

    /// A refund; without an amount, of all that is left.
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

    /// The request as sent.
    public var json: JSONValue {
      .members([("amount", amount.map { .integer($0) }), ("reason", reason.map(JSONValue.string))])
    }
  }
}

/// A refund, as in every answer.
public struct RefundBody: Hashable, Sendable {
  /// Our number: WeChat Pay's `out_refund_no`.
  public var id: String
  /// The order of the payment.
  public var order: OrderIdentifier?
  /// The store's transaction id of the payment.
  public var transaction: TransactionIdentifier
  /// The refunded amount.
  public var amount: Money
  /// The paid amount.
  public var total: Money
  /// `asked`, `underWay`, `done`, `failed` or `stuck`.
  public var state: String
  /// When the payer had the money back.
  public var doneAt: Timestamp?
  /// The store's reason why it failed.
  public var failure: String?
  /// The text for the payer.
  public var reason: String?
  /// WeChat Pay's number: `refund_id`.
  public var storeRefundId: String?
  /// When it was requested, or first reported.
  public var createdAt: Timestamp

  /// A refund with its required fields.
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

  /// The refund as in an answer.
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
