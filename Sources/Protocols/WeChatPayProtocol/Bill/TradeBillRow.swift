package import PaymentPrimitives

/// One row of a trade bill: a payment, or a refund that was accepted on that day.
package struct TradeBillRow: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// A paid order: `SUCCESS`.
    case payment
    /// An accepted refund: `REFUND`. Its status is the status on that day; WeChat Pay never updates it.
    case refund(Refund)
    /// Any other word, unchanged: `REVOKED` of code payments, or a new one.
    case other(String)
  }

  /// The refund columns of a row.
  package struct Refund: Hashable, Sendable {
    package var refundId: String
    package var outRefundNo: String
    /// The refunded amount after coupons, in fen: 退款金额.
    package var amount: Int64
    /// The requested amount, in fen: 申请退款金额; equal to `amount` in bills without that column.
    package var requested: Int64
    /// The part that is refunded as coupons, in fen: 充值券退款金额.
    package var coupon: Int64
    /// The kind of the refund, unchanged: 退款类型.
    package var type: String
    /// The status on that day, unchanged: 退款状态.
    package var status: String
    /// The time of the request; only in bills of refunds: 退款申请时间.
    package var appliedDate: Timestamp?
    /// The time of success; only in bills of refunds: 退款成功时间.
    package var successDate: Timestamp?
  }

  /// The line number in the file, from 1.
  package var line: Int
  /// The time of the payment, or of the refund's acceptance: 交易时间.
  package var date: Timestamp
  package var appid: String
  package var mchid: String
  /// 特约商户号; nil in merchant mode, where the file says `0`.
  package var subMchid: String?
  /// WeChat Pay's number of the payment: 微信订单号.
  package var transactionId: String
  /// Our number of the order: 商户订单号.
  package var outTradeNo: String
  /// The payer: 用户标识. This is personal data; do not log it.
  package var openid: String
  package var tradeType: String
  package var bankType: String
  package var currency: String
  /// The amount of the order, in fen; 0 in rows of refunds: 订单金额.
  package var total: Int64
  /// The part that the merchant receives, before fees, in fen: 应结订单金额.
  package var settlementTotal: Int64
  /// The part that coupons paid, in fen: 代金券金额.
  package var coupon: Int64
  /// The fee in thousandths of a fen; negative if it is refunded: 手续费.
  package var feeUnits: Int64
  package var rate: String
  package var goodsName: String
  /// The attached text of the prepay call: 商户数据包.
  package var attach: String
  package var event: Event
  /// Columns that this version does not know, unchanged.
  package var others: [Other]

  /// The refund of the row; nil if the row is not a refund.
  package var refund: Refund? {
    guard case .refund(let refund) = event else { return nil }
    return refund
  }

  /// A column that this version does not know.
  package struct Other: Hashable, Sendable {
    /// The column name from the header.
    package var name: String
    package var value: String

    /// An unknown column and its value.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// The column names, current ones and those of old accounts.
enum TradeBillColumn: String, CaseIterable {
  case date = "交易时间"
  case appid = "公众账号ID"
  case mchid = "商户号"
  case subMchid = "特约商户号"
  case device = "设备号"
  case transactionId = "微信订单号"
  case outTradeNo = "商户订单号"
  case openid = "用户标识"
  case tradeType = "交易类型"
  case tradeState = "交易状态"
  case bankType = "付款银行"
  case currency = "货币种类"
  case settlementTotal = "应结订单金额"
  case coupon = "代金券金额"
  case refundApplied = "退款申请时间"
  case refundSucceeded = "退款成功时间"
  case refundId = "微信退款单号"
  case outRefundNo = "商户退款单号"
  case refundAmount = "退款金额"
  case refundCoupon = "充值券退款金额"
  case refundType = "退款类型"
  case refundStatus = "退款状态"
  case goodsName = "商品名称"
  case attach = "商户数据包"
  case fee = "手续费"
  case rate = "费率"
  case total = "订单金额"
  case refundRequested = "申请退款金额"
  case rateRemark = "费率备注"

  /// The column with that name, in its current or its old spelling.
  init?(name: String) {
    switch name {
    case "总金额": self = .settlementTotal
    case "企业红包金额": self = .coupon
    case "企业红包退款金额": self = .refundCoupon
    case "子商户号": self = .subMchid
    default: self.init(rawValue: name)
    }
  }

  /// The columns that every kind of trade bill has.
  static let required: [TradeBillColumn] = [
    .date, .appid, .mchid, .transactionId, .outTradeNo, .openid, .tradeType, .tradeState, .bankType, .currency,
    .settlementTotal, .coupon, .goodsName, .attach, .fee, .rate,
  ]
  /// The additional columns of a bill with refunds.
  static let requiredOfRefunds: [TradeBillColumn] = [
    .refundId, .outRefundNo, .refundAmount, .refundCoupon, .refundType, .refundStatus,
  ]
}
