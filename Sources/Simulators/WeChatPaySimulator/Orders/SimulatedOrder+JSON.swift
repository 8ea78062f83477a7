import PaymentPrimitives
import SimulatorCore
package import StrictJSON
import WeChatPayProtocol

extension SimulatedOrder {
  /// The order as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("mchid", .string(mchid)), ("out_trade_no", .string(outTradeNo)), ("trade_type", .string(tradeType.rawValue)),
      ("fingerprint", .string(fingerprint)), ("appid", .string(appid)), ("description", .string(goods)),
      ("total", .integer(total)), ("attach", attach.map { .string($0) }), ("notify_url", .string(notifyURL)),
      ("openid", openid.map { .string($0) }), ("deviceId", deviceId.isEmpty ? nil : .string(deviceId)),
      ("createdAt", .integer(createdAt.milliseconds)),
      ("timeExpire", .integer(timeExpire.milliseconds)), ("prepays", .array(prepays.map(\.json))),
      ("state", .string(state.rawValue)), ("enteredBy", enteredBy.map { .string($0) }),
      ("paymentUnderWay", payment?.json), ("transaction_id", transactionId.map { .string($0) }),
      ("payer", payer.map { .string($0) }), ("payerTotal", payerTotal.map { .integer($0) }),
      ("paidAt", paidAt.map { .integer($0.milliseconds) }),
      ("refunds", refundNumbers.isEmpty ? nil : .array(refundNumbers.map { .string($0) })),
    ])
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    self.init(
      key: OrderKey(mchid: try fields.string("mchid"), outTradeNo: try fields.string("out_trade_no")),
      tradeType: try fields.converted("trade_type", "a trade type", TradeType.init(rawValue:)),
      fingerprint: try fields.string("fingerprint"), appid: try fields.string("appid"),
      goods: try fields.string("description"), total: try fields.integer("total", in: 1...OrderForm.fenMax),
      attach: try fields.optionalString("attach"), notifyURL: try fields.string("notify_url"),
      openid: try fields.optionalString("openid"), deviceId: try fields.optionalString("deviceId") ?? "",
      createdAt: try fields.timestamp("createdAt"),
      timeExpire: try fields.timestamp("timeExpire"))
    for item in try fields.array("prepays", countMax: WeChatPaySimulatorLimits.prepaysMax) {
      prepays.append(try Prepay(JSONFields(item, path: "prepays")))
    }
    state = try fields.converted("state", "a trade state", TradeState.init(rawValue:))
    enteredBy = try fields.optionalString("enteredBy")
    if let under = try fields.optionalFields("paymentUnderWay") { payment = try PaymentUnderWay(under) }
    transactionId = try fields.optionalString("transaction_id")
    payer = try fields.optionalString("payer")
    payerTotal = try fields.optionalInteger("payerTotal")
    paidAt = try fields.optionalTimestamp("paidAt")
    refundNumbers = try fields.strings("refunds", countMax: WeChatPaySimulatorLimits.refundsPerOrderMax)
  }
}

extension SimulatedOrder.Prepay {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    id = try fields.string("prepay_id")
    codeURL = try fields.optionalString("code_url")
    issuedAt = try fields.timestamp("issuedAt")
  }

  fileprivate var json: JSONValue {
    .members([
      ("prepay_id", .string(id)), ("code_url", codeURL.map { .string($0) }),
      ("issuedAt", .integer(issuedAt.milliseconds)),
    ])
  }
}

extension SimulatedOrder.PaymentUnderWay {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    moment = try fields.timestamp("moment")
    openid = try fields.string("openid")
    payerTotal = try fields.integer("payerTotal")
    winsOverClose = try fields.bool("winsOverClose")
  }

  fileprivate var json: JSONValue {
    .members([
      ("moment", .integer(moment.milliseconds)), ("openid", .string(openid)), ("payerTotal", .integer(payerTotal)),
      ("winsOverClose", .bool(winsOverClose)),
    ])
  }
}
