import AppStoreIntegration
import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration

/// Orders at WeChat Pay: new payment parameters, queries, refunds.
enum WeChatPayRoutes {
  static let all: [Route] = [
    prepare, check, refund("/v1/orders/{orderId}/refund", [.backend]),
    refund("/v1/operator/orders/{orderId}/refund", [.operator]), refunds, reconcile,
  ]

  private static let prepare = Route(
    "POST", "/v1/orders/{orderId}/wechat-pay", name: "PrepareWeChatPay", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "Fresh parameters for WeChat, for the same order. Without `weChatPay` it cannot be handed over now.",
      about: .maybeUser, query: [.userId], request: "NamesUser", requestIsOptional: true, answer: "Order",
      codes: [.orderUnknown, .storeNotConfigured, .weChatPayPrepayRefused])
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.optionalUser(
      named: try call.body { (json) throws(JSONFieldError) in
        try JSONFields(json).optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
      })
    let details = try await call.server.engine.prepareWeChatPay(
      OrderName(call.parameter("orderId")), in: app.homeEnvironment, of: user, for: app)
    call.concerns(details.order.key.id)
    return call.answer(call.orderBody(details).json)
  }

  private static let check = Route(
    "POST", CheckWeChatPay.path, name: "CheckWeChatPay", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "The client is back from WeChat: WeChat Pay is asked at once and, if unpaid, again after 5 s.",
      about: .maybeUser, query: [.userId], request: "CheckWeChatPay", answer: "CheckedWeChatPay",
      codes: [.orderUnknown])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(CheckWeChatPay.Request.init(json:))
    let user = try call.optionalUser(named: body.user)
    let waiter = call.rateSubject ?? call.peer
    // A caller with too many open waiting calls gets the known state.
    guard call.server.waits.take(waiter) else {
      let details = try await call.server.engine.readOrder(OrderName(body.order), in: [app.homeEnvironment], of: user)
      call.concerns(details.order.key.id)
      return call.answer(CheckWeChatPay.Response(call.orderBody(details)).json)
    }
    defer { call.server.waits.give(waiter) }
    let details = try await call.server.engine.checkWeChatPay(
      OrderName(body.order), in: app.homeEnvironment, of: user, for: app)
    call.concerns(details.order.key.id)
    return call.answer(CheckWeChatPay.Response(call.orderBody(details)).json)
  }

  private static func refund(_ path: String, _ access: Set<Route.Access>) -> Route {
    Route(
      "POST", path, name: "RefundOrder", access: access,
      documentation: RouteDocumentation(
        summary: "Gives money of a WeChat Pay order back, wholly or in part; the grant goes when the money is back.",
        fields: [
          .init(
            name: "Idempotency-Key",
            meaning: "1 to 255 bytes, required. The same key is the same refund for ever; a repeat answers it as it is."
          )
        ],
        request: "RefundOrder", requestIsOptional: true, answer: "Refund",
        codes: [.orderUnknown, .refundNotPossible, .refundTooLarge, .idempotencyKeyReused, .weChatPayOrderInvalid])
    ) { call in
      let app = try call.authenticatedApp()
      let body = try call.body(RefundOrder.Request.init(json:))
      let keys = call.request.fields.values("Idempotency-Key")
      guard keys.count == 1, (1...255).contains(keys[0].utf8.count) else {
        throw CodedError<ServerErrorCode>(.fieldInvalid, "Idempotency-Key must be one text of 1 to 255 bytes.")
      }
      let askedBy =
        switch call.caller {
        case .backend(let key): "backend " + key.text
        case .user, .publishableKey, nil: "operator"
        }
      let refund = try await call.server.engine.refundOrder(
        OrderName(call.parameter("orderId")), in: app.homeEnvironment,
        RefundRequest(amount: body.amount, reason: body.reason, idempotencyKey: keys[0], askedBy: askedBy), for: app)
      call.concerns(refund.order.map { [$0.description] } ?? [])
      return call.answer(RefundBody(refund).json)
    }
  }

  private static let reconcile = Route(
    "POST", "/v1/operator/reconciliations", name: "Reconcile", access: [.operator],
    documentation: RouteDocumentation(
      summary:
        "Compares the ledger with WeChat Pay's bill of a day, or with Apple's records, and puts right what it can.",
      request: "Reconcile", answer: "Reconciliation", codes: [.storeNotConfigured, .billNotReady, .dayUnknown])
  ) { call in
    let app = try call.authenticatedApp()
    let day = try call.body { (json) throws(JSONFieldError) -> String? in
      let fields = try JSONFields(json)
      let store = try fields.converted("store", "\"weChatPay\" or \"appStore\"", Store.init(rawValue:))
      return store == .appStore ? nil : try fields.string("day", bytesMax: 10)
    }
    guard let day else { return call.answer(try await call.server.engine.reconcileAppStore(app).json) }
    switch try await call.server.engine.reconcileWeChatPay(day, for: app) {
    case .compared(let report): return call.answer(report.json)
    case .later(let why): throw CodedError<EngineErrorCode>(.billNotReady, why)
    }
  }

  private static let refunds = Route(
    "GET", "/v1/orders/{orderId}/refunds", name: "ListRefunds", access: [.backend, .operator],
    documentation: RouteDocumentation(
      summary: "The refunds of a WeChat Pay order, oldest first.", answer: "Refunds", codes: [.orderUnknown])
  ) { call in
    let app = try call.authenticatedApp()
    let refunds = try await call.server.engine.refunds(
      of: OrderName(call.parameter("orderId")), in: app.homeEnvironment, user: nil)
    return call.answer(.members([("refunds", .array(refunds.map { RefundBody($0).json }))]))
  }
}

extension RefundBody {
  /// The engine's refund in the form of the contract.
  init(_ refund: Refund) {
    self.init(
      id: refund.number, transaction: refund.payment.transaction, amount: refund.amount, total: refund.total,
      state: refund.state.name, createdAt: refund.createdAt)
    order = refund.order
    reason = refund.reason
    storeRefundId = refund.storeNumber
    switch refund.state {
    case .done(let moment): doneAt = moment
    case .failed(let word): failure = word
    case .asked, .underWay, .stuck: break
    }
  }
}
