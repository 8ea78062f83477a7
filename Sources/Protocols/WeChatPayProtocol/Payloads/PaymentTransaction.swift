package import PaymentPrimitives
package import StrictJSON

/// WeChat Pay's data about one order: the answer to a query, or the content of a payment notification.
///
/// Before a payment, most fields are absent or empty; both are read as nil. Fields of combined payments, promotion
/// goods and code payments are ignored.
package struct PaymentTransaction: Hashable, Sendable {
  /// The app id of the order: `appid`.
  package var appid: String?
  /// The merchant: `mchid`. Absent in partner mode, which uses `sp_mchid` and `sub_mchid`.
  package var mchid: String?
  /// Our number: `out_trade_no`.
  package var outTradeNo: String
  /// WeChat Pay's number; present after the payment.
  package var transactionId: String?
  /// The cashier of the payment.
  package var tradeType: WeChatPayValue<TradeType>?
  package var tradeState: WeChatPayValue<TradeState>
  /// The trade state in words, for people.
  package var tradeStateDescription: String?
  /// The payer's bank: an open list.
  package var bankType: String?
  package var attach: String?
  package var successTime: Timestamp?
  /// The payer within the app. This is personal data; do not log it.
  package var openid: String?
  /// The amount of the order, in fen of `currency`.
  package var total: Int64?
  /// The amount that the payer paid after coupons, in fen.
  package var payerTotal: Int64?
  /// The currency of the order, unchanged.
  package var currency: String?
  /// The currency of the payer's payment, unchanged.
  package var payerCurrency: String?
  /// The device of the order, as the merchant named it: `scene_info.device_id`.
  package var deviceId: String?
  /// The coupons that paid a part, unchanged: `promotion_detail`.
  package var promotions: [JSONValue] = []

  /// A transaction with the fields that are always present; set the others afterwards.
  package init(outTradeNo: String, tradeState: TradeState) {
    self.outTradeNo = outTradeNo
    self.tradeState = .known(tradeState)
  }

  /// Reads a transaction.
  ///
  /// - Throws: the field that is missing or malformed.
  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    appid = try fields.stated("appid", bytesMax: 32)
    mchid = try fields.stated("mchid", bytesMax: 32)
    outTradeNo = try fields.string("out_trade_no", bytesMax: 64)
    transactionId = try fields.stated("transaction_id", bytesMax: 64)
    tradeType = try fields.stated("trade_type", bytesMax: 32).map { WeChatPayValue($0) }
    tradeState = WeChatPayValue(try fields.string("trade_state", bytesMax: 32))
    tradeStateDescription = try fields.stated("trade_state_desc")
    bankType = try fields.stated("bank_type", bytesMax: 64)
    attach = try fields.stated("attach")
    successTime = try fields.moment("success_time")
    promotions = fields.value("promotion_detail")?.array ?? []
    deviceId = try fields.optionalFields("scene_info")?.stated("device_id", bytesMax: 64)
    openid = try fields.optionalFields("payer")?.stated("openid", bytesMax: 128)
    guard let amount = try fields.optionalFields("amount") else { return }
    total = try amount.optionalInteger("total", in: 0...Self.fenMax)
    payerTotal = try amount.optionalInteger("payer_total", in: 0...Self.fenMax)
    currency = try amount.stated("currency", bytesMax: 16)
    payerCurrency = try amount.stated("payer_currency", bytesMax: 16)
  }

  /// A hundred billion yuan: no order is larger, and sums of such amounts do not overflow.
  static let fenMax: Int64 = 10_000_000_000_000

  /// The value as JSON, in the form that WeChat Pay sends.
  package var json: JSONValue {
    let amount: [(String, JSONValue?)] = [
      ("total", total.map { .integer($0) }), ("payer_total", payerTotal.map { .integer($0) }),
      ("currency", currency.map { .string($0) }), ("payer_currency", payerCurrency.map { .string($0) }),
    ]
    return .members([
      ("appid", appid.map { .string($0) }), ("mchid", mchid.map { .string($0) }),
      ("out_trade_no", .string(outTradeNo)), ("transaction_id", transactionId.map { .string($0) }),
      ("trade_type", tradeType.map { .string($0.text) }), ("trade_state", .string(tradeState.text)),
      ("trade_state_desc", tradeStateDescription.map { .string($0) }), ("bank_type", bankType.map { .string($0) }),
      ("attach", attach.map { .string($0) }), ("success_time", successTime.map { .string(BeijingTime.text($0)) }),
      ("scene_info", deviceId.map { .members([("device_id", .string($0))]) }),
      ("payer", openid.map { .members([("openid", .string($0))]) }),
      ("amount", amount.contains { $0.1 != nil } ? .members(amount) : nil), ("promotion_detail", .array(promotions)),
    ])
  }
}
