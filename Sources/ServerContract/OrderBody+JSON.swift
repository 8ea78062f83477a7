public import StrictJSON
import PaymentVocabulary

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
    if let price = try fields.optionalFields("price") {
      self.price = Money(
        minorUnits: try price.integer("amount"),
        currency: try price.converted("currency", "a currency", { CurrencyCode($0) }))
    }
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
    // In a browser or a mini program WeChat is handed other values; those are not an app's.
    if let weChat = try fields.optionalFields("weChatPay") {
      if weChat.value("partnerId") != nil {
        weChatPay = try WeChatPayParameters(weChat)
      } else {
        weChatPayElsewhere = fields.value("weChatPay")
      }
    }
  }

  /// The order as it is answered.
  public var json: JSONValue {
    .members([
      ("id", .string(id.appAccountToken)), ("reference", reference.map(JSONValue.string)),
      ("referenceFrom", referenceFrom.map(JSONValue.string)), ("userId", .string(user.text)),
      ("productId", .string(product.text)), ("quantity", .integer(quantity)),
      ("store", .string(store.rawValue)), ("environment", .string(environment.rawValue)),
      ("state", .string(state.rawValue)), ("closeReason", closeReason.map(JSONValue.string)),
      (
        "price",
        price.map {
          .members([
            ("amount", .integer($0.minorUnits)), ("currency", .string($0.currency.code)),
          ])
        }
      ),
      ("metadata", metadata), ("createdAt", .string(createdAt.iso8601)),
      ("expiresAt", .string(expiresAt.iso8601)),
      ("paidAt", paidAt.map { .string($0.iso8601) }), ("delivery", .string(delivery.rawValue)),
      ("deliveredAt", deliveredAt.map { .string($0.iso8601) }),
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

/// `GET /v1/orders`: a page of orders, newest first.
public struct OrderPage: Hashable, Sendable {
  /// The orders.
  public var orders: [OrderBody]
  /// Hand this in as `before` for the next page; nil on the last one.
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

  /// The page as it is answered.
  public var json: JSONValue {
    .members([("orders", .array(orders.map(\.json))), ("next", next.map(JSONValue.string))])
  }
}
