import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentVocabulary
import ServerContract
import StrictJSON

/// What operators do: look at what waits for them, give payments to their owners, send deliveries off again, make keys.
enum OperatorRoutes {
  static let all: [Route] = [queue, claim, redrive, audit, listKeys, createKey, revokeKey]

  /// Payments of one look at the queue; what was dealt with is no longer there at the next.
  private static let queueMax = 500
  /// Violations that an answer lists; the count says how many there are.
  private static let violationsMax = 100

  private static let queue = Route(
    "GET", "/v1/operator/queue", "OperatorQueue", [.operator],
    RouteDocumentation(
      summary: "Payments that wait for an operator: held ones, and unclaimed ones older than a day.",
      query: [.limit(queueMax)], answer: "OperatorQueue")
  ) { call in
    let app = try call.authenticatedApp()
    let limit = Int(try call.queryNumber("limit", in: 1...Int64(queueMax), otherwise: 20))
    let payments = try await call.server.engine.operatorQueue(
      in: app.userRealms + [Realm(app: app.id, environment: .undetermined)], limit: limit)
    return call.answer(.members([("payments", .array(payments.map(json)))]))
  }

  private static let claim = Route(
    "POST", "/v1/operator/payments/{transactionId}/claim", "ClaimUnclaimedPayment", [.operator],
    RouteDocumentation(
      summary: "Gives a payment that nobody owns to a user; the reason stays in the journal.",
      request: "ClaimPayment", answer: "OperatorPayment",
      codes: [.paymentUnknown, .paymentNotClaimable])
  ) { call in
    let app = try call.authenticatedApp()
    let (user, reason, environment) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        UserIdentifier(try fields.string("userId", bytesMax: 255)),
        try fields.string("reason", bytesMax: 1024),
        try fields.optionallyConverted(
          "environment", "an environment", StoreEnvironment.init(rawValue:)) ?? app.home
      )
    }
    try call.checkBuyer(user)
    let result = try await call.server.engine.claimUnclaimedPayment(
      PaymentKey(
        app: app.id, store: .appStore, environment: try call.realm(of: environment).environment,
        transaction: TransactionIdentifier(call.parameter("transactionId"))), for: user,
      by: call.operatorName ?? "", reason: reason)
    return call.answer(json(result.payment))
  }

  private static let redrive = Route(
    "POST", "/v1/operator/deliveries/{deliveryId}/redrive", "RedriveDelivery", [.operator],
    RouteDocumentation(
      summary: "Sends a delivery off again, parked or not yet due.", answer: "Delivery",
      codes: [.deliveryUnknown])
  ) { call in
    let delivery = try await call.server.engine.redrive(
      DeliveryIdentifier(call.parameter("deliveryId")), in: try call.authenticatedApp().id,
      by: call.operatorName ?? "")
    return call.answer(DeliveryRoutes.json(delivery))
  }

  private static let audit = Route(
    "GET", "/v1/operator/audit", "AuditInvariants", [.operator],
    RouteDocumentation(
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
      ]))
  }

  private static let listKeys = Route(
    "GET", "/v1/operator/keys", "ListKeys", [.operator],
    RouteDocumentation(summary: "The app's API keys, without their secrets.", answer: "APIKeys")
  ) { call in
    let keys = try await call.server.engine.listKeys(of: try call.authenticatedApp().id)
    return call.answer(.members([("keys", .array(keys.map { json($0, text: nil) }))]))
  }

  private static let createKey = Route(
    "POST", "/v1/operator/keys", "CreateKey", [.operator],
    RouteDocumentation(
      summary: "Makes an API key. Its text is in this answer and nowhere else.",
      request: "CreateKey", answer: "APIKey", statuses: [201])
  ) { call in
    let app = try call.authenticatedApp()
    let (kind, label) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try fields.converted(
          "kind", "\"publishable\", \"secret\" or \"operator\"", APIKey.Kind.init(rawValue:)),
        try fields.string("label", bytesMax: 128)
      )
    }
    let made = try await call.server.engine.createKey(kind, for: app.id, label: label)
    return call.answer(json(made.key, text: made.text), status: 201)
  }

  private static let revokeKey = Route(
    "POST", "/v1/operator/keys/{keyId}/revoke", "RevokeKey", [.operator],
    RouteDocumentation(
      summary: "Ends a key's validity: on this node at once, on others within five seconds.", answer: "APIKey",
      codes: [.keyUnknown])
  ) { call in
    let id = CredentialIdentifier(call.parameter("keyId"))
    let key = try await call.server.engine.revokeKey(id, of: try call.authenticatedApp().id)
    call.server.knownKeys.forget(id)
    return call.answer(json(key, text: nil))
  }

  private static func json(_ payment: Payment) -> JSONValue {
    var reason: String?
    if case .held(let why) = payment.state { reason = why.rawValue }
    return .members([
      ("transactionId", .string(payment.key.transaction.text)),
      ("environment", .string(payment.key.environment.rawValue)),
      ("productId", .string(payment.facts.storeProduct.text)),
      ("quantity", .integer(payment.facts.quantity)),
      ("purchaseDate", .string(payment.facts.purchaseDate.iso8601)),
      ("state", .string(payment.state.word)), ("reason", reason.map(JSONValue.string)),
      ("ownerId", payment.owner.map { .string($0.text) }),
      ("presenterId", payment.presenter.map { .string($0.text) }),
      ("orderId", payment.order.map { .string($0.description) }),
      ("firstSeenAt", .string(payment.firstSeenAt.iso8601)),
    ])
  }

  private static func json(_ key: APIKey, text: String?) -> JSONValue {
    .members([
      ("id", .string(key.id.text)), ("key", text.map(JSONValue.string)),
      ("kind", .string(key.kind.rawValue)), ("label", .string(key.label)),
      ("createdAt", .string(key.createdAt.iso8601)),
      ("revokedAt", key.revokedAt.map { .string($0.iso8601) }),
    ])
  }
}
