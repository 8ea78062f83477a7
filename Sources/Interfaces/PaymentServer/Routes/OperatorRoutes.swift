import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Routes for operators: list waiting payments, assign payments to their owners, send deliveries again, make keys.
enum OperatorRoutes {
  static let all: [Route] =
    [queue, retryQueue, claim] + acts + [redrive, audit, listKeys, createKey, revokeKey]

  /// Maximum payments in one read of the queue; handled ones are no longer there at the next read.
  private static let queueMax = 500
  /// Maximum violations that an answer lists; the count gives their total number.
  private static let violationsMax = 100

  private static let queue = Route(
    "GET", "/v1/operator/queue", name: "OperatorQueue", access: [.operator],
    documentation: RouteDocumentation(
      summary: "What needs an operator's attention. `items` has all of it, the longest waiting first.",
      query: [
        .limit(queueMax),
        .init(
          name: "kind", meaning: "Only items of that kind.", schema: Schemas.words(AttentionItem.Kind.allCases)),
      ], answer: "OperatorQueue")
  ) { call in
    let app = try call.authenticatedApp()
    let limit = Int(try call.queryNumber("limit", in: 1...Int64(queueMax), otherwise: 20))
    let appEnvironments = app.userEnvironments + [AppEnvironment(app: app.id, environment: .undetermined)]
    let payments = try await call.server.engine.operatorQueue(in: appEnvironments, limit: limit)
    let stopped = try await call.server.engine.stoppedChanges(in: appEnvironments, limit: limit)
    let disputed = try await call.server.engine.disputedRefunds(in: appEnvironments, limit: limit)
    let gaps = try await call.server.engine.configurationGaps(of: app.id)
    let unknown = try await call.server.engine.grantsOfUnknownPromise(in: appEnvironments, limit: limit)
    let uncompared = try await call.server.engine.uncomparedDays(of: app)
    let configuration = gaps.map { json($0, call.language) } + unknown.map(json)
    let kind = try call.word(
      "kind", AttentionItem.Kind.init(rawValue:), AttentionItem.Kind.allCases.map(\.rawValue))
    let items = try await call.server.engine.needsAttention(
      of: app, in: appEnvironments, kinds: kind.map { [$0] }, limit: limit)
    return call.answer(
      .members([
        ("payments", .array(payments.map(json))), ("stopped", .array(stopped.map(json))),
        ("disputedRefunds", .array(disputed.map(json))), ("configuration", .array(configuration)),
        ("uncomparedDays", .array(uncompared.map(json))),
        ("items", .array(items.map { json($0, call) })),
      ]))
  }

  private static func json(_ item: AttentionItem, _ call: Call) -> JSONValue {
    .members([
      ("kind", .string(item.kind.rawValue)), ("reason", .string(item.row)),
      ("environment", .string(item.appEnvironment.environment.rawValue)),
      ("since", item.since.map { .string($0.iso8601) }),
      ("ageSeconds", item.since.map { .integer(max(0, (call.server.now - $0).milliseconds / 1000)) }),
      ("amount", item.amount.map(json)), ("advice", .string(item.resolution.advice[call.language])),
      ("acts", .array(item.resolution.acts.map { .string($0.rawValue) })), ("found", item.found.map(JSONValue.string)),
      ("store", (item.payment?.store ?? item.store).map { .string($0.rawValue) }),
      ("transactionId", item.payment.map { .string($0.transaction.text) }),
      ("orderId", item.order.map { .string($0.description) }), ("userId", item.user.map { .string($0.text) }),
      ("subject", item.subject.map(JSONValue.string)),
    ])
  }

  private static func json(_ amount: AttentionItem.Amount) -> JSONValue {
    let (value, unit, of): (Int64, String, String) =
      switch amount {
      case .money(let money): (money.minorUnits, "minorUnits", money.currency.code)
      case .statedPrice(let price): (price.milliunits, "milliunits", price.currency)
      case .units(let amount, let unit): (amount, "units", unit.text)
      }
    return .members([("value", .integer(value)), ("in", .string(unit)), ("of", .string(of))])
  }

  private static func json(_ day: UncomparedDay) -> JSONValue {
    .members([
      ("environment", .string(day.appEnvironment.environment.rawValue)), ("store", .string(day.store.rawValue)),
      ("day", .string(day.day)),
    ])
  }

  private static func json(_ gap: ConfigurationGap, _ language: Language) -> JSONValue {
    .members([
      ("kind", .string(gap.name)), ("app", .string(gap.app.text)), ("subject", .string(gap.subject)),
      ("found", .string(gap.text[language])),
    ])
  }

  /// The entry for a grant of an earlier version, without a record of what one piece gives.
  private static func json(_ grant: Grant) -> JSONValue {
    .members([
      ("kind", "promiseUnknown"), ("app", .string(grant.payment.app.text)),
      ("subject", .string(grant.promise.product.text)),
      ("found", .string("Nothing says what one piece of it gives: its content stays as it is.")),
      ("transactionId", .string(grant.payment.transaction.text)),
    ])
  }

  private static let redrive = Route(
    "POST", "/v1/operator/deliveries/{deliveryId}/redrive", name: "RedriveDelivery", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Sends a delivery off again, parked or not yet due.", answer: "Delivery",
      codes: [.deliveryUnknown])
  ) { call in
    let delivery = try await call.server.engine.redrive(
      DeliveryIdentifier(call.parameter("deliveryId")), in: try call.authenticatedApp().id,
      by: call.operatorName ?? "")
    return call.answer(DeliveryRoutes.json(delivery))
  }

  private static let audit = Route(
    "GET", "/v1/operator/audit", name: "AuditInvariants", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Holds every row of the app against the nine rules of money.", answer: "Audit")
  ) { call in
    let report = try await call.server.engine.auditInvariants(
      of: try call.authenticatedApp().id, atRest: false)
    return call.answer(
      .members([
        ("orders", .integer(report.orders)), ("payments", .integer(report.payments)),
        ("balances", .integer(report.balances)), ("deliveriesOpen", .integer(report.deliveriesOpen)),
        ("violations", .array(report.violations.prefix(violationsMax).map { .string($0.description) })),
        ("violationCount", .integer(report.violations.count)),
        ("setAside", .integer(report.paymentsByState["setAside"] ?? 0)), ("stopped", .integer(report.stopped)),
      ]))
  }

  private static let listKeys = Route(
    "GET", "/v1/operator/keys", name: "ListKeys", access: [.operator],
    documentation: RouteDocumentation(summary: "The app's API keys, without their secrets.", answer: "APIKeys")
  ) { call in
    let keys = try await call.server.engine.listKeys(of: try call.authenticatedApp().id)
    return call.answer(.members([("keys", .array(keys.map { json($0, text: nil) }))]))
  }

  private static let createKey = Route(
    "POST", "/v1/operator/keys", name: "CreateKey", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Makes an API key. Its text is in this answer and nowhere else. Without a role, it may do everything.",
      request: "CreateKey", answer: "APIKey", statuses: [201])
  ) { call in
    let app = try call.authenticatedApp()
    let asked = try call.body { (json) throws(JSONFieldError) in try NewKey(JSONFields(json)) }
    guard asked.role == nil || asked.kind == .operator else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "role is for operator keys only.")
    }
    guard !asked.mayCredit || asked.kind == .secret else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "mayCredit is for secret keys only.")
    }
    guard !asked.mayGiveEntitlements || asked.kind == .secret else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "mayGiveEntitlements is for secret keys only.")
    }
    guard !asked.mayErase || asked.kind == .secret else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "mayErase is for secret keys only.")
    }
    guard asked.expiresAt.map({ $0 > call.server.now }) ?? true else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "expiresAt must be in the future.")
    }
    let made = try await call.server.engine.createKey(
      asked.kind, for: app.id, label: asked.label, role: asked.role, expiresAt: asked.expiresAt,
      mayCredit: asked.mayCredit, mayGiveEntitlements: asked.mayGiveEntitlements, mayErase: asked.mayErase)
    return call.answer(json(made.key, text: made.text), status: 201)
  }

  private static let revokeKey = Route(
    "POST", "/v1/operator/keys/{keyId}/revoke", name: "RevokeKey", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Ends a key's validity: on this node at once, on others within five seconds.", answer: "APIKey",
      codes: [.keyUnknown])
  ) { call in
    let id = CredentialIdentifier(call.parameter("keyId"))
    let key = try await call.server.engine.revokeKey(id, of: try call.authenticatedApp().id)
    call.server.knownKeys.forget(id)
    return call.answer(json(key, text: nil))
  }

  static func json(_ payment: Payment) -> JSONValue {
    var setAside: SetAside?
    if case .setAside(let word) = payment.state { setAside = word }
    return .members([
      ("store", .string(payment.key.store.rawValue)), ("transactionId", .string(payment.key.transaction.text)),
      ("environment", .string(payment.key.environment.rawValue)),
      ("productId", .string(payment.facts.storeProduct.text)),
      ("quantity", .integer(payment.facts.quantity)),
      ("purchaseDate", .string(payment.facts.purchaseDate.iso8601)),
      ("state", .string(payment.state.name)), ("reason", payment.state.reason.map(JSONValue.string)),
      (
        "setAside",
        setAside.map {
          .members([("by", .string($0.by)), ("reason", .string($0.reason)), ("at", .string($0.at.iso8601))])
        }
      ), ("acts", payment.state.resolution.map { .array($0.acts.map { .string($0.rawValue) }) }),
      ("ownerId", payment.owner.map { .string($0.text) }),
      ("presenterId", payment.presenter.map { .string($0.text) }),
      ("orderId", payment.order.map { .string($0.description) }),
      ("firstSeenAt", .string(payment.firstSeenAt.iso8601)),
    ])
  }

  static func json(_ stopped: StoppedChange) -> JSONValue {
    .members([
      ("store", .string(stopped.payment.store.rawValue)),
      ("transactionId", .string(stopped.payment.transaction.text)),
      ("environment", .string(stopped.payment.environment.rawValue)), ("kind", .string(stopped.kind.rawValue)),
      ("invariant", stopped.invariant.map { .integer($0.rawValue) }), ("found", .string(stopped.found)),
      ("orderIds", .array(stopped.orders.map { .string($0.description) })),
      ("origin", .string(stopped.origin.rawValue)),
      ("presenterIds", .array(stopped.presenters.map { .string($0.text) })),
      ("attempts", .integer(stopped.attempts)), ("nextAttemptAt", .string(stopped.nextAttemptAt.iso8601)),
      ("firstSeenAt", .string(stopped.firstSeenAt.iso8601)), ("lastSeenAt", .string(stopped.lastSeenAt.iso8601)),
      ("acts", .array(stopped.kind.resolution.acts.map { .string($0.rawValue) })),
    ])
  }

  private static func json(_ key: APIKey, text: String?) -> JSONValue {
    .members([
      ("id", .string(key.id.text)), ("key", text.map(JSONValue.string)),
      ("kind", .string(key.kind.rawValue)), ("label", .string(key.label)),
      ("createdAt", .string(key.createdAt.iso8601)),
      ("revokedAt", key.revokedAt.map { .string($0.iso8601) }),
      ("role", key.role.map { .string($0.rawValue) }), ("expiresAt", key.expiresAt.map { .string($0.iso8601) }),
      ("usedAt", key.usedAt.map { .string($0.iso8601) }), ("mayCredit", key.mayCredit ? .bool(true) : nil),
      ("mayGiveEntitlements", key.mayGiveEntitlements ? .bool(true) : nil),
      ("mayErase", key.mayErase ? .bool(true) : nil),
    ])
  }
}

/// The key that a request asks for.
private struct NewKey {
  let kind: APIKey.Kind
  let label: String
  let role: OperatorRole?
  let expiresAt: Timestamp?
  let mayCredit: Bool
  let mayGiveEntitlements: Bool
  let mayErase: Bool

  init(_ fields: JSONFields) throws(JSONFieldError) {
    kind = try fields.converted("kind", "\"publishable\", \"secret\" or \"operator\"", APIKey.Kind.init(rawValue:))
    label = try fields.string("label", bytesMax: 128)
    role = try fields.optionallyConverted(
      "role", "one of \(OperatorRole.allCases.map(\.rawValue).joined(separator: ", "))", OperatorRole.init(rawValue:))
    expiresAt = try fields.optionallyConverted(
      "expiresAt", "a moment, such as 2027-01-31T00:00:00Z", Timestamp.init(iso8601:))
    mayCredit = try fields.optionalBool("mayCredit") ?? false
    mayGiveEntitlements = try fields.optionalBool("mayGiveEntitlements") ?? false
    mayErase = try fields.optionalBool("mayErase") ?? false
  }
}
