import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The calls of the server's API that the client makes. Each is one request and one reply, limited in time and size.
///
/// It keeps no state and retries nothing: the caller handles unknown outcomes, and may repeat every call safely.
struct ServerConnection: Sendable {
  enum Credential: Sendable {
    /// A user of the app, by the token that its backend signed.
    case user(token: String)
    /// The app itself, by the key that it contains.
    case app(publishableKey: String)
  }

  private let base: String
  private let exchange: HTTPExchange
  private let language: Language
  private let policies: PurchasingPolicies

  /// A connection to the server at that address, without a slash at its end.
  init(
    base: String, exchange: HTTPExchange, language: Language, policies: PurchasingPolicies
  ) {
    self.base = base
    self.exchange = exchange
    self.language = language
    self.policies = policies
  }

  /// Makes an order. The same key always means the same order: a repeat returns its present state.
  func createOrder(
    _ request: CreateOrder.Request, key: RecordIdentifier, as credential: Credential
  ) async -> ServerReply<OrderBody> {
    let fields: HTTPFields = ["Idempotency-Key": key.text]
    return await send("POST", CreateOrder.path, fields: fields, body: request.json, credential: credential) {
      json throws(JSONFieldError) in try OrderBody(json: json)
    }
  }

  /// The state that a call waits for.
  enum Goal: String, Sendable {
    case paid, delivered
  }

  /// The order in its present state. With a wait: as soon as it is paid (or delivered), or when the wait ends.
  func order(
    _ id: OrderIdentifier, waitingSeconds: Int64? = nil, until goal: Goal = .paid, as credential: Credential
  ) async -> ServerReply<OrderBody> {
    let query = waitingSeconds.map { "?wait=\($0)&until=\(goal.rawValue)" } ?? ""
    return await send(
      "GET", path(of: id) + query, fields: [:], body: nil, credential: credential,
      waiting: .seconds(waitingSeconds ?? 0)
    ) { json throws(JSONFieldError) in try OrderBody(json: json) }
  }

  /// A page of the user's orders, newest first.
  func orders(
    openOnly: Bool, limit: Int, before: String? = nil, as credential: Credential
  ) async -> ServerReply<OrderPage> {
    var query = "?limit=\(limit)" + (openOnly ? "&open=true" : "")
    if let before { query += "&before=" + RequestTarget.encode(before) }
    return await send("GET", CreateOrder.path + query, fields: [:], body: nil, credential: credential) {
      json throws(JSONFieldError) in try OrderPage(json: json)
    }
  }

  /// The products that the server's catalog sells.
  func products(as credential: Credential) async -> ServerReply<ReadProducts.Response> {
    await send("GET", ReadProducts.path, fields: [:], body: nil, credential: credential) {
      json throws(JSONFieldError) in try ReadProducts.Response(json: json)
    }
  }

  /// Closes an order that the customer abandoned; the answer is the order as it is then, perhaps paid.
  func close(
    _ id: OrderIdentifier, as credential: Credential
  ) async -> ServerReply<OrderBody> {
    await send("POST", path(of: id) + "/close", fields: [:], body: .object([]), credential: credential) {
      json throws(JSONFieldError) in try OrderBody(json: json)
    }
  }

  /// Fetches new WeChat parameters for the order.
  func prepareWeChatPay(
    _ id: OrderIdentifier, as credential: Credential
  ) async -> ServerReply<OrderBody> {
    await send("POST", PrepareWeChatPay.path(of: id), fields: [:], body: .object([]), credential: credential) {
      json throws(JSONFieldError) in try OrderBody(json: json)
    }
  }

  /// Tells the server that the purchase waits for approval, so that the server waits longer.
  func reportApprovalPending(
    _ id: OrderIdentifier, as credential: Credential
  ) async -> ServerReply<Void> {
    await send("POST", path(of: id) + "/approval-pending", fields: [:], body: .object([]), credential: credential) {
      _ throws(JSONFieldError) in
    }
  }

  /// Submits the store's evidence of a transaction.
  func submit(
    _ request: SubmitAppStorePayment.Request, as credential: Credential
  ) async -> ServerReply<SubmitAppStorePayment.Response> {
    await send("POST", SubmitAppStorePayment.path, fields: [:], body: request.json, credential: credential) {
      json throws(JSONFieldError) in try SubmitAppStorePayment.Response(json: json)
    }
  }

  /// Tells the server which transactions were finished at the store. Nothing depends on it.
  func reportFinished(
    _ transactions: [TransactionIdentifier], as credential: Credential
  ) async -> ServerReply<Void> {
    let request = ReportFinished.Request(transactions: transactions)
    return await send("POST", ReportFinished.path, fields: [:], body: request.json, credential: credential) {
      _ throws(JSONFieldError) in
    }
  }

  /// Tells what this device counted. The same id is counted once.
  func reportDiagnostics(
    _ request: ReportDiagnostics.Request, as credential: Credential
  ) async -> ServerReply<Void> {
    await send("POST", ReportDiagnostics.path, fields: [:], body: request.json, credential: credential) {
      _ throws(JSONFieldError) in
    }
  }

  /// Requests the signature of a promotional offer for an order.
  func signPromotionalOffer(
    _ request: SignPromotionalOffer.Request, as credential: Credential
  ) async -> ServerReply<SignedOfferBody> {
    await send("POST", SignPromotionalOffer.path, fields: [:], body: request.json, credential: credential) {
      json throws(JSONFieldError) in try SignedOfferBody(json: json)
    }
  }

  /// A user's entitlements, and the moment of the answer by the server's clock if it states one.
  func entitlements(as credential: Credential) async -> ServerReply<(entitlements: [Entitlement], at: Timestamp?)> {
    await reply("GET", ReadEntitlements.path, fields: [:], body: nil, credential: credential) { response in
      ServerReply(response) { json throws(JSONFieldError) in
        let bodies = try ReadEntitlements.Response(json: json).all
        return (bodies.map { Entitlement($0) }, response.fields["Date"].flatMap { Timestamp(httpDate: $0) })
      }
    }
  }

  func balances(as credential: Credential) async -> ServerReply<[Balance]> {
    await send("GET", ReadBalances.path, fields: [:], body: nil, credential: credential) {
      json throws(JSONFieldError) in try ReadBalances.Response(json: json).balances.map { Balance($0) }
    }
  }

  private func path(of order: OrderIdentifier) -> String {
    CreateOrder.path + "/" + order.appAccountToken
  }

  private func send<Value: Sendable>(
    _ method: String, _ path: String, fields: HTTPFields, body: JSONValue?,
    credential: Credential, waiting: TimeSpan = .zero,
    _ read: (JSONValue) throws(JSONFieldError) -> Value
  ) async -> ServerReply<Value> {
    await reply(method, path, fields: fields, body: body, credential: credential, waiting: waiting) {
      ServerReply($0, read)
    }
  }

  private func reply<Value: Sendable>(
    _ method: String, _ path: String, fields: HTTPFields, body: JSONValue?,
    credential: Credential, waiting: TimeSpan = .zero, _ read: (HTTPResponse) -> ServerReply<Value>
  ) async -> ServerReply<Value> {
    var request = HTTPRequest(method, base + path, fields: fields)
    if let body { request = HTTPRequest(method, base + path, fields: fields, json: body) }
    request.fields.set("Accept", "application/json, \(ProblemBody.mediaType)")
    request.fields.set("Accept-Language", language.rawValue)
    switch credential {
    case .user(let token): request.fields.set("Authorization", "Bearer \(token)")
    case .app(let key): request.fields.set("Authorization", "Bearer \(key)")
    }
    let limit = TimeSpan.milliseconds(
      policies.requestLimit.milliseconds + waiting.milliseconds)
    do throws(HTTPExchangeError) {
      return read(try await exchange.send(request, limit))
    } catch {
      // Even "unreachable" only means unknown: it decides nothing, and the call is repeated later.
      return .unknown("\(error)", retryAfter: nil)
    }
  }
}
