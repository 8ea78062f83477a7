import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

/// A response and its parts.
struct Answer: Sendable {
  let status: Int
  let fields: HTTPFields
  let text: String
  let json: JSONValue

  /// The stable code of a refusal.
  var code: String? { status >= 400 ? json["code"]?.string : nil }

  subscript(_ name: String) -> JSONValue? { json[name] }

  /// The first element of a submitted payment's answer.
  var payment: JSONValue { json["payments"]?.array?.first ?? .null }
}

extension ServerFixture {
  /// Sends a request and checks the answer against the OpenAPI document: every answer in every test must be documented.
  @discardableResult
  func ask(
    _ method: String, _ target: String, as credential: String? = nil, json: JSONValue? = nil, body: [UInt8]? = nil,
    fields: HTTPFields = [:], from peer: String = "192.0.2.1", at location: SourceLocation = #_sourceLocation
  ) async -> Answer {
    var request = HTTPRequest(method, target, fields: fields, body: body ?? json?.bytes ?? [])
    if json != nil { request.fields.set("Content-Type", "application/json") }
    if let credential { request.fields.add("Authorization", "Bearer " + credential) }
    let response = await server.respond(to: request, from: peer)
    do {
      for problem in try await Document.served(by: server).problems(with: response, to: request) {
        Issue.record("\(method) \(target) → \(response.status): \(problem)", sourceLocation: location)
      }
    } catch {
      Issue.record("the document cannot be read: \(error)", sourceLocation: location)
    }
    return Answer(
      status: response.status, fields: response.fields, text: String(decoding: response.body, as: UTF8.self),
      json: (try? JSONReader.read(response.body)) ?? .null)
  }

  /// Makes an order as a user's phone does; returns its id.
  func order(
    _ product: String = "coins.100", of user: UserIdentifier = "alice", _ more: [(String, JSONValue?)] = []
  ) async -> String {
    let answer = await ask(
      "POST", CreateOrder.path, as: token(of: user),
      json: .members([("productId", .string(product)), ("store", "appStore")] + more))
    return answer["id"]?.string ?? "none: \(answer.code ?? "")"
  }

  /// Submits evidence with a credential.
  @discardableResult
  func submit(
    _ evidence: String, as credential: String, _ more: [(String, JSONValue?)] = [], from peer: String = "192.0.2.1"
  ) async -> Answer {
    await ask(
      "POST", SubmitAppStorePayment.path, as: credential,
      json: .members([("evidence", .string(evidence))] + more), from: peer)
  }

  /// A user's coins.
  func coins(of user: String = "alice") async -> Int64? {
    let answer = await ask("GET", "/v1/users/\(user)/balances", as: keys.secret)
    guard answer.status == 200, let balances = answer["balances"]?.array else { return nil }
    return balances.first { $0["unit"]?.string == "coin" }?["amount"]?.integer ?? 0
  }

  /// All deliveries of the shop, as its backend lists them.
  func deliveries() async -> [JSONValue] {
    await ask("GET", "/v1/deliveries?limit=100", as: keys.secret)["deliveries"]?.array ?? []
  }
}
