import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Refunds in merchant mode. Partner mode adds `sub_mchid` to body and query.

/// A refund request. Our number identifies it permanently: after any uncertainty, send the same request again, never
/// with a new number.
package struct RefundOrder: Hashable, Sendable {
  package enum Charge: Hashable, Sendable {
    /// WeChat Pay's number of the payment.
    case transactionId(String)
    /// Our number of the order.
    case outTradeNo(String)
  }

  package var charge: Charge
  /// Our number of the refund: 1 to 64 letters, digits and `_-|*`.
  package var outRefundNo: String
  /// The reason that the payer sees; at most 80 bytes of UTF-8.
  package var reason: String?
  /// The URL for the notification of the result; at most 255 characters.
  package var notifyURL: String
  package var refund: Int64
  /// The amount of the order, in fen.
  package var total: Int64
  /// Whether to take the money from the available balance instead of the unsettled funds.
  package var fromAvailableBalance: Bool

  /// A refund with an amount in fen.
  package init(charge: Charge, outRefundNo: String, notifyURL: String, refund: Int64, total: Int64) {
    self.charge = charge
    self.outRefundNo = outRefundNo
    self.notifyURL = notifyURL
    self.refund = refund
    self.total = total
    self.fromAvailableBalance = false
  }

  /// The body of the call.
  ///
  /// - Throws: a value that WeChat Pay would reject.
  package func body() throws(CodedError<WeChatPayRequestErrorCode>) -> [UInt8] {
    var check = RequestCheck()
    check.orderNumber("out_refund_no", outRefundNo, range: 1...64)
    check.text("reason", reason, range: 1...80, bytesMax: 80)
    check.notifyURL(notifyURL, bytesMax: 255)
    check.amount("amount.total", total, atMost: PaymentTransaction.fenMax)
    check.amount("amount.refund", refund, atMost: total)
    var transactionId: String?
    var outTradeNo: String?
    switch charge {
    case .transactionId(let number):
      check.orderNumber("transaction_id", number, range: 1...32)
      transactionId = number
    case .outTradeNo(let number):
      check.orderNumber("out_trade_no", number, range: 6...32)
      outTradeNo = number
    }
    if let problem = check.problem { throw problem }
    return JSONValue.members([
      ("transaction_id", transactionId.map { .string($0) }), ("out_trade_no", outTradeNo.map { .string($0) }),
      ("out_refund_no", .string(outRefundNo)), ("reason", reason.map { .string($0) }),
      ("notify_url", .string(notifyURL)), ("funds_account", fromAvailableBalance ? "AVAILABLE" : nil),
      (
        "amount",
        .members([("refund", .integer(refund)), ("total", .integer(total)), ("currency", "CNY")])
      ),
    ]).bytes
  }
}

extension WeChatPayCall where Answer == RefundFacts {
  /// Requests a refund. An answer means that the refund is accepted, not that the money is back.
  ///
  /// - Throws: a value that WeChat Pay would reject.
  package static func refund(_ order: RefundOrder) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    refund(outRefundNo: order.outRefundNo, body: try order.body())
  }

  /// Requests a refund with the saved body of the first call, for retries.
  package static func refund(outRefundNo: String, body: [UInt8]) -> WeChatPayCall {
    WeChatPayCall("POST", "/v3/refund/domestic/refunds", body: body) { value throws(JSONFieldError) in
      try facts(value, outRefundNo)
    }
  }

  /// Queries a refund. `resourceNotFound` means that it was never accepted: send the same request again.
  package static func refund(outRefundNo: String) -> WeChatPayCall {
    let target = "/v3/refund/domestic/refunds/\(RequestTarget.encode(outRefundNo))"
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in try facts(value, outRefundNo) }
  }

  static func facts(_ value: JSONValue, _ outRefundNo: String) throws(JSONFieldError) -> RefundFacts {
    let facts = try RefundFacts(value)
    guard facts.outRefundNo.utf8.elementsEqual(outRefundNo.utf8) else {
      throw JSONFieldError(path: "out_refund_no", expected: "the number that was asked for")
    }
    return facts
  }
}
