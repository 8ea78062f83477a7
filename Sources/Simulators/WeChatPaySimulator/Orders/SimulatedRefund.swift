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
  /// Its states, in order, each with its time. Bills show the state of the moment at which they are made.
  package internal(set) var history: [Step] = []
  /// Where the money goes: back the way it came, or to a bank card after an abnormal end.
  package internal(set) var channel = "ORIGINAL"
  package internal(set) var receivedAccount = "支付用户零钱"

  /// A state and its time.
  package struct Step: Hashable, Sendable {
    package let status: RefundStatus
    package let at: Timestamp
  }

  mutating func take(_ status: RefundStatus, at moment: Timestamp) {
    self.status = status
    history.append(Step(status: status, at: moment))
  }

  /// The state at a moment of the past.
  func status(at moment: Timestamp) -> RefundStatus {
    history.last { $0.at <= moment }?.status ?? (history.isEmpty ? status : .processing)
  }

  /// When its amount became available again.
  var closedAt: Timestamp? {
    status == .closed ? history.last { $0.status == .closed }?.at ?? createdAt : nil
  }

  /// The refund as WeChat Pay reports it.
  var facts: RefundFacts {
    var facts = RefundFacts(
      refundId: refundId, outRefundNo: key.outRefundNo, transactionId: transactionId, outTradeNo: order.outTradeNo,
      status: status, total: total, refund: refund)
    facts.channel = channel
    facts.userReceivedAccount = receivedAccount
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
      (
        "history",
        .array(
          history.map {
            .members([("status", .string($0.status.rawValue)), ("at", .integer($0.at.milliseconds))])
          })
      ),
      ("channel", .string(channel)), ("user_received_account", .string(receivedAccount)),
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
    for item in try fields.array("history", countMax: WeChatPaySimulatorLimits.refundStepsMax) {
      let step = try JSONFields(item, path: "history")
      history.append(
        Step(
          status: try step.converted("status", "a refund's status", RefundStatus.init(rawValue:)),
          at: try step.timestamp("at")))
    }
    channel = try fields.optionalString("channel") ?? channel
    receivedAccount = try fields.optionalString("user_received_account") ?? receivedAccount
  }
}
