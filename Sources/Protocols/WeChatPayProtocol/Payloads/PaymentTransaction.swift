package import PaymentPrimitives
package import StrictJSON

/// What WeChat Pay says of one order: the answer to a query, and what is inside a payment notification.
///
/// Before a payment most fields are absent or empty; both read as nil. Fields of combine pay, of promotions' goods and
/// of code payment are passed over.
package struct PaymentTransaction: Hashable, Sendable {
  /// The app that the order was opened for: `appid`.
  package var appid: String?
  /// The merchant: `mchid`. In partner mode it is absent, and `sp_mchid` and `sub_mchid` stand in its place.
  package var mchid: String?
  /// Our number: `out_trade_no`.
  package var outTradeNo: String
  /// WeChat Pay's number, once it is paid.
  package var transactionId: String?
  /// Which cashier it was paid in.
  package var tradeType: WeChatPayWord<TradeType>?
  package var tradeState: WeChatPayWord<TradeState>
  /// The same in words for a person.
  package var tradeStateDescription: String?
  /// The payer's bank: an open list.
  package var bankType: String?
  package var attach: String?
  package var successTime: Timestamp?
  /// The payer within the app. A person's identity: not to be logged.
  package var openid: String?
  /// What the order is about, in fen of `currency`.
  package var total: Int64?
  /// What the payer paid after coupons, in fen.
  package var payerTotal: Int64?
  /// The currency of the order, as it came.
  package var currency: String?
  /// The currency that the payer paid in, as it came.
  package var payerCurrency: String?

  /// What an order is always stated with; the rest is set afterwards.
  package init(outTradeNo: String, tradeState: TradeState) {
    self.outTradeNo = outTradeNo
    self.tradeState = .known(tradeState)
  }

  /// Reads a transaction.
  ///
  /// - Throws: the field that is missing or of another form.
  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    appid = try fields.stated("appid", bytesMax: 32)
    mchid = try fields.stated("mchid", bytesMax: 32)
    outTradeNo = try fields.string("out_trade_no", bytesMax: 64)
    transactionId = try fields.stated("transaction_id", bytesMax: 64)
    tradeType = try fields.stated("trade_type", bytesMax: 32).map { WeChatPayWord($0) }
    tradeState = WeChatPayWord(try fields.string("trade_state", bytesMax: 32))
    tradeStateDescription = try fields.stated("trade_state_desc")
    bankType = try fields.stated("bank_type", bytesMax: 64)
    attach = try fields.stated("attach")
    successTime = try fields.moment("success_time")
    openid = try fields.optionalFields("payer")?.stated("openid", bytesMax: 128)
    guard let amount = try fields.optionalFields("amount") else { return }
    total = try amount.optionalInteger("total", in: 0...Self.fenMax)
    payerTotal = try amount.optionalInteger("payer_total", in: 0...Self.fenMax)
    currency = try amount.stated("currency", bytesMax: 16)
    payerCurrency = try amount.stated("payer_currency", bytesMax: 16)
  }

  /// A hundred billion yuan: no order is larger, and sums of them stay far from overflowing.
  static let fenMax: Int64 = 10_000_000_000_000

  /// The same as JSON, as the platform writes it.
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
      ("payer", openid.map { .members([("openid", .string($0))]) }),
      ("amount", amount.contains { $0.1 != nil } ? .members(amount) : nil),
    ])
  }
}
