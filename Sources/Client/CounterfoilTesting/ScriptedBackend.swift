import Counterfoil
public import CounterfoilAPI
public import HTTPMessages
public import PaymentPrimitives
public import StrictJSON
import Synchronization

/// A server for tests that behaves as docs/specification/http.md says, as far as a client can see. It has one lock and
/// simple dictionaries. Its rules are implemented separately, so that it does not share the mistakes of the real
/// server.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class ScriptedBackend: Sendable {
  /// A fault of one request.
  public enum Fault: Sendable {
    /// It never arrives.
    case requestLost
    /// It takes effect, and the answer never arrives.
    case answerLost
    /// The server sends this answer, without doing anything.
    case answers(HTTPResponse)
  }

  /// An order as the server holds it.
  public struct Order: Sendable {
    /// The order as the server answers it.
    public var body: OrderBody
    /// The idempotency key under which it was made.
    public let key: String
    let request: JSONValue
    var isApprovalPending = false
  }

  /// One grant for one payment.
  public struct Grant: Hashable, Sendable {
    /// The store's number.
    public let transaction: TransactionIdentifier
    /// The user that it belongs to.
    public let user: UserIdentifier
    /// The product as the store knows it; at WeChat Pay Counterfoil's own id.
    public let product: StoreProductIdentifier
    /// Number of pieces.
    public let quantity: Int
    /// The order that was paid.
    public let order: OrderIdentifier
  }

  struct State {
    var orders: [OrderIdentifier: Order] = [:]
    var products = [ScriptedProduct("coins60"), ScriptedProduct("coins300")]
    var grants: [Grant] = []
    var verdicts: [TransactionIdentifier: [PaymentAnswer]] = [:]
    var faults: [String: [Fault]] = [:]
    var permanentFaults: [String: Fault] = [:]
    var requests: [HTTPRequest] = []
    var moments: [(route: String, at: Timestamp)] = []
    /// Transactions that a test's verdict allowed to finish.
    var allowed: Set<TransactionIdentifier> = []
    var refusedTokens: Set<String> = []
    var finishedReports: [TransactionIdentifier] = []
    var count: UInt64 = 0
    /// The appid that orders at WeChat Pay are made for.
    var weChatAppId = "wx0000000000000001"
    /// The promotional offers that the server signs for users.
    var userOffers: Set<String> = []
    /// The entitlements of users, as a test set them.
    var entitlements: [UserIdentifier: [Entitlement]] = [:]
    /// The balances of users that a test set, added to their purchases; may be negative.
    var balances: [UserIdentifier: [Balance]] = [:]
    /// The reports of diagnostics, each once.
    var diagnostics: [ReportDiagnostics.Request] = []
    /// The delay of the acknowledgement by the team's backend; nil: there is no backend.
    var acknowledgesAfter: TimeSpan?
  }

  let state = Mutex(State())
  /// The clock of the simulation.
  public let clock: ManualClock
  let genuine = Mutex<(@Sendable (String) -> Bool)?>(nil)

  /// A server with that clock.
  public init(clock: ManualClock) { self.clock = clock }

  /// Sets the check of signatures: the server asks the store whether it made the evidence.
  public func trust(_ isGenuine: @escaping @Sendable (String) -> Bool) { genuine.withLock { $0 = isGenuine } }

  // MARK: behaviour settings

  /// Makes the next requests of a route fail in these ways; a route is named as in `route(of:)`.
  public func fault(_ route: String, _ faults: Fault...) {
    state.withLock { $0.faults[route, default: []] += faults }
  }
  /// Makes every request of a route fail in this way, until nil.
  public func always(_ route: String, _ fault: Fault?) { state.withLock { $0.permanentFaults[route] = fault } }
  /// Gives these verdicts on a transaction, one after the other, before the true one.
  public func judge(_ id: TransactionIdentifier, _ answers: PaymentAnswer...) {
    state.withLock { $0.verdicts[id, default: []] += answers }
  }
  /// Refuses a user's token from now on.
  public func refuseToken(_ token: String) { _ = state.withLock { $0.refusedTokens.insert(token) } }

  // MARK: results for the test

  /// All orders, by id.
  public var orders: [OrderBody] { state.withLock { $0.orders.values.map(\.body).sorted { $0.id < $1.id } } }
  /// Everything that was granted.
  public var grants: [Grant] { state.withLock { $0.grants } }
  /// The requests that arrived, or were lost on the way.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }
  /// Transactions that the client reported as finished.
  public var finishedReports: [TransactionIdentifier] { state.withLock { $0.finishedReports } }
  /// The requests of a route.
  public func requests(_ route: String) -> [HTTPRequest] { requests.filter { Self.route(of: $0) == route } }
  /// The bodies of the requests of a route.
  public func bodies(_ route: String) -> [JSONValue] {
    requests(route).map { (try? JSONReader.read($0.body)) ?? .null }
  }
  /// Seconds between one request of a route and the next.
  public func pauses(_ route: String) -> [Int64] {
    let moments = state.withLock { $0.moments }.filter { $0.route == route }.map(\.at)
    return zip(moments, moments.dropFirst()).map { ($1 - $0).milliseconds / 1000 }
  }
  /// Whether the server has durably processed a transaction.
  public func isDurable(_ id: TransactionIdentifier) -> Bool {
    state.withLock { state in
      state.grants.contains { $0.transaction == id } || state.allowed.contains(id)
    }
  }

  /// The server as the client's exchange. The process may end before the request leaves, and before the answer
  /// arrives.
  public var exchange: HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in
      await Task.yield()
      if Task.isCancelled { throw .cancelled }
      let response = try await self.serve(request, limit)
      await Task.yield()
      return response
    }
  }

  /// The name of a request's route: `create`, `order`, `close`, `approval`, `prepare`, `submit`, `finished`,
  /// `entitlements`, `balances`, `offer`, `orders`, `products` or `diagnostics`.
  public static func route(of request: HTTPRequest) -> String {
    let path = String(request.target.dropFirst("https://pay.example.com".count)).prefix { $0 != "?" }
    if path == SubmitAppStorePayment.path { return "submit" }
    if path == ReportFinished.path { return "finished" }
    if path == CreateOrder.path { return request.method == "GET" ? "orders" : "create" }
    if path == ReadProducts.path { return "products" }
    if path == ReadEntitlements.path { return "entitlements" }
    if path == ReadBalances.path { return "balances" }
    if path == SignPromotionalOffer.path { return "offer" }
    if path == ReportDiagnostics.path { return "diagnostics" }
    if path.hasSuffix("/close") { return "close" }
    if path.hasSuffix("/wechat-pay") { return "prepare" }
    return path.hasSuffix("/approval-pending") ? "approval" : "order"
  }

  private func serve(_ request: HTTPRequest, _ limit: TimeSpan) async throws(HTTPExchangeError) -> HTTPResponse {
    let route = Self.route(of: request)
    let fault: Fault? = state.withLock { state in
      state.requests.append(request)
      state.moments.append((route, clock.now))
      if state.faults[route]?.isEmpty == false { return state.faults[route]?.removeFirst() }
      return state.permanentFaults[route]
    }
    switch fault {
    case nil: break
    case .requestLost: throw .unreachable("the network is down")
    case .answers(let response): return response
    case .answerLost:
      _ = answer(request, route)
      throw .outcomeUnknown("the connection broke")
    }
    var response = answer(request, route)
    // `?wait=`: checked once a second, for as long as the caller asked.
    let target = RequestTarget(String(request.target.dropFirst("https://pay.example.com".count)))
    var left = target?["wait"].flatMap { Int($0) } ?? 0
    while left > 0, Self.isAwaiting(response, target?["until"] ?? "paid") {
      guard (try? await clock.dependencies.sleep(.seconds(1))) != nil else { throw .cancelled }
      left -= 1
      response = answer(request, route)
    }
    return response
  }

  private static func isAwaiting(_ response: HTTPResponse, _ goal: String) -> Bool {
    guard let json = try? JSONReader.read(response.body) else { return false }
    if json["state"]?.string == "awaitingPayment" { return true }
    return goal == "delivered" && json["delivery"]?.string == "pending"
  }

  // MARK: routes

  private func answer(_ request: HTTPRequest, _ route: String) -> HTTPResponse {
    state.withLock { state in
      expire(&state)
      guard let caller = caller(request, state) else { return Self.problem(401, "token_refused") }
      let json = (try? JSONReader.read(request.body)) ?? .null
      switch route {
      case "create": return create(json, request.fields["Idempotency-Key"] ?? "", caller: caller, state: &state)
      case "submit": return submit(json, caller, state: &state)
      case "finished":
        let report = try? ReportFinished.Request(json: json)
        state.finishedReports += report?.transactions ?? []
        return HTTPResponse(status: 200, json: .object([]))
      case "entitlements", "balances": return rights(route, caller, state: state)
      case "offer": return signOffer(json, caller, state: &state)
      case "diagnostics": return takeDiagnostics(json, state: &state)
      case "orders": return orders(request, caller, state: state)
      case "products": return products(caller, state: state)
      default: return order(request, route, caller: caller, state: &state)
      }
    }
  }

  /// The user of a token; the empty user for the publishable key; nil for anything else.
  private func caller(_ request: HTTPRequest, _ state: State) -> UserIdentifier? {
    guard let header = request.fields["Authorization"], header.hasPrefix("Bearer ") else { return nil }
    let credential = String(header.dropFirst("Bearer ".count))
    if credential == "pk_test" { return UserIdentifier("") }
    guard credential.hasPrefix("token-"), !state.refusedTokens.contains(credential) else { return nil }
    return UserIdentifier(String(credential.dropFirst("token-".count).prefix { $0 != "#" }))
  }

  private func expire(_ state: inout State) {
    for (id, order) in state.orders where order.body.state == .awaitingPayment && order.body.expiresAt < clock.now {
      state.orders[id]?.body.state = .closed
      state.orders[id]?.body.closeReason = "expired"
    }
  }

  private func create(
    _ json: JSONValue, _ key: String, caller: UserIdentifier, state: inout State
  ) -> HTTPResponse {
    guard let request = try? CreateOrder.Request(json: json), !key.isEmpty, caller.text != "" else {
      return Self.problem(400, "request_unreadable")
    }
    if let known = state.orders.values.first(where: { $0.key == key && $0.body.user == caller }) {
      guard known.request == json else { return Self.problem(409, "idempotency_key_reused") }
      return HTTPResponse(status: 201, json: known.body.json)
    }
    guard request.product.text.hasPrefix("coins") else { return Self.problem(422, "product_unknown") }
    let open = state.orders.values.filter {
      $0.body.user == caller && $0.body.product == request.product && $0.body.state == .awaitingPayment
    }
    if open.count >= 5, let oldest = open.min(by: { $0.body.id < $1.body.id }) {
      state.orders[oldest.body.id]?.body.state = .closed
      state.orders[oldest.body.id]?.body.closeReason = "replaced"
    }
    let body = makeOrder(request.product, request.quantity, user: caller, state: &state, at: request.store)
    state.orders[body.id] = Order(body: body, key: key, request: json)
    return HTTPResponse(status: 201, json: body.json)
  }

  func makeOrder(
    _ product: ProductIdentifier, _ quantity: Int, user: UserIdentifier, state: inout State,
    at store: Store = .appStore
  ) -> OrderBody {
    state.count += 1
    let id = OrderIdentifier(high: UInt64(clock.now.milliseconds) << 16 | 0x7000, low: 1 << 63 | state.count)
    var body = OrderBody(
      id: id, user: user, product: product, quantity: quantity, store: store,
      environment: .simulated, state: .awaitingPayment, createdAt: clock.now,
      expiresAt: clock.now + (store == .appStore ? .days(7) : .hours(2)), delivery: .none)
    guard store == .appStore else { return body }
    body.appStore = OrderBody.AppStoreParameters(
      product: Self.storeProduct(of: product), appAccountToken: id.appAccountToken)
    return body
  }

  /// Apple's id for one of the server's products.
  public static func storeProduct(of product: ProductIdentifier) -> StoreProductIdentifier {
    StoreProductIdentifier("com.example." + product.text)
  }

  private func order(
    _ request: HTTPRequest, _ route: String, caller: UserIdentifier, state: inout State
  ) -> HTTPResponse {
    let target = RequestTarget(String(request.target.dropFirst("https://pay.example.com".count)))
    guard let text = target?.path.dropFirst(2).first, let id = OrderIdentifier(text),
      var order = state.orders[id], order.body.user == caller
    else { return Self.problem(404, "order_unknown") }
    if route == "close", order.body.state == .awaitingPayment {
      order.body.state = .closed
      order.body.closeReason = "customerGaveUp"
    }
    if route == "prepare", order.body.store == .weChatPay, order.body.state == .awaitingPayment {
      state.count += 1
      order.body.weChatPay = weChatParameters(of: id, state)
    }
    if route == "approval", !order.isApprovalPending {
      order.isApprovalPending = true
      order.body.expiresAt = order.body.createdAt + .days(30)
    }
    state.orders[id] = order
    return HTTPResponse(status: 200, json: order.body.json)
  }
}
