public import PaymentVocabulary

/// One line of a trade bill: a payment, or a refund that was accepted that day.
public struct TradeBillRow: Hashable, Sendable {
  /// What a line tells of.
  public enum Event: Hashable, Sendable {
    /// An order was paid: `SUCCESS`.
    case payment
    /// A refund was accepted: `REFUND`. Its status is that of the day and is never brought up to date.
    case refund(Refund)
    /// A word that is neither, as it came: `REVOKED` of code payments, or a new one.
    case other(String)
  }

  /// What a line says of a refund.
  public struct Refund: Hashable, Sendable {
    /// WeChat Pay's number: 微信退款单号.
    public var refundId: String
    /// Our number: 商户退款单号.
    public var outRefundNo: String
    /// What goes back after coupons, in fen: 退款金额.
    public var amount: Int64
    /// What was asked for, in fen: 申请退款金额; equal to `amount` in bills without that column.
    public var requested: Int64
    /// What of it goes back as coupons, in fen: 充值券退款金额.
    public var coupon: Int64
    /// Which way it goes, as it came: 退款类型.
    public var type: String
    /// How far it was that day, as it came: 退款状态.
    public var status: String
    /// When it was asked for; only bills of refunds have it: 退款申请时间.
    public var appliedDate: Timestamp?
    /// When it was done; only bills of refunds have it: 退款成功时间.
    public var successDate: Timestamp?
  }

  /// Which line of the file, from 1.
  public var line: Int
  /// When it was paid, or the refund accepted: 交易时间.
  public var date: Timestamp
  /// 公众账号ID
  public var appid: String
  /// 商户号
  public var mchid: String
  /// 特约商户号; nil in merchant mode, where the file says `0`.
  public var subMchid: String?
  /// WeChat Pay's number of the payment: 微信订单号.
  public var transactionId: String
  /// Our number of the order: 商户订单号.
  public var outTradeNo: String
  /// The payer. A person's identity, not to be logged: 用户标识.
  public var openid: String
  /// As it came: 交易类型.
  public var tradeType: String
  /// As it came: 付款银行.
  public var bankType: String
  /// As it came: 货币种类.
  public var currency: String
  /// What the order was opened for, in fen; 0 in lines of refunds: 订单金额.
  public var total: Int64
  /// What the merchant will get of it before fees, in fen: 应结订单金额.
  public var settlementTotal: Int64
  /// What coupons paid, in fen: 代金券金额.
  public var coupon: Int64
  /// The fee in thousandths of a fen; negative where it is given back: 手续费.
  public var feeUnits: Int64
  /// As it came: 费率.
  public var rate: String
  /// What was sold: 商品名称.
  public var goodsName: String
  /// What the prepay call attached: 商户数据包.
  public var attach: String
  /// What the line tells of.
  public var event: Event
  /// Columns that this version does not know, as they came.
  public var others: [Other]

  /// The refund that the line tells of, if it does.
  public var refund: Refund? {
    guard case .refund(let refund) = event else { return nil }
    return refund
  }

  /// A column that this version does not know.
  public struct Other: Hashable, Sendable {
    /// Its name in the first line.
    public var name: String
    /// What the line says.
    public var value: String

    /// A column and what a line says in it.
    public init(name: String, value: String) {
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
