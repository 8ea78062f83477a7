public import PaymentVocabulary
public import StrictJSON
public import WeChatPayProtocol

/// The name of a refund: a merchant's numbers are his alone.
public struct RefundKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The merchant.
  public let mchid: String
  /// His number of the refund.
  public let outRefundNo: String

  /// A name from its parts.
  public init(mchid: String, outRefundNo: String) {
    self.mchid = mchid
    self.outRefundNo = outRefundNo
  }

  public static func < (a: RefundKey, b: RefundKey) -> Bool {
    (a.mchid, a.outRefundNo) < (b.mchid, b.outRefundNo)
  }

  public var description: String { "\(mchid)/\(outRefundNo)" }
}

/// A refund as WeChat Pay keeps it.
public struct SimulatedRefund: Hashable, Sendable {
  /// The merchant and his number.
  public let key: RefundKey
  /// The order that it takes back.
  public let order: OrderKey
  /// A hash of all parameters of the first call.
  public let fingerprint: String
  /// WeChat Pay's number.
  public let refundId: String
  /// WeChat Pay's number of the payment.
  public let transactionId: String
  /// What goes back, in fen.
  public let refund: Int64
  /// What of it goes back to the payer after coupons, in fen.
  public let payerRefund: Int64
  /// What the order was about, in fen.
  public let total: Int64
  /// What the payer had paid after coupons, in fen.
  public let payerTotal: Int64
  /// Where its end is told of; nil: nowhere.
  public let notifyURL: String?
  /// When it was accepted.
  public let createdAt: Timestamp
  /// How it will end.
  public let outcome: RefundStatus

  /// How far it is.
  public internal(set) var status = RefundStatus.processing
  /// When it ends; nil once it has.
  public internal(set) var endsAt: Timestamp?
  /// When the money was back.
  public internal(set) var successTime: Timestamp?

  /// What WeChat Pay says of it.
  var facts: RefundFacts {
    var facts = RefundFacts(
      refundId: refundId, outRefundNo: key.outRefundNo, transactionId: transactionId, outTradeNo: order.outTradeNo,
      status: status, total: total, refund: refund)
    facts.channel = "ORIGINAL"
    facts.userReceivedAccount = "支付用户零钱"
    facts.successTime = successTime
    facts.createTime = createdAt
    facts.fundsAccount = "UNSETTLED"
    facts.payerTotal = payerTotal
    facts.payerRefund = payerRefund
    facts.currency = "CNY"
    return facts
  }
}

extension SimulatedRefund {
  /// The refund as the log and the control API have it.
  public var json: JSONValue {
    .members([
      ("mchid", .string(key.mchid)), ("out_refund_no", .string(key.outRefundNo)),
      ("out_trade_no", .string(order.outTradeNo)), ("fingerprint", .string(fingerprint)),
      ("refund_id", .string(refundId)), ("transaction_id", .string(transactionId)), ("refund", .integer(refund)),
      ("payerRefund", .integer(payerRefund)), ("total", .integer(total)), ("payerTotal", .integer(payerTotal)),
      ("notify_url", notifyURL.map { .string($0) }), ("createdAt", .integer(createdAt.milliseconds)),
      ("outcome", .string(outcome.rawValue)), ("status", .string(status.rawValue)),
      ("endsAt", endsAt.map { .integer($0.milliseconds) }),
      ("successTime", successTime.map { .integer($0.milliseconds) }),
    ])
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    let mchid = try fields.string("mchid")
    key = RefundKey(mchid: mchid, outRefundNo: try fields.string("out_refund_no"))
    order = OrderKey(mchid: mchid, outTradeNo: try fields.string("out_trade_no"))
    fingerprint = try fields.string("fingerprint")
    refundId = try fields.string("refund_id")
    transactionId = try fields.string("transaction_id")
    refund = try fields.integer("refund", in: 1...OrderForm.fenMax)
    payerRefund = try fields.integer("payerRefund", in: 0...OrderForm.fenMax)
    total = try fields.integer("total", in: 1...OrderForm.fenMax)
    payerTotal = try fields.integer("payerTotal", in: 0...OrderForm.fenMax)
    notifyURL = try fields.optionalString("notify_url")
    createdAt = try fields.timestamp("createdAt")
    outcome = try fields.converted("outcome", "a refund's status", RefundStatus.init(rawValue:))
    status = try fields.converted("status", "a refund's status", RefundStatus.init(rawValue:))
    endsAt = try fields.optionalTimestamp("endsAt")
    successTime = try fields.optionalTimestamp("successTime")
  }
}
