package import PaymentPrimitives
import SimulatorCore
package import StrictJSON
package import WeChatPayProtocol

/// The key of a refund: refund numbers are unique only per merchant.
package struct RefundKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let mchid: String
  package let outRefundNo: String

  package init(mchid: String, outRefundNo: String) {
    self.mchid = mchid
    self.outRefundNo = outRefundNo
  }

  package static func < (a: RefundKey, b: RefundKey) -> Bool {
    (a.mchid, a.outRefundNo) < (b.mchid, b.outRefundNo)
  }

  package var description: String { "\(mchid)/\(outRefundNo)" }
}

/// A refund as WeChat Pay keeps it.
package struct SimulatedRefund: Hashable, Sendable {
  package let key: RefundKey
  package let order: OrderKey
  /// A hash of all parameters of the first call.
  package let fingerprint: String
  package let refundId: String
  /// WeChat Pay's number of the payment.
  package let transactionId: String
  package let refund: Int64
  /// What goes back to the payer after coupons, in fen.
  package let payerRefund: Int64
  /// The order's total, in fen.
  package let total: Int64
  /// What the payer had paid after coupons, in fen.
  package let payerTotal: Int64
  /// The funds that the merchant asked to take it from, as WeChat Pay names them; unsettled ones unless it asked.
  package let fundsAccount: String
  /// The URL for the notification of its end; nil: no notification.
  package let notifyURL: String?
  package let createdAt: Timestamp
  package let outcome: RefundStatus

  package internal(set) var status = RefundStatus.processing
  /// When it ends; nil after its end.
  package internal(set) var endsAt: Timestamp?
  package internal(set) var successTime: Timestamp?

  /// The refund as WeChat Pay reports it.
  var facts: RefundFacts {
    var facts = RefundFacts(
      refundId: refundId, outRefundNo: key.outRefundNo, transactionId: transactionId, outTradeNo: order.outTradeNo,
      status: status, total: total, refund: refund)
    facts.channel = "ORIGINAL"
    facts.userReceivedAccount = "支付用户零钱"
    facts.successTime = successTime
    facts.createTime = createdAt
    facts.fundsAccount = fundsAccount
    facts.payerTotal = payerTotal
    facts.payerRefund = payerRefund
    // A coupon here is one that the merchant has not paid in: the merchant never receives its amount.
    facts.settlementTotal = payerTotal
    facts.settlementRefund = payerRefund
    facts.discountRefund = refund - payerRefund
    facts.currency = "CNY"
    return facts
  }
}

extension SimulatedRefund {
  static let unsettled = "UNSETTLED"

  /// The refund as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("mchid", .string(key.mchid)), ("out_refund_no", .string(key.outRefundNo)),
      ("out_trade_no", .string(order.outTradeNo)), ("fingerprint", .string(fingerprint)),
      ("refund_id", .string(refundId)), ("transaction_id", .string(transactionId)), ("refund", .integer(refund)),
      ("payerRefund", .integer(payerRefund)), ("total", .integer(total)), ("payerTotal", .integer(payerTotal)),
      ("funds_account", .string(fundsAccount)), ("notify_url", notifyURL.map { .string($0) }),
      ("createdAt", .integer(createdAt.milliseconds)),
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
    fundsAccount = try fields.optionalString("funds_account") ?? Self.unsettled
    notifyURL = try fields.optionalString("notify_url")
    createdAt = try fields.timestamp("createdAt")
    outcome = try fields.converted("outcome", "a refund's status", RefundStatus.init(rawValue:))
    status = try fields.converted("status", "a refund's status", RefundStatus.init(rawValue:))
    endsAt = try fields.optionalTimestamp("endsAt")
    successTime = try fields.optionalTimestamp("successTime")
  }
}
