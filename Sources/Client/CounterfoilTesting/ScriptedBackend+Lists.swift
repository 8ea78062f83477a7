import CounterfoilAPI
import HTTPMessages
public import PaymentPrimitives
import StrictJSON
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// Sets the products of the catalog; before the first call it sells `coins60` and `coins300`.
  public func setProducts(_ products: ScriptedProduct...) { state.withLock { $0.products = products } }

  /// A page of the caller's orders, newest first.
  func orders(_ request: HTTPRequest, _ caller: UserIdentifier, state: State) -> HTTPResponse {
    let target = RequestTarget(String(request.target.dropFirst("https://pay.example.com".count)))
    let limit = target?["limit"].flatMap { Int($0) } ?? 20
    guard (1...ContractLimits.pageMax).contains(limit), caller.text != "" else {
      return Self.problem(400, "field_invalid")
    }
    var bodies = state.orders.values.map(\.body).filter { $0.user == caller }
    if target?["open"] == "true" { bodies.removeAll { $0.state != .awaitingPayment } }
    bodies.sort { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    if let before = target?["before"].flatMap({ OrderIdentifier($0) }),
      let last = bodies.firstIndex(where: { $0.id == before })
    {
      bodies.removeFirst(last + 1)
    }
    let page = Array(bodies.prefix(limit))
    let next = page.count < bodies.count ? page.last?.id.description : nil
    return HTTPResponse(status: 200, json: OrderPage(orders: page, next: next).json)
  }

  func products(_ caller: UserIdentifier, state: State) -> HTTPResponse {
    guard caller.text != "" else { return Self.problem(403, "not_allowed") }
    return HTTPResponse(
      status: 200, json: .members([("products", .array(state.products.map(\.json)))]))
  }
}

/// A product of the scripted server's catalog.
public struct ScriptedProduct: Hashable, Sendable {
  /// The product's id.
  public var id: ProductIdentifier
  /// Its kind.
  public var kind = ProductKind.consumable
  /// The price at WeChat Pay in fen, if it is sold there.
  public var weChatPriceInFen: Int64?
  /// Whether the App Store sells it.
  public var isInAppStore = true
  /// Whether it is a physical article.
  public var isPhysical = false

  /// A product that gives coins; a subscription gives the entitlement of its name.
  public init(_ id: ProductIdentifier, kind: ProductKind = .consumable) {
    self.id = id
    self.kind = kind
  }

  var json: JSONValue {
    let grant: JSONValue =
      kind == .consumable
      ? .members([("unit", .string("coins")), ("amount", .integer(60))])
      : .members([("entitlement", .string(id.text))])
    let ids: [JSONValue] = isInAppStore ? [.string("com.example." + id.text)] : []
    return .members([
      ("productId", .string(id.text)), ("kind", .string(kind.rawValue)), ("appStoreProductIds", .array(ids)),
      ("weChatPriceInFen", weChatPriceInFen.map { .integer($0) }), ("grant", grant), ("physical", .bool(isPhysical)),
    ])
  }
}
