import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration

// An operator's actions on waiting payments: `docs/reference/operator-queue.md` says when to use which.
extension OperatorRoutes {
  static let acts: [Route] = [retry, setAside, release, refund, decideRefund]

  static let claim = Route(
    "POST", "/v1/operator/payments/{transactionId}/claim", name: "ClaimUnclaimedPayment", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Gives a payment without an owner to a user. The reason stays in the journal.",
      request: "ClaimPayment", answer: "OperatorPayment",
      codes: [.paymentUnknown, .paymentNotClaimable])
  ) { call in
    let (named, user, purchase) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try NamedPayment(fields, needsReason: true), UserIdentifier(try fields.string("userId", bytesMax: 255)),
        try claimedPurchase(fields)
      )
    }
    try call.checkBuyer(user)
    let result = try await call.server.engine.claimUnclaimedPayment(
      try named.key(call), for: user, as: purchase, by: call.operatorName ?? "", reason: named.reason ?? "")
    return call.answer(json(result.payment))
  }

  /// The purchase that a charge of WeChat Pay is claimed for.
  private static func claimedPurchase(_ fields: JSONFields) throws(JSONFieldError) -> ClaimedPurchase? {
    if let order = try fields.optionalString("orderId", bytesMax: 256) { return .order(OrderName(order)) }
    guard let product = try fields.optionalString("productId", bytesMax: 255) else { return nil }
    let quantity = try fields.optionalInteger("quantity", in: 1...10) ?? 1
    return .product(ProductIdentifier(product), quantity: Int(quantity))
  }

  private static let retry = act(
    "/v1/operator/payments/{transactionId}/retry", "RetryPayment",
    summary: "Tries what was stopped of a payment again, and decides anew about one that waits.",
    request: "RetryPayment"
  ) { call, key, reason in
    try await call.server.engine.retryPayment(key, by: call.operatorName ?? "", reason: reason)
  }

  private static let setAside = act(
    "/v1/operator/payments/{transactionId}/set-aside", "SetAsidePayment",
    summary: "Puts a payment that waits aside: nothing grants it until it is released.",
    request: "ActOnPayment"
  ) { call, key, reason in
    try await call.server.engine.setAside(key, by: call.operatorName ?? "", reason: reason ?? "")
  }

  private static let release = act(
    "/v1/operator/payments/{transactionId}/release", "ReleasePayment",
    summary: "Releases a payment that was set aside, and decides about it anew.",
    request: "ActOnPayment"
  ) { call, key, reason in
    try await call.server.engine.release(key, by: call.operatorName ?? "", reason: reason ?? "")
  }

  private static func act(
    _ path: String, _ name: String, summary: String, request: String,
    _ perform: @escaping @Sendable (Call, PaymentKey, String?) async throws -> Payment
  ) -> Route {
    Route(
      "POST", path, name: name, access: [.operator],
      documentation: RouteDocumentation(
        summary: summary, request: request, requestIsOptional: request == "RetryPayment", answer: "OperatorPayment",
        codes: [.paymentUnknown, .actNotPossible])
    ) { call in
      let named = try call.body { (json) throws(JSONFieldError) in
        try NamedPayment(try JSONFields(json), needsReason: request == "ActOnPayment")
      }
      return call.answer(json(try await perform(call, try named.key(call), named.reason)))
    }
  }

  private static let refund = Route(
    "POST", "/v1/operator/payments/{transactionId}/refund", name: "RefundPayment", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Gives the money of a charge at WeChat Pay back, also of one that no order explains.",
      fields: [
        .init(
          name: "Idempotency-Key",
          meaning: "1 to 255 bytes, required. The same key is the same refund for ever; a repeat answers it as it is.")
      ],
      request: "RefundOrder", requestIsOptional: true, answer: "Refund",
      codes: [.paymentUnknown, .refundNotPossible, .refundTooLarge, .idempotencyKeyReused, .weChatPayOrderInvalid])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(RefundOrder.Request.init(json:))
    let keys = call.request.fields.values("Idempotency-Key")
    guard keys.count == 1, (1...255).contains(keys[0].utf8.count) else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "Idempotency-Key must be one text of 1 to 255 bytes.")
    }
    let refund = try await call.server.engine.refundPayment(
      PaymentKey(
        app: app.id, store: .weChatPay, environment: app.home,
        transaction: TransactionIdentifier(call.parameter("transactionId"))),
      RefundRequest(amount: body.amount, reason: body.reason, idempotencyKey: keys[0], askedBy: "operator"))
    return call.answer(RefundBody(refund).json)
  }

  private static let decideRefund = Route(
    "POST", "/v1/operator/payments/{transactionId}/decide-refund", name: "DecideDisputedRefund", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Decides on a refund that one id of a purchase tells and a newer statement under another does not.",
      request: "DecideRefund", answer: "OperatorPayment", codes: [.paymentUnknown, .paymentNotClaimable])
  ) { call in
    let (named, stands) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (try NamedPayment(fields, needsReason: true), try fields.bool("stands"))
    }
    let result = try await call.server.engine.decideDisputedRefund(
      try named.key(call), stands: stands, by: call.operatorName ?? "", reason: named.reason ?? "")
    return call.answer(json(result.payment))
  }

  static let retryQueue = Route(
    "POST", "/v1/operator/queue/retry", name: "RetryStoppedChanges", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Tries the app's stopped changes again, the ones that waited longest first.", answer: "StoppedRetry")
  ) { call in
    let report = try await call.server.engine.retryStoppedChanges(in: try call.authenticatedApp().id)
    return call.answer(.members([("tried", .integer(report.tried)), ("done", .integer(report.done))]))
  }
}

/// The payment that an operator's body names, with the reason.
private struct NamedPayment {
  let store: Store
  let environment: StoreEnvironment?
  let reason: String?

  init(_ fields: JSONFields, needsReason: Bool) throws(JSONFieldError) {
    store = try fields.optionallyConverted("store", "\"appStore\" or \"weChatPay\"", Store.init(rawValue:)) ?? .appStore
    environment = try fields.optionallyConverted(
      "environment", "an environment", StoreEnvironment.init(rawValue:))
    reason =
      needsReason
      ? try fields.string("reason", bytesMax: 1024) : try fields.optionalString("reason", bytesMax: 1024)
  }

  func key(_ call: Call) throws -> PaymentKey {
    let app = try call.authenticatedApp()
    let environment = environment ?? app.home
    // Apple's signed data without an environment can be set aside, too.
    let world = environment == .undetermined ? environment : try call.appEnvironment(of: environment).environment
    return PaymentKey(
      app: app.id, store: store, environment: world,
      transaction: TransactionIdentifier(call.parameter("transactionId")))
  }
}
