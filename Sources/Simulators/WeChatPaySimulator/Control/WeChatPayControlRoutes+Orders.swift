import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

extension WeChatPayControlRoutes {
  static let orders: [WeChatPayControlRoute] = [
    WeChatPayControlRoute("GET", "/orders", summary: "All orders as they came.", takes: WeChatPayControlCall.pageQuery)
    {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let list = await call.service.orders(mchid: call.target["mchid"])
      return try call.page("orders", of: list, id: \.key.description, json: { $0.json })
    },
    WeChatPayControlRoute("GET", "/orders/{mchid}/{out_trade_no}", summary: "An order, with its state by now.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard let found = await call.service.order(call.orderKey) else { throw CodedError(.orderUnknown) }
      return call.answer(
        .members([("trade_state", .string(found.state.rawValue)), ("order", found.order.json)]))
    },
    WeChatPayControlRoute(
      "PUT", "/orders/{mchid}/{out_trade_no}/state", summary: "Puts an unpaid order into a state of code payments.",
      takes: [("trade_state", "REVOKED, USERPAYING, PAYERROR or NOTPAY")]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let state = try call.read { fields throws(JSONFieldError) in
        try fields.converted("trade_state", "a trade state", TradeState.init(rawValue:))
      }
      try await call.service.control.setState(state, of: call.orderKey)
      return HTTPResponse(status: 204)
    },
    WeChatPayControlRoute(
      "POST", "/cashier", summary: "A payer comes to the cashier and does something there.",
      takes: [
        ("app?", "the object that an app hands to WeChat's SDK"), ("jsapi?", "the object that a page hands over"),
        ("prepay_id?", "of an h5_url"), ("code_url?", "of a Native order"), ("openid?", "who comes"),
        ("action", "pay, payWithCoupon, payAndLeave, payLater, cancel, leave or fail"),
        ("coupon?", "fen, for payWithCoupon"), ("seconds?", "for payLater"),
        ("winsOverClose?", "true: for payLater, a close on the way does not break it off"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let (visit, openid, action) = try call.read { fields throws(JSONFieldError) in
        (try CashierVisit(fields), try fields.optionalString("openid", bytesMax: 128), try CashierAction(fields))
      }
      let result = try await call.service.cashier.visit(visit, openid: openid ?? CashierVisit.anybody, action)
      return call.answer(
        .members([
          ("errCode", result.errCode.map { .integer($0) }), ("reason", result.reason.map { .string($0.rawValue) }),
          ("out_trade_no", result.order.map { .string($0.outTradeNo) }),
        ]))
    },
    WeChatPayControlRoute(
      "GET", "/refunds", summary: "All refunds as they came.", takes: WeChatPayControlCall.pageQuery
    ) {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let list = await call.service.refunds(mchid: call.target["mchid"])
      return try call.page("refunds", of: list, id: \.key.description, json: { $0.json })
    },
    WeChatPayControlRoute(
      "POST", "/merchants/{mchid}/transfers", summary: "Pays money into an account of a merchant, or withdraws it.",
      takes: [
        ("kind", "topUp or withdrawal"), ("amount", "in fen"), ("account?", "BASIC (default), OPERATION or FEES"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let (kind, amount, account) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.converted("kind", "topUp or withdrawal", FundTransfer.Kind.init(rawValue:)),
          try fields.integer("amount"),
          try fields.optionallyConverted("account", "BASIC, OPERATION or FEES", FundAccount.init(rawValue:))
        )
      }
      let mchid = call.parameters["mchid"] ?? ""
      let transfer = try await call.service.control.transfer(kind, amount, in: account ?? .basic, of: mchid)
      return call.answer(transfer.json, status: 201)
    },
    WeChatPayControlRoute(
      "POST", "/refunds/{mchid}/{out_refund_no}/repair", summary: "Sends an abnormal refund on its way once more."
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let number = call.parameters["out_refund_no"] ?? ""
      try await call.service.control.repairRefund(RefundKey(mchid: call.parameters["mchid"] ?? "", outRefundNo: number))
      return HTTPResponse(status: 204)
    },
  ]
}

extension CashierVisit {
  /// The default payer when a request names none.
  static let anybody = "oSimulatedPayer000000000001"

  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    if let app = fields.value("app") {
      self = .app(try AppHandOver(app))
    } else if let jsapi = fields.value("jsapi") {
      self = .jsapi(try JSAPIHandOver(jsapi))
    } else if let prepayId = try fields.optionalString("prepay_id") {
      self = .h5(prepayId: prepayId)
    } else {
      self = .native(codeURL: try fields.string("code_url"))
    }
  }
}

extension CashierAction {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    let span = TimeSpan.seconds(try fields.optionalInteger("seconds", in: 0...864_000) ?? 0)
    let winsOverClose = try fields.optionalBool("winsOverClose") ?? false
    let coupon = try fields.optionalInteger("coupon", in: 0...OrderForm.fenMax) ?? 0
    self = try fields.converted("action", "the name of an action") { word in
      switch word {
      case "pay": .pay
      case "payWithCoupon": .payWithCoupon(coupon)
      case "payAndLeave": .payAndLeave
      case "payLater": .payLater(span, winsOverClose: winsOverClose)
      case "cancel": .cancel
      case "leave": .leave
      case "fail": .fail
      default: nil
      }
    }
  }
}
