import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// A shop that is controlled only over HTTP.
struct ControlledShop: Sendable {
  let shop: SimulatedShop
  let control: AppStoreSimulatorAPI

  init(_ environment: SimulatedEnvironment = .production, isEmpty: Bool = false) async throws {
    shop = try await SimulatedShop(environment, isEmpty: isEmpty)
    control = AppStoreSimulatorAPI(shop.store, settings: SimulatorSettings(environment: environment))
  }

  func send(
    _ method: String, _ target: String, body: JSONValue? = nil, language: String = ""
  ) async throws -> (status: Int, json: JSONValue, response: HTTPResponse) {
    var request = HTTPRequest(method, target)
    if let body { request = HTTPRequest(method, target, json: body) }
    if !language.isEmpty { request.fields.set("Accept-Language", language) }
    let response = await control.respond(to: request)
    return (response.status, response.body.isEmpty ? .null : (try? JSONReader.read(response.body)) ?? .null, response)
  }

  /// Buys coins.
  func buy(_ members: [(String, JSONValue?)] = []) async throws -> (status: Int, json: JSONValue) {
    let usual: [(String, JSONValue?)] = [
      ("account", .string(SimulatedShop.alice.account.text)), ("bundleId", .string(SimulatedShop.app.bundleId)),
      ("productId", .string(SimulatedShop.coins.id.text)),
    ]
    let names = Set(members.map(\.0))
    let answer = try await send(
      "POST", "/simulator/purchases", body: .members(usual.filter { !names.contains($0.0) } + members))
    return (answer.status, answer.json)
  }
}
