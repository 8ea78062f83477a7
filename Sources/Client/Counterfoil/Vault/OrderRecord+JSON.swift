import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

extension OrderRecord {
  private static let known: Set<String> = [
    "record", "app", "user", "request", "writtenAt", "state", "order", "transactionId", "reason",
    "serverKnows", "history",
  ]

  init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    guard let request = fields.value("request") else {
      throw JSONFieldError(path: "request", expected: "an object")
    }
    self.init(
      id: RecordIdentifier(try fields.string("record", bytesMax: 64)),
      app: AppIdentifier(try fields.string("app", bytesMax: 255)),
      user: UserIdentifier(try fields.string("user", bytesMax: 255)),
      request: try CreateOrder.Request(json: request),
      writtenAt: try fields.converted("writtenAt", "a date", { Timestamp(iso8601: $0) }))
    state = try Self.state(fields)
    for item in try fields.array("history", countMax: 1000) {
      let step = try JSONFields(item, path: "history")
      history.append(
        Step(
          at: try step.converted("at", "a date", { Timestamp(iso8601: $0) }),
          state: try step.string("state", bytesMax: 64)))
    }
    history = history.suffix(VaultLimits.stepsMax)
    others = VaultItem.others(in: json, known: Self.known)
  }

  private static func state(_ fields: JSONFields) throws(JSONFieldError) -> State {
    let name = try fields.string("state")
    if name == "requested" { return .requested }
    guard let order = try fields.optionalFields("order") else {
      throw JSONFieldError(path: "order", expected: "an object")
    }
    var placed = PlacedOrder(
      id: try order.converted("id", "an order id", { OrderIdentifier($0) }),
      storeProduct: try order.optionalString("storeProduct", bytesMax: 255).map { StoreProductIdentifier($0) },
      createdAt: try order.converted("createdAt", "a date", { Timestamp(iso8601: $0) }),
      expiresAt: try order.converted("expiresAt", "a date", { Timestamp(iso8601: $0) }))
    if let amount = try order.optionalInteger("milliunits") {
      placed.shownPrice = StatedPrice(milliunits: amount, currency: try order.string("currency", bytesMax: 16))
    }
    return .placed(placed, try phase(name, fields))
  }

  private static func phase(_ name: String, _ fields: JSONFields) throws(JSONFieldError) -> Phase {
    switch name {
    case "created": return .created
    case "paying": return .paying
    case "failedOnce": return .failedOnce
    case "deferred": return .deferred(serverKnows: try fields.optionalBool("serverKnows") ?? false)
    case "paid": return .paid(by: TransactionIdentifier(try fields.string("transactionId", bytesMax: 64)))
    case "setAside": return .setAside(try fields.string("reason"))
    case "owned": return .owned
    default: throw JSONFieldError(path: "state", expected: "a state that this version knows")
    }
  }

  var members: [JSONMember] {
    var transaction: TransactionIdentifier?
    var reason: String?
    var serverKnows: Bool?
    switch phase {
    case .deferred(let known): serverKnows = known
    case .paid(let id): transaction = id
    case .setAside(let why): reason = why
    case nil, .created, .paying, .failedOnce, .owned: break
    }
    return VaultItem.present([
      ("record", .string(id.text)), ("app", .string(app.text)), ("user", .string(user.text)),
      ("request", request.json), ("writtenAt", .string(writtenAt.iso8601)),
      ("state", .string(stateName)),
      (
        "order",
        order.map {
          .members([
            ("id", .string($0.id.appAccountToken)), ("storeProduct", $0.storeProduct.map { .string($0.text) }),
            ("createdAt", .string($0.createdAt.iso8601)), ("expiresAt", .string($0.expiresAt.iso8601)),
            ("milliunits", $0.shownPrice.map { .integer($0.milliunits) }),
            ("currency", $0.shownPrice.map { .string($0.currency) }),
          ])
        }
      ),
      ("transactionId", transaction.map { .string($0.text) }), ("reason", reason.map(JSONValue.string)),
      ("serverKnows", serverKnows.map(JSONValue.bool)),
      (
        "history",
        history.isEmpty
          ? nil
          : .array(
            history.map { .members([("at", .string($0.at.iso8601)), ("state", .string($0.state))]) })
      ),
    ])
  }
}
