package import PaymentPrimitives

/// One line of a trade bill: a payment, or a refund that was accepted that day.
package struct TradeBillRow: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// An order was paid: `SUCCESS`.
    case payment
    /// A refund was accepted: `REFUND`. Its status is that of the day and is never brought up to date.
    case refund(Refund)
    /// A word that is neither, as it came: `REVOKED` of code payments, or a new one.
    case other(String)
  }

  /// What a line says of a refund.
  package struct Refund: Hashable, Sendable {
    package var refundId: String
    package var outRefundNo: String
    /// What goes back after coupons, in fen: 退款金额.
    package var amount: Int64
    /// What was asked for, in fen: 申请退款金额; equal to `amount` in bills without that column.
    package var requested: Int64
    /// What of it goes back as coupons, in fen: 充值券退款金额.
    package var coupon: Int64
    /// Which way it goes, as it came: 退款类型.
    package var type: String
    /// How far it was that day, as it came: 退款状态.
    package var status: String
    /// When it was asked for; only bills of refunds have it: 退款申请时间.
    package var appliedDate: Timestamp?
    /// When it was done; only bills of refunds have it: 退款成功时间.
    package var successDate: Timestamp?
  }

  /// Which line of the file, from 1.
  package var line: Int
  /// When it was paid, or the refund accepted: 交易时间.
  package var date: Timestamp
  package var appid: String
  package var mchid: String
  /// 特约商户号; nil in merchant mode, where the file says `0`.
  package var subMchid: String?
  /// WeChat Pay's number of the payment: 微信订单号.
  package var transactionId: String
  /// Our number of the order: 商户订单号.
  package var outTradeNo: String
  /// The payer. A person's identity, not to be logged: 用户标识.
  package var openid: String
  package var tradeType: String
  package var bankType: String
  package var currency: String
  /// What the order was opened for, in fen; 0 in lines of refunds: 订单金额.
  package var total: Int64
  /// What the merchant will get of it before fees, in fen: 应结订单金额.
  package var settlementTotal: Int64
  /// What coupons paid, in fen: 代金券金额.
  package var coupon: Int64
  /// The fee in thousandths of a fen; negative where it is given back: 手续费.
  package var feeUnits: Int64
  package var rate: String
  package var goodsName: String
  /// What the prepay call attached: 商户数据包.
  package var attach: String
  package var event: Event
  /// Columns that this version does not know, as they came.
  package var others: [Other]

  /// The refund that the line tells of, if it does.
  package var refund: Refund? {
    guard case .refund(let refund) = event else { return nil }
    return refund
  }

  /// A column that this version does not know.
  package struct Other: Hashable, Sendable {
    /// Its name in the first line.
    package var name: String
    package var value: String

    /// A column and what a line says in it.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// The names of the columns, those of old accounts beside those of today.
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

  /// The column of that name, as it is called today or was called on old accounts.
  init?(name: String) {
    switch name {
    case "总金额": self = .settlementTotal
    case "企业红包金额": self = .coupon
    case "企业红包退款金额": self = .refundCoupon
    case "子商户号": self = .subMchid
    default: self.init(rawValue: name)
    }
  }

  /// What every trade bill has, of whatever kind.
  static let required: [TradeBillColumn] = [
    .date, .appid, .mchid, .transactionId, .outTradeNo, .openid, .tradeType, .tradeState, .bankType, .currency,
    .settlementTotal, .coupon, .goodsName, .attach, .fee, .rate,
  ]
  /// What a bill with refunds has beside them.
  static let requiredOfRefunds: [TradeBillColumn] = [
    .refundId, .outRefundNo, .refundAmount, .refundCoupon, .refundType, .refundStatus,
  ]
}
