import PaymentPrimitives
public import StrictJSON

extension OrderBody {
  /// Reads an order from an answer.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    self.init(
      id: try fields.converted("id", "an order id", { OrderIdentifier($0) }),
      user: UserIdentifier(try fields.string("userId", bytesMax: 255)),
      product: ProductIdentifier(try fields.string("productId", bytesMax: 255)),
      quantity: Int(try fields.integer("quantity", in: 1...10)),
      store: try fields.converted("store", "a store", Store.init(rawValue:)),
      environment: try fields.converted(
        "environment", "an environment", StoreEnvironment.init(rawValue:)),
      state: try fields.converted("state", "an order state", State.init(rawValue:)),
      createdAt: try fields.converted("createdAt", "a date", { Timestamp(iso8601: $0) }),
      expiresAt: try fields.converted("expiresAt", "a date", { Timestamp(iso8601: $0) }),
      delivery: try fields.converted(
        "delivery", "a delivery state", DeliveryState.init(rawValue:)))
    reference = try fields.optionalString("reference")
    referenceFrom = try fields.optionalString("referenceFrom")
    closeReason = try fields.optionalString("closeReason")
    metadata = fields.value("metadata")
    paidAt = try fields.optionallyConverted("paidAt", "a date", { Timestamp(iso8601: $0) })
    deliveredAt = try fields.optionallyConverted("deliveredAt", "a date", { Timestamp(iso8601: $0) })
    derivedFrom = try fields.optionallyConverted(
      "derivedFrom", "an order id", { OrderIdentifier($0) })
    price = try Self.money("price", fields)
    try readRefunds(fields)
    if let last = try fields.optionalFields("lastVerdict") {
      lastVerdict = Verdict(
        verdict: try last.string("verdict"), reason: try last.optionalString("reason"),
        at: try last.converted("at", "a date", { Timestamp(iso8601: $0) }))
    }
    if let apple = try fields.optionalFields("appStore") {
      appStore = AppStoreParameters(
        product: StoreProductIdentifier(try apple.string("productId")),
        appAccountToken: try apple.string("appAccountToken"))
    }
    // In a browser or a mini program WeChat takes other parameters; those are not for an app.
    if let weChat = try fields.optionalFields("weChatPay") {
      if weChat.value("partnerId") != nil {
        weChatPay = try WeChatPayParameters(weChat)
      } else {
        weChatPayElsewhere = fields.value("weChatPay")
      }
    }
  }

  private static func money(_ name: String, _ fields: JSONFields) throws(JSONFieldError) -> Money? {
    guard let money = try fields.optionalFields(name) else { return nil }
    return Money(
      minorUnits: try money.integer("amount"),
      currency: try money.converted("currency", "a currency", { CurrencyCode($0) }))
  }

  private mutating func readRefunds(_ fields: JSONFields) throws(JSONFieldError) {
    if let signed = try fields.optionalFields("signedPrice") {
      signedPrice = StatedPrice(
        milliunits: try signed.integer("milliunits"), currency: try signed.string("currency", bytesMax: 16))
    }
    refundedAmount = try Self.money("refundedAmount", fields)
    // A state that this version does not know is ignored.
    refundState = try fields.optionalString("refundState").flatMap { RefundState(rawValue: $0) }
    guard fields.value("refunds") != nil else { return }
    for item in try fields.array("refunds", countMax: ContractLimits.pageMax) {
      refunds.append(try Refund(json: item))
    }
  }

  /// The order as in an answer.
  public var json: JSONValue {
    .members([
      ("id", .string(id.appAccountToken)), ("reference", reference.map(JSONValue.string)),
      ("referenceFrom", referenceFrom.map(JSONValue.string)), ("userId", .string(user.text)),
      ("productId", .string(product.text)), ("quantity", .integer(quantity)),
      ("store", .string(store.rawValue)), ("environment", .string(environment.rawValue)),
      ("state", .string(state.rawValue)), ("closeReason", closeReason.map(JSONValue.string)),
      ("price", price?.orderJSON),
      (
        "signedPrice",
        signedPrice.map {
          .members([("milliunits", .integer($0.milliunits)), ("currency", .string($0.currency))])
        }
      ),
      ("metadata", metadata), ("createdAt", .string(createdAt.iso8601)),
      ("expiresAt", .string(expiresAt.iso8601)),
      ("paidAt", paidAt.map { .string($0.iso8601) }), ("delivery", .string(delivery.rawValue)),
      ("deliveredAt", deliveredAt.map { .string($0.iso8601) }),
      ("refundState", refundState.map { .string($0.rawValue) }), ("refundedAmount", refundedAmount?.orderJSON),
      ("refunds", refunds.isEmpty ? nil : .array(refunds.map(\.json))),
      (
        "lastVerdict",
        lastVerdict.map {
          .members([
            ("verdict", .string($0.verdict)), ("reason", $0.reason.map(JSONValue.string)),
            ("at", .string($0.at.iso8601)),
          ])
        }
      ),
      (
        "appStore",
        appStore.map {
          .members([
            ("productId", .string($0.product.text)),
            ("appAccountToken", .string($0.appAccountToken)),
          ])
        }
      ),
      ("weChatPay", weChatPay?.json ?? weChatPayElsewhere),
      ("derivedFrom", derivedFrom.map { .string($0.appAccountToken) }),
    ])
  }
}

extension OrderBody.Refund {
  /// Reads a refund.
  init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    self.init(
      state: try fields.string("state"),
      createdAt: try fields.converted("createdAt", "a date", { Timestamp(iso8601: $0) }))
    id = try fields.optionalString("id")
    if let units = try fields.optionalInteger("amount") {
      amount = Money(
        minorUnits: units, currency: try fields.converted("currency", "a currency", { CurrencyCode($0) }))
    }
    percentage = try fields.optionalInteger("percentage")
    doneAt = try fields.optionallyConverted("doneAt", "a date", { Timestamp(iso8601: $0) })
  }

  var json: JSONValue {
    .members([
      ("id", id.map(JSONValue.string)), ("state", .string(state)),
      ("amount", amount.map { .integer($0.minorUnits) }), ("currency", amount.map { .string($0.currency.code) }),
      ("percentage", percentage.map { .integer($0) }), ("createdAt", .string(createdAt.iso8601)),
      ("doneAt", doneAt.map { .string($0.iso8601) }),
    ])
  }
}

extension Money {
  fileprivate var orderJSON: JSONValue {
    .members([("amount", .integer(minorUnits)), ("currency", .string(currency.code))])
  }
}

/// `GET /v1/orders`: a page of orders, newest first.
public struct OrderPage: Hashable, Sendable {
  /// The orders.
  public var orders: [OrderBody]
  /// The value of `before` for the next page; nil on the last one.
  public var next: String?

  /// A page.
  public init(orders: [OrderBody], next: String?) {
    self.orders = orders
    self.next = next
  }

  /// Reads a page.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    orders = []
    for item in try fields.array("orders", countMax: ContractLimits.pageMax) {
      orders.append(try OrderBody(json: item))
    }
    next = try fields.optionalString("next")
  }

  /// The page as in an answer.
  public var json: JSONValue {
    .members([("orders", .array(orders.map(\.json))), ("next", next.map(JSONValue.string))])
  }
}
