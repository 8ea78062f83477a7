import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

/// A shop whose server calls the simulated App Store Server API, with tokens that it makes itself.
struct APIShop: Sendable {
  let shop: SimulatedShop

  init(_ environment: SimulatedEnvironment = .production) async throws {
    shop = try await SimulatedShop(environment)
  }

  var store: SimulatedAppStore { shop.store }

  /// A token signed by the ready-made key, with the given changes.
  func token(
    header: [(String, JSONValue?)] = [], claims: [(String, JSONValue?)] = [], signedBy key: ECDSAPrivateKey? = nil
  ) -> String {
    let ours = store.testAPIKey
    func merged(_ usual: [(String, JSONValue?)], _ other: [(String, JSONValue?)]) -> [UInt8] {
      JSONValue.members(usual.filter { item in !other.contains { $0.0 == item.0 } } + other).bytes
    }
    let now = shop.time.now.seconds
    let head = merged([("alg", "ES256"), ("kid", .string(ours.key.keyId)), ("typ", "JWT")], header)
    let body = merged(
      [
        ("iss", .string(ours.key.issuerId.text)), ("iat", .integer(now - 30)), ("exp", .integer(now + 300)),
        ("aud", "appstoreconnect-v1"), ("bid", .string(SimulatedShop.app.bundleId)),
      ], claims)
    return CompactJWS.token(header: head, payload: body) { signed in
      (key ?? ours.testPrivateKey).signature(for: signed).raw
    }
  }

  static let host = "https://api.storekit.apple.com"

  func request(_ method: String, _ target: String, body: JSONValue? = nil, token: String? = nil) -> HTTPRequest {
    let whole = target.hasPrefix("/inApps") ? Self.host + target : target
    var request = body.map { HTTPRequest(method, whole, json: $0) } ?? HTTPRequest(method, whole)
    request.fields.set("Authorization", "Bearer " + (token ?? self.token()))
    return request
  }

  func send(
    _ method: String, _ target: String, body: JSONValue? = nil, token: String? = nil
  ) async -> APIReply {
    guard
      case .response(let response, _) = await store.serverAPI.answer(
        to: request(method, target, body: body, token: token))
    else {
      return APIReply(response: HTTPResponse(status: 0))
    }
    return APIReply(response: response)
  }

  /// The numbers of signed transactions, verified as a server verifies them.
  func numbers(_ signed: JSONValue?) async throws -> [String] {
    var numbers: [String] = []
    for item in signed?.array ?? [] {
      let token = try #require(item.string)
      numbers.append(try await shop.verified(token).transactionId ?? "none")
    }
    return numbers
  }
}

struct APIReply {
  let response: HTTPResponse

  var status: Int { response.status }
  var json: JSONValue { (try? JSONReader.read(response.body)) ?? .null }
  /// The status and Apple's error number, as `404 4040010`.
  var problem: String { "\(status) \(json["errorCode"]?.integer ?? 0)" }
}
