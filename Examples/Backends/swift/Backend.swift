// A backend for Counterfoil in Swift, without the package. It runs in our tests, through purchases at both stores. It
// needs Foundation and the system's OpenSSL and SQLite. Book.swift has the tables, Listener.swift serves it: in your
// project that is the web framework that you have.
//
//   swiftc -parse-as-library -I CSystem Backend.swift Book.swift Listener.swift -o backend && ./backend ../schema.sql

import CSystem
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct Answer: Sendable {
  var status: Int
  var body: String
}

/// What is refused, with the status and the code that the other side gets.
struct Refusal: Error {
  let status: Int
  let code: String

  init(_ status: Int, _ code: String) {
    self.status = status
    self.code = code
  }
}

struct Backend: Sendable {
  /// Bodies are bounded: a signed transaction has at most 256 KiB.
  static let bodyMax = 512 * 1024
  /// Seconds by which the time of a delivery may differ from now: an older one may be a replay.
  static let tolerance = 300
  /// Seconds for one call of the server: longer than the 25 s of `?wait=`.
  static let limit = 35.0
  static let backendsOwn: Set = ["userId", "reference", "payerAddress"]
  static let types: Set = ["grant.created", "grant.reversed", "grant.reinstated"]

  let server: String
  let secretKey: String
  let webhookSecrets: [Data]
  let app: String
  let keyIdentifier: String
  let tokenSecret: String
  let environment: String
  let isBehindProxy: Bool
  let book: Book

  /// - Parameter settings: the environment variables that Listener.swift lists.
  init(_ settings: [String: String], book: Book) throws {
    func setting(_ name: String) throws -> String {
      guard let value = settings[name], !value.isEmpty else { throw SettingMissing(name: name) }
      return value
    }
    server = try setting("COUNTERFOIL_SERVER")
    secretKey = try setting("COUNTERFOIL_SECRET_KEY")
    webhookSecrets = try setting("COUNTERFOIL_WEBHOOK_SECRETS").split(separator: " ").map { one in
      guard one.hasPrefix("whsec_"), let secret = Data(base64Encoded: String(one.dropFirst("whsec_".count))),
        !secret.isEmpty
      else { throw SettingMissing(name: "COUNTERFOIL_WEBHOOK_SECRETS (one or more whsec_…)") }
      return secret
    }
    app = try setting("COUNTERFOIL_APP")
    keyIdentifier = try setting("COUNTERFOIL_USER_TOKEN_KID")
    tokenSecret = try setting("COUNTERFOIL_USER_TOKEN_SECRET")
    environment = settings["COUNTERFOIL_ENVIRONMENT"] ?? "production"
    isBehindProxy = settings["BEHIND_PROXY"] == "yes"
    self.book = book
  }

  struct SettingMissing: Error { let name: String }

  // MARK: What the server says

  /// Checks a delivery and books it. Any answer but 2xx makes it come again.
  func receive(_ headers: [String: String], _ body: Data, now: Int) throws {
    let sent = headers["webhook-timestamp"] ?? ""
    guard let id = headers["webhook-id"], !id.isEmpty, (1...12).contains(sent.utf8.count),
      sent.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let moment = Int(sent)
    else { throw Refusal(401, "signature_missing") }
    guard abs(now - moment) <= Self.tolerance else { throw Refusal(401, "timestamp_outside_tolerance") }
    let signed = Data("\(id).\(sent).".utf8) + body
    guard isSigned(signed, headers["webhook-signature"] ?? "") else { throw Refusal(401, "signature_wrong") }
    guard let delivery = try? JSONDecoder().decode(Delivery.self, from: body) else {
      throw Refusal(400, "body_unreadable")
    }
    guard delivery.id == id else { throw Refusal(400, "id_differs") }  // the id in the signed body counts
    guard delivery.environment == environment else { return }  // acknowledged, not booked: it is not our money
    // What this version does not know comes again when another version has learned it.
    guard Self.types.contains(delivery.type) else { throw Refusal(422, "type_unknown") }
    guard let gift = Gift(delivery) else { throw Refusal(400, "body_unreadable") }
    try book.book(delivery.id, gift, String(decoding: body, as: UTF8.self))
  }

  /// While a secret is being replaced there are several signatures and several secrets; one pair that fits is enough.
  private func isSigned(_ signed: Data, _ signatures: String) -> Bool {
    var fits = false
    for secret in webhookSecrets {
      let mine = Array("v1,\(Self.code(signed, secret).base64EncodedString())".utf8)
      for one in signatures.split(separator: " ").prefix(10) {
        let theirs = Array(one.utf8)
        // OpenSSL compares in constant time.
        fits = theirs.count == mine.count && CRYPTO_memcmp(mine, theirs, mine.count) == 0 || fits
      }
    }
    return fits
  }

  /// HMAC-SHA256.
  private static func code(_ message: Data, _ secret: Data) -> Data {
    var code = [UInt8](repeating: 0, count: 32)
    let (secret, message) = (Array(secret), Array(message))
    HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, nil)
    return Data(code)
  }

  // MARK: What the phone asks

  /// A token with which the phone may call the server itself, for an hour.
  func userToken(for user: String, now: Int) throws -> String {
    struct Header: Encodable { let alg = "HS256", typ = "JWT", kid: String }
    struct Claims: Encodable { let sub: String, aud: String, iat: Int, exp: Int }
    let header = try JSONEncoder().encode(Header(kid: keyIdentifier))
    let claims = try JSONEncoder().encode(Claims(sub: user, aud: app, iat: now, exp: now + 3600))
    let signed = Self.urlBase64(header) + "." + Self.urlBase64(claims)
    return signed + "." + Self.urlBase64(Self.code(Data(signed.utf8), Data(tokenSecret.utf8)))
  }

  private static func urlBase64(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  /// Makes an order of either store under our own number. A repeat with the same key is the same order.
  func createOrder(_ user: String, phoneKey: String, _ text: String, from address: String) async throws -> Answer {
    guard (1...255).contains(phoneKey.utf8.count) else { throw Refusal(400, "key_missing") }
    let wish = try Self.phonesObject(text)
    // A repeat must be the same request, although the phone may have changed its network.
    let (number, firstAddress) = try book.orderNumber(user, phoneKey, address)
    var own = ["userId": user, "reference": number]
    if wish["store"] as? String == "weChatPay" { own["payerAddress"] = firstAddress }
    return try await ask("POST", "/v1/orders", Self.text(own, before: wish, in: text), key: number)
  }

  /// Passes on what a phone asks, in the name of that user alone.
  func forward(_ user: String, _ method: String, _ path: String, _ query: String, _ text: String) async throws -> Answer
  {
    let order = "orders/[0-9A-Za-z_~%-]{1,256}"
    let read = "/v1/(products|orders|entitlements|balances|\(order))"
    let write =
      "/v1/(\(order)/(close|approval-pending|wechat-pay)|payments/(app-store|app-store/finished|wechat-pay))"
    // No `#` in a query: what follows it would not reach the server.
    if method == "GET", Self.fits(path, read), Self.fits(query, "[0-9A-Za-z._~%=&-]{0,1024}") {
      let names = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
      guard !names.contains(where: { $0.removingPercentEncoding == "userId" }) else {
        throw Refusal(403, "user_is_the_sessions")
      }
      let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
      guard let named = user.addingPercentEncoding(withAllowedCharacters: plain) else {
        throw Refusal(400, "user_unreadable")
      }
      return try await ask("GET", "\(path)?userId=\(named)" + (query.isEmpty ? "" : "&" + query))
    }
    guard method == "POST", Self.fits(path, write), query.isEmpty else { throw Refusal(404, "not_passed_on") }
    let members = try Self.phonesObject(text)
    return try await ask("POST", path, Self.text(["userId": user], before: members, in: text))
  }

  private static func fits(_ text: String, _ pattern: String) -> Bool {
    guard let match = try? Regex(pattern).wholeMatch(in: text) else { return false }
    return !match.isEmpty
  }

  /// The members of the phone's body, none of which may be the backend's own.
  private static func phonesObject(_ text: String) throws -> [String: Any] {
    guard !text.isEmpty else { return [:] }
    guard let members = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw Refusal(400, "body_unreadable")
    }
    guard backendsOwn.isDisjoint(with: members.keys) else { throw Refusal(403, "field_is_the_backends") }
    return members
  }

  /// The phone's JSON with our members in front. The rest stays byte for byte as the phone wrote it.
  private static func text(
    _ own: [String: String], before members: [String: Any], in text: String
  ) throws -> String {
    let made = String(decoding: try JSONEncoder().encode(own), as: UTF8.self)
    let rest = text.isEmpty ? "}" : text.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst()
    return made.dropLast() + (members.isEmpty ? "" : ",") + rest
  }

  /// The server's answer, whatever its status.
  private func ask(_ method: String, _ target: String, _ body: String? = nil, key: String? = nil) async throws -> Answer
  {
    guard let url = URL(string: server + target) else { throw Refusal(404, "not_passed_on") }
    var request = URLRequest(url: url, timeoutInterval: Self.limit)
    request.httpMethod = method
    request.setValue("Bearer " + secretKey, forHTTPHeaderField: "Authorization")
    if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(body.utf8)
    }
    let (bytes, response) = try await URLSession.shared.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return Answer(status: response.statusCode, body: String(decoding: bytes, as: UTF8.self))
  }
}
