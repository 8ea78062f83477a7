package import PaymentPrimitives
package import StrictJSON

/// WeChat Pay's data about one refund: the answer to its creation or to a query.
///
/// A refund notification uses other names (`RefundNotification`).
package struct RefundFacts: Hashable, Sendable {
  /// WeChat Pay's number: `refund_id`.
  package var refundId: String
  /// Our number, the permanent id of the refund: `out_refund_no`.
  package var outRefundNo: String
  package var transactionId: String
  /// Our number of the order.
  package var outTradeNo: String
  package var status: WeChatPayValue<RefundStatus>
  /// The refund channel, unchanged.
  package var channel: String?
  /// The destination of the money, in words for people. Do not log it.
  package var userReceivedAccount: String?
  package var successTime: Timestamp?
  package var createTime: Timestamp?
  /// The merchant's funds that the refund is taken from, unchanged.
  package var fundsAccount: String?
  /// The amount of the order, in fen.
  package var total: Int64
  package var refund: Int64
  /// The amount that the payer had paid after coupons, in fen.
  package var payerTotal: Int64?
  /// The amount that goes back to the payer, in fen.
  package var payerRefund: Int64?
  /// What the merchant receives for the order: its amount without coupons that the merchant has not paid in, in fen.
  package var settlementTotal: Int64?
  /// The part of the refund that is taken from what the merchant received, in fen.
  package var settlementRefund: Int64?
  /// The part of the refund that goes back into coupons, in fen.
  package var discountRefund: Int64?
  /// The fee that comes back with the refund, in fen. In answers since 2023, and in no page.
  package var refundFee: Int64?
  /// The accounts that the money comes from, as WeChat Pay states them.
  package var from: [JSONValue] = []
  /// What becomes of the coupons, as WeChat Pay states it.
  package var promotions: [JSONValue] = []
  package var currency: String?

  /// A refund with the fields that are always present; set the others afterwards.
  package init(
    refundId: String, outRefundNo: String, transactionId: String, outTradeNo: String, status: RefundStatus,
    total: Int64, refund: Int64
  ) {
    self.refundId = refundId
    self.outRefundNo = outRefundNo
    self.transactionId = transactionId
    self.outTradeNo = outTradeNo
    self.status = .known(status)
    self.total = total
    self.refund = refund
  }

  /// Reads a refund.
  ///
  /// - Throws: the field that is missing or malformed.
  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    refundId = try fields.string("refund_id", bytesMax: 64)
    outRefundNo = try fields.string("out_refund_no", bytesMax: 64)
    transactionId = try fields.string("transaction_id", bytesMax: 64)
    outTradeNo = try fields.string("out_trade_no", bytesMax: 64)
    status = WeChatPayValue(try fields.string("status", bytesMax: 32))
    channel = try fields.stated("channel", bytesMax: 64)
    userReceivedAccount = try fields.stated("user_received_account")
    successTime = try fields.moment("success_time")
    createTime = try fields.moment("create_time")
    fundsAccount = try fields.stated("funds_account", bytesMax: 64)
    let amount = try JSONFields(fields.value("amount") ?? .null, path: "amount")
    total = try amount.integer("total", in: 0...PaymentTransaction.fenMax)
    refund = try amount.integer("refund", in: 0...PaymentTransaction.fenMax)
    payerTotal = try amount.optionalInteger("payer_total", in: 0...PaymentTransaction.fenMax)
    payerRefund = try amount.optionalInteger("payer_refund", in: 0...PaymentTransaction.fenMax)
    settlementTotal = try amount.optionalInteger("settlement_total", in: 0...PaymentTransaction.fenMax)
    settlementRefund = try amount.optionalInteger("settlement_refund", in: 0...PaymentTransaction.fenMax)
    discountRefund = try amount.optionalInteger("discount_refund", in: 0...PaymentTransaction.fenMax)
    refundFee = try amount.optionalInteger("refund_fee", in: 0...PaymentTransaction.fenMax)
    from = amount.value("from")?.array ?? []
    promotions = fields.value("promotion_detail")?.array ?? []
    currency = try amount.stated("currency", bytesMax: 16)
  }

  /// The value as JSON, in the form that WeChat Pay sends.
  package var json: JSONValue {
    .members([
      ("refund_id", .string(refundId)), ("out_refund_no", .string(outRefundNo)),
      ("transaction_id", .string(transactionId)), ("out_trade_no", .string(outTradeNo)),
      ("channel", channel.map { .string($0) }), ("user_received_account", userReceivedAccount.map { .string($0) }),
      ("success_time", successTime.map { .string(BeijingTime.text($0)) }),
      ("create_time", createTime.map { .string(BeijingTime.text($0)) }), ("status", .string(status.text)),
      ("funds_account", fundsAccount.map { .string($0) }),
      (
        "amount",
        .members([
          ("total", .integer(total)), ("refund", .integer(refund)),
          ("from", .array(from)), ("payer_total", payerTotal.map { .integer($0) }),
          ("payer_refund", payerRefund.map { .integer($0) }),
          ("settlement_total", settlementTotal.map { .integer($0) }),
          ("settlement_refund", settlementRefund.map { .integer($0) }),
          ("discount_refund", discountRefund.map { .integer($0) }), ("refund_fee", refundFee.map { .integer($0) }),
          ("currency", currency.map { .string($0) }),
        ])
      ), ("promotion_detail", .array(promotions)),
    ])
  }
}

/// The content of a refund notification. It has its own type because its names and fields differ from those of the
/// query. It has `refund_status` instead of `status`, and states no currency.
package struct RefundNotification: Hashable, Sendable {
  /// The merchant: `mchid`. Absent in partner mode.
  package var mchid: String?
  /// Our number of the order.
  package var outTradeNo: String
  package var transactionId: String
  package var outRefundNo: String
  package var refundId: String
  /// The status of the refund: `refund_status`.
  package var status: WeChatPayValue<RefundStatus>
  /// The time at which the money was back; only after success.
  package var successTime: Timestamp?
  /// The destination of the money, in words for people. Do not log it.
  package var userReceivedAccount: String?
  /// The amount of the order, in fen.
  package var total: Int64
  package var refund: Int64
  /// The amount that the payer had paid after coupons, in fen.
  package var payerTotal: Int64?
  /// The amount that goes back to the payer, in fen.
  package var payerRefund: Int64?

  /// The notification of a refund with the data of its query.
  package init(of facts: RefundFacts, mchid: String?) {
    self.mchid = mchid
    outTradeNo = facts.outTradeNo
    transactionId = facts.transactionId
    outRefundNo = facts.outRefundNo
    refundId = facts.refundId
    status = facts.status
    successTime = facts.successTime
    userReceivedAccount = facts.userReceivedAccount
    total = facts.total
    refund = facts.refund
    payerTotal = facts.payerTotal
    payerRefund = facts.payerRefund
  }

  /// Reads the content of a notification.
  ///
  /// - Throws: the field that is missing or malformed.
  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    mchid = try fields.stated("mchid", bytesMax: 32)
    outTradeNo = try fields.string("out_trade_no", bytesMax: 64)
    transactionId = try fields.string("transaction_id", bytesMax: 64)
    outRefundNo = try fields.string("out_refund_no", bytesMax: 64)
    refundId = try fields.string("refund_id", bytesMax: 64)
    status = WeChatPayValue(try fields.string("refund_status", bytesMax: 32))
    successTime = try fields.moment("success_time")
    userReceivedAccount = try fields.stated("user_received_account")
    let amount = try JSONFields(fields.value("amount") ?? .null, path: "amount")
    total = try amount.integer("total", in: 0...PaymentTransaction.fenMax)
    refund = try amount.integer("refund", in: 0...PaymentTransaction.fenMax)
    payerTotal = try amount.optionalInteger("payer_total", in: 0...PaymentTransaction.fenMax)
    payerRefund = try amount.optionalInteger("payer_refund", in: 0...PaymentTransaction.fenMax)
  }

  /// The value as JSON, in the form that WeChat Pay sends.
  package var json: JSONValue {
    .members([
      ("mchid", mchid.map { .string($0) }), ("out_trade_no", .string(outTradeNo)),
      ("transaction_id", .string(transactionId)), ("out_refund_no", .string(outRefundNo)),
      ("refund_id", .string(refundId)), ("refund_status", .string(status.text)),
      ("success_time", successTime.map { .string(BeijingTime.text($0)) }),
      ("user_received_account", userReceivedAccount.map { .string($0) }),
      (
        "amount",
        .members([
          ("total", .integer(total)), ("refund", .integer(refund)),
          ("payer_total", payerTotal.map { .integer($0) }), ("payer_refund", payerRefund.map { .integer($0) }),
        ])
      ),
    ])
  }
}
