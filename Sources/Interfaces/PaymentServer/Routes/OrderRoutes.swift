import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Orders: create, read, wait, close.
enum OrderRoutes {
  static let all: [Route] = [
    create, list(CreateOrder.path, [.user, .backend]), list("/v1/users/{userId}/orders", [.backend]), read, close,
    approvalPending,
  ]

  private static let create = Route(
    "POST", CreateOrder.path, name: "CreateOrder", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "Writes an order down before money can move. Send an Idempotency-Key: a repeat answers the same order.",
      about: .user, query: [.userId],
      fields: [
        .init(
          name: "Idempotency-Key",
          meaning: "1 to 255 bytes. Again with the same request it answers the order as it is now (200).")
      ],
      request: "CreateOrder", answer: "Order", statuses: [201, 200],
      codes: [
        .productUnknown, .productRetired, .productNotSoldAtStore, .quantityNotAllowed, .storeNotConfigured,
        .virtualGoodsNeedInAppPurchase, .weChatPayOrderInvalid, .weChatPayPrepayRefused, .tooManyOpenOrders,
        .idempotencyKeyReused, .referenceAlreadyUsed, .referenceNotAllowed, .spendingLimitReached,
      ])
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(CreateOrder.Request.init(json:))
    guard let caller = call.caller else { throw CodedError<ServerErrorCode>(.credentialMissing) }
    let user = try call.user(named: body.user)
    try call.checkBuyer(user)
    var request = OrderRequest(
      user: user, product: body.product, quantity: body.quantity, store: body.store)
    request.platform = body.platform
    request.scene = body.scene
    request.tradeType = body.tradeType
    request.openid = body.openId
    // A gateway makes this call: it must name the payer's IP address.
    if case .backend = caller {
      request.payerAddress = body.payerAddress
    } else {
      request.payerAddress = call.client.text
    }
    request.reference = body.reference
    request.metadata = body.metadata?.text
    request.idempotency = try idempotency(call, body, user: user)
    let made = try await call.server.engine.createOrder(request, for: app, by: caller)
    call.concerns(made.order.order.key.id)
    var response = call.answer(call.orderBody(made.order).json, status: made.isNew ? 201 : 200)
    response.fields.set("Location", CreateOrder.path + "/" + made.order.order.key.id.description)
    return response
  }

  /// The caller's key with a digest of its request. The comparison uses the meaning of the request, not its spelling:
  /// it includes the user, wherever named, and ignores the order of members.
  private static func idempotency(
    _ call: Call, _ body: CreateOrder.Request, user: UserIdentifier
  ) throws(CodedError<ServerErrorCode>) -> OrderRequest.IdempotencyKey? {
    let keys = call.request.fields.values("Idempotency-Key")
    guard let key = keys.first else { return nil }
    guard keys.count == 1, (1...255).contains(key.utf8.count) else {
      throw CodedError(.fieldInvalid, "Idempotency-Key must be one text of 1 to 255 bytes.")
    }
    var understood = body
    understood.user = user
    return OrderRequest.IdempotencyKey(
      key: key, digest: APIKeyText.digest(of: understood.json.withSortedMembers.text))
  }

  private static func list(_ path: String, _ access: Set<Route.Access>) -> Route {
    let ofUser: [RouteDocumentation.Parameter] = path.contains("{userId}") ? [] : [.userId]
    return Route(
      "GET", path, name: "ListOrders", access: access,
      documentation: RouteDocumentation(
        summary:
          "Orders by createdAt, newest first: a user's own, or with a secret key those of a user or of the whole app.",
        about: .maybeUser,
        query: ofUser + [
          .init(
            name: "open", meaning: "`true` for those that await payment.",
            schema: .members([("type", "boolean")])),
          .limit(ContractLimits.pageMax), .init(name: "before", meaning: "The `next` of the page before."),
          .environment,
        ], answer: "OrderPage")
    ) { call in try await list(call) }
  }

  private static func list(_ call: Call) async throws -> HTTPResponse {
    let app = try call.authenticatedApp()
    var query = OrderQuery(
      appEnvironment: try call.appEnvironment(),
      limit: Int(try call.queryNumber("limit", in: 1...Int64(ContractLimits.pageMax), otherwise: 20)))
    query.user = try call.optionalUser(named: call.parameters["userId"].map { UserIdentifier($0) })
    switch try call.query("open") {
    case "true": query.openOnly = true
    case nil, "false": break
    default: throw CodedError<ServerErrorCode>(.fieldInvalid, "open must be true or false.")
    }
    let before = try call.query("before")
    let last = before.flatMap { OrderIdentifier($0) }
    guard (before == nil) == (last == nil) else { throw Self.noPage }
    // A user sees the sandbox counterpart of an order in place of the order; a backend asks for one environment at a
    // time.
    var counterparts: [AppEnvironment] = []
    if case .user = call.caller { counterparts = app.userEnvironments.filter { $0 != app.homeEnvironment } }
    let listing: OrderListing
    do {
      listing = try await call.server.engine.listOrders(query, counterpartsIn: counterparts, after: last)
    } catch let error as CodedError<EngineErrorCode> where error.code == .orderUnknown {
      throw Self.noPage
    }
    let page = OrderPage(orders: listing.orders.map { call.orderBody($0) }, next: listing.next?.description)
    return call.answer(page.json)
  }

  private static var noPage: CodedError<ServerErrorCode> {
    CodedError(.fieldInvalid, "before must be the `next` of a page.")
  }

  private static let read = Route(
    "GET", "/v1/orders/{orderId}", name: "ReadOrder", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "One order by its id or reference; with `wait` once the goal is reached, or at the latest then.",
      about: .maybeUser,
      query: [
        .init(
          name: "wait",
          meaning: "Seconds to wait at most. A caller who waits for many orders at once is answered at once.",
          schema: Schemas.integer(0...Int(ContractLimits.waitSecondsMax))),
        .init(
          name: "until", meaning: "What is waited for; `paid` unless said otherwise.",
          schema: Schemas.words(WaitGoal.allCases)),
        .userId, .environment,
      ], answer: "Order", codes: [.orderUnknown])
  ) { call in
    let user = try call.optionalUser()
    let seconds = try call.queryNumber("wait", in: 0...ContractLimits.waitSecondsMax, otherwise: 0)
    guard let goal = WaitGoal(rawValue: try call.query("until") ?? "paid") else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "until must be paid or delivered.")
    }
    let waiter = call.rateSubject ?? call.peer
    let mayWait = seconds > 0 && call.server.waits.take(waiter)
    defer { if mayWait { call.server.waits.give(waiter) } }
    let details = try await call.server.engine.readOrder(
      OrderName(call.parameter("orderId")), in: try appEnvironments(call), of: user,
      waiting: mayWait ? .seconds(seconds) : .zero, until: goal)
    call.concerns(details.order.key.id)
    return call.answer(call.orderBody(details).json)
  }

  /// The environments in which an order is looked up: for a user the sandbox counterpart comes before its order; for a
  /// backend there is one environment.
  private static func appEnvironments(_ call: Call) throws(CodedError<ServerErrorCode>) -> [AppEnvironment] {
    let appEnvironment = try call.appEnvironment()
    guard case .user = call.caller else { return [appEnvironment] }
    return try call.authenticatedApp().userEnvironments
  }

  private static let close = Route(
    "POST", "/v1/orders/{orderId}/close", name: "CloseOrder", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary:
        "Closes an order that will not be paid. A paid order stays paid. A late payment still pays a closed order.",
      about: .maybeUser, query: [.userId, .environment], request: "NamesUser", requestIsOptional: true,
      answer: "Order", codes: [.orderUnknown])
  ) { call in
    let user = try call.optionalUser(named: try named(in: call))
    let reason: CloseReason = if case .backend = call.caller { .closedByBackend } else { .customerGaveUp }
    let details = try await call.server.engine.closeOrder(
      OrderName(call.parameter("orderId")), in: try call.appEnvironment(), of: user, because: reason)
    return try await answer(details, call, of: user)
  }

  private static let approvalPending = Route(
    "POST", "/v1/orders/{orderId}/approval-pending", name: "NoteApprovalPending", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "The customer waits for a parent's approval (Ask to Buy): the order then waits 30 days.",
      about: .maybeUser, query: [.userId, .environment], request: "NamesUser", requestIsOptional: true,
      answer: "Order", codes: [.orderUnknown])
  ) { call in
    let user = try call.optionalUser(named: try named(in: call))
    let details = try await call.server.engine.noteApprovalPending(
      OrderName(call.parameter("orderId")), in: try call.appEnvironment(), of: user)
    return try await answer(details, call, of: user)
  }

  /// The order as a read would show it: a user sees its paid sandbox counterpart, even if the order itself was closed.
  private static func answer(
    _ details: OrderDetails, _ call: Call, of user: UserIdentifier?
  ) async throws -> HTTPResponse {
    call.concerns(details.order.key.id)
    let appEnvironments = try appEnvironments(call)
    guard appEnvironments.count > 1 else { return call.answer(call.orderBody(details).json) }
    let shown = try await call.server.engine.readOrder(.id(details.order.key.id), in: appEnvironments, of: user)
    return call.answer(call.orderBody(shown).json)
  }

  private static func named(in call: Call) throws(CodedError<ServerErrorCode>) -> UserIdentifier? {
    try call.body { (json) throws(JSONFieldError) in
      try JSONFields(json).optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
    }
  }
}

extension JSONValue {
  /// The same value with the members of all objects sorted by the bytes of their names.
  var withSortedMembers: JSONValue {
    switch self {
    case .null, .bool, .number, .string: self
    case .array(let items): .array(items.map(\.withSortedMembers))
    case .object(let members):
      .object(
        members.map { JSONMember($0.name, $0.value.withSortedMembers) }
          .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
  }
}
