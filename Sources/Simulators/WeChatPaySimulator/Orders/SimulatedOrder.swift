package import PaymentPrimitives
import StrictJSON
package import WeChatPayProtocol

/// The key of an order: order numbers are unique only per merchant.
package struct OrderKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let mchid: String
  /// The merchant's number of the order.
  package let outTradeNo: String

  package init(mchid: String, outTradeNo: String) {
    self.mchid = mchid
    self.outTradeNo = outTradeNo
  }

  package static func < (a: OrderKey, b: OrderKey) -> Bool {
    (a.mchid, a.outTradeNo) < (b.mchid, b.outTradeNo)
  }

  package var description: String { "\(mchid)/\(outTradeNo)" }
}

/// An order as WeChat Pay keeps it.
package struct SimulatedOrder: Hashable, Sendable {
  /// One answer to a prepay call.
  package struct Prepay: Hashable, Sendable {
    /// The prepay id: the answer for APP and JSAPI, part of the link for H5.
    package let id: String
    /// The text of the QR code; nil unless it is a Native order.
    package let codeURL: String?
    package let issuedAt: Timestamp
  }

  /// A payment that the payer has confirmed and that has not arrived yet.
  package struct PaymentUnderWay: Hashable, Sendable {
    package let moment: Timestamp
    package let openid: String
    /// What the payer pays after coupons, in fen.
    package let payerTotal: Int64
    /// Whether it still arrives after the order was closed.
    package let winsOverClose: Bool
  }

  package let key: OrderKey
  package let tradeType: TradeType
  /// A hash of all parameters of the first prepay call: a call with other parameters is another order.
  package let fingerprint: String
  package let appid: String
  package let goods: String
  package let total: Int64
  package let attach: String?
  /// The URL for notifications of its payment.
  package let notifyURL: String
  /// The only payer that may pay it; nil unless it is a JSAPI order.
  package let openid: String?
  /// The merchant's name of a device, which queries, notifications and bills give back; empty without one.
  package let deviceId: String
  package let createdAt: Timestamp
  package let timeExpire: Timestamp

  /// The results of the prepay calls, in order.
  package internal(set) var prepays: [Prepay] = []
  /// Its state, except the end by time (`WeChatPayState.tradeState`).
  package internal(set) var state = TradeState.notPaid
  /// The payer that entered the cashier first: no other payer may pay any more.
  package internal(set) var enteredBy: String?
  /// A payment that has not arrived yet.
  package internal(set) var payment: PaymentUnderWay?
  /// WeChat Pay's number of the payment.
  package internal(set) var transactionId: String?
  package internal(set) var payer: String?
  /// What the payer paid after coupons, in fen.
  package internal(set) var payerTotal: Int64?
  package internal(set) var paidAt: Timestamp?
  /// The numbers of its refunds, in order.
  package internal(set) var refundNumbers: [String] = []

  package var mchid: String { key.mchid }
  /// The merchant's number of the order.
  package var outTradeNo: String { key.outTradeNo }

  init(
    key: OrderKey, tradeType: TradeType, fingerprint: String, appid: String, goods: String, total: Int64,
    attach: String?, notifyURL: String, openid: String?, deviceId: String = "", createdAt: Timestamp,
    timeExpire: Timestamp
  ) {
    self.key = key
    self.tradeType = tradeType
    self.fingerprint = fingerprint
    self.appid = appid
    self.goods = goods
    self.total = total
    self.attach = attach
    self.notifyURL = notifyURL
    self.openid = openid
    self.deviceId = deviceId
    self.createdAt = createdAt
    self.timeExpire = timeExpire
  }

  /// The transaction as queries and notifications report it.
  func transaction(in state: TradeState) -> PaymentTransaction {
    var transaction = PaymentTransaction(outTradeNo: outTradeNo, tradeState: state)
    transaction.appid = appid
    transaction.mchid = mchid
    transaction.tradeStateDescription = state.chinese
    transaction.total = total
    transaction.payerCurrency = "CNY"
    transaction.deviceId = deviceId
    // Before the payment WeChat Pay states neither.
    guard let transactionId, state != .notPaid else { return transaction }
    transaction.attach = attach
    transaction.currency = "CNY"
    transaction.transactionId = transactionId
    transaction.tradeType = .known(tradeType)
    transaction.bankType = "OTHERS"
    transaction.successTime = paidAt
    transaction.openid = payer
    transaction.payerTotal = payerTotal
    transaction.promotions = coupon
    return transaction
  }
}

extension SimulatedOrder {
  /// What coupons paid, in fen. The merchant has not paid these coupons in, and never receives their amount.
  var couponTotal: Int64 { payerTotal.map { total - $0 } ?? 0 }

  private var coupon: [JSONValue] {
    guard couponTotal > 0 else { return [] }
    return [
      .members([
        ("coupon_id", .string("SIM" + (transactionId ?? ""))), ("name", "代金券"), ("scope", "GLOBAL"), ("type", "NOCASH"),
        ("amount", .integer(couponTotal)), ("stock_id", "1"), ("wechatpay_contribute", .integer(couponTotal)),
        ("merchant_contribute", .integer(0)), ("other_contribute", .integer(0)), ("currency", "CNY"),
        ("goods_detail", .array([])),
      ])
    ]
  }
}

extension TradeState {
  /// WeChat Pay's text for the state.
  var chinese: String {
    switch self {
    case .notPaid: "订单未支付"
    case .success: "支付成功"
    case .refund: "订单发生过退款，退款详情请查询退款单"
    case .closed: "订单已关闭"
    case .revoked: "订单已撤销"
    case .userPaying: "用户支付中"
    case .payError: "支付失败"
    }
  }
}
