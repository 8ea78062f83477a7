import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Routes for operators: list waiting payments, assign payments to their owners, send deliveries again, make keys.
enum OperatorRoutes {
  static let all: [Route] =
    queues + [retryQueue, claim] + acts + [redrive, audit, listKeys, createKey, revokeKey]

  /// Maximum violations that an answer lists; the count gives their total number.
  private static let violationsMax = 100

  private static let redrive = Route(
    "POST", "/v1/operator/deliveries/{deliveryId}/redrive", name: "RedriveDelivery", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Sends a delivery off again, parked or not yet due.", answer: "Delivery",
      codes: [.deliveryUnknown])
  ) { call in
    let delivery = try await call.server.engine.redrive(
      DeliveryIdentifier(call.parameter("deliveryId")), in: try call.authenticatedApp().id,
      by: call.operatorName ?? "")
    return call.answer(DeliveryRoutes.json(delivery, call.personal))
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
