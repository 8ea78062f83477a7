import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentStore
import PaymentVocabulary
import ServerContract
import StrictJSON

/// Orders: made, read, waited for, closed.
enum OrderRoutes {
  static let all: [Route] = [create, list, read, close, approvalPending]

  private static let create = Route(
    "POST", CreateOrder.path, "CreateOrder", [.user, .backend],
    RouteDocumentation(
      summary: "Writes an order down before money can move. Send an Idempotency-Key: a repeat answers the same order.",
      request: "CreateOrder", answer: "Order", status: 201,
      codes: [
        "product_unknown", "product_not_sold_at_store", "quantity_not_allowed",
        "store_not_configured", "idempotency_key_reused", "reference_already_used",
        "reference_not_allowed",
      ])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(CreateOrder.Request.init(json:))
    guard let caller = call.caller else { throw Refusal<ServerErrorCode>(.credentialMissing) }
    var request = OrderRequest(
      user: try call.user(named: body.user), product: body.product, quantity: body.quantity,
      store: body.store)
    request.platform = body.platform
    request.scene = body.scene
    request.reference = body.reference
    request.metadata = body.metadata?.text
    request.idempotency = try idempotency(call, body)
    let made = try await call.server.engine.createOrder(request, for: app, by: caller)
    var response = call.answer(OrderBody(made.order).json, status: made.isNew ? 201 : 200)
    response.fields.set("Location", CreateOrder.path + "/" + made.order.order.key.id.description)
    return response
  }

  /// The caller's key with what it was sent with; the body is compared as it was understood, not as it was spelled.
  private static func idempotency(
    _ call: Call, _ body: CreateOrder.Request
  ) throws(Refusal<ServerErrorCode>) -> OrderRequest.IdempotencyKey? {
    let keys = call.request.fields.values("Idempotency-Key")
    guard let key = keys.first else { return nil }
    guard keys.count == 1, (1...255).contains(key.utf8.count) else {
      throw Refusal(.fieldInvalid, "Idempotency-Key must be one text of 1 to 255 bytes.")
    }
    return OrderRequest.IdempotencyKey(key: key, digest: APIKeyText.digest(of: body.json.text))
  }

  private static let list = Route(
    "GET", "/v1/orders", "ListOrders", [.user, .backend],
    RouteDocumentation(
      summary: "Orders, newest first: a user's own, or with a secret key those of `userId` or of the whole app.",
      query: [
        ("userId", "Only with a secret key: whose orders."),
        ("open", "`true` for those that await payment."), ("limit", "1 to 100, otherwise 20."),
        ("before", "The `next` of the page before."),
        ("environment", "Only with a secret key: `sandbox` for twins."),
      ], answer: "OrderPage")
  ) { call in
    let app = try call.authenticatedApp()
    var query = OrderQuery(
      realm: try call.realm(),
      limit: Int(try call.queryNumber("limit", in: 1...Int64(ContractLimits.pageMax), otherwise: 20)))
    query.user = try call.optionalUser(named: nil)
    query.openOnly = call.target?["open"] == "true"
    if let text = call.target?["before"] {
      guard let before = OrderIdentifier(text) else {
        throw Refusal<ServerErrorCode>(.fieldInvalid, "before must be the `next` of a page.")
      }
      query.before = before
    }
    // A user sees the twin of an order in the order's place; a backend asks for one world at a time.
    var twins: [Realm] = []
    if case .user = call.caller { twins = app.userRealms.filter { $0 != app.homeRealm } }
    let listing = try await call.server.engine.listOrders(query, twinsIn: twins)
    let page = OrderPage(orders: listing.orders.map { OrderBody($0) }, next: listing.next?.description)
    return call.answer(page.json)
  }

  private static let read = Route(
    "GET", "/v1/orders/{orderId}", "ReadOrder", [.user, .backend],
    RouteDocumentation(
      summary: "One order by its id or reference; with `wait` it answers when the goal is reached, or at the latest then.",
      query: [
        ("wait", "Seconds to wait at most, 0 to 25."),
        ("until", "`paid` (otherwise) or `delivered`: what is waited for."),
        ("userId", "Only with a secret key: whose order it must be."),
        ("environment", "Only with a secret key: `sandbox` for a twin."),
      ], answer: "Order", codes: ["order_unknown"])
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.optionalUser(named: nil)
    let seconds = try call.queryNumber("wait", in: 0...ContractLimits.waitSecondsMax, otherwise: 0)
    guard let goal = WaitGoal(rawValue: call.target?["until"] ?? "paid") else {
      throw Refusal<ServerErrorCode>(.fieldInvalid, "until must be paid or delivered.")
    }
    var realms = [try call.realm()]
    if case .user = call.caller { realms = app.userRealms }
    let story = try await call.server.engine.readOrder(
      OrderName(call.parameters["orderId"] ?? ""), in: realms, of: user, waiting: .seconds(seconds),
      until: goal)
    return call.answer(OrderBody(story).json)
  }

  private static let close = Route(
    "POST", "/v1/orders/{orderId}/close", "CloseOrder", [.user, .backend],
    RouteDocumentation(
      summary: "Closes an order that nobody will pay. A paid one stays paid; a late payment still pays a closed one.",
      request: "NamesUser", answer: "Order", codes: ["order_unknown"])
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.optionalUser(named: try named(in: call))
    let reason: CloseReason = if case .backend = call.caller { .closedByBackend } else { .customerGaveUp }
    let story = try await call.server.engine.closeOrder(
      OrderName(call.parameters["orderId"] ?? ""), in: app.homeRealm, of: user, because: reason)
    return call.answer(OrderBody(story).json)
  }

  private static let approvalPending = Route(
    "POST", "/v1/orders/{orderId}/approval-pending", "NoteApprovalPending", [.user, .backend],
    RouteDocumentation(
      summary: "The customer waits for a parent's approval (Ask to Buy): the order then waits 30 days.",
      request: "NamesUser", answer: "Order", codes: ["order_unknown"])
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.optionalUser(named: try named(in: call))
    let story = try await call.server.engine.noteApprovalPending(
      OrderName(call.parameters["orderId"] ?? ""), in: app.homeRealm, of: user)
    return call.answer(OrderBody(story).json)
  }

  private static func named(in call: Call) throws(Refusal<ServerErrorCode>) -> UserIdentifier? {
    try call.body { (json) throws(JSONFieldError) in
      try JSONFields(json).optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
    }
  }
}
