import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// Spoils good requests at random; the same seed spoils them in the same way.
struct Spoiler {
  private var chance: SeededChance

  init(seed: UInt64) { chance = SeededChance(seed: seed, purpose: "spoiling requests") }

  private static let values: [JSONValue] = [
    .null, .bool(true), .integer(-1), .integer(0), .integer(Int64.max), .number("1e999"), .number("-0.0"), "", "\u{0}",
    "\u{202E}آ🧾", .string(String(repeating: "长", count: 400)), .array([]), .object([]), .array([.array([.array([])])]),
    "production", "xcode", "../..", "' OR 1=1 --", "${jndi:ldap://x}", "%00", "9223372036854775808",
  ]
  private static let texts = [
    "%", "%2e", "%00", "/", "//", "?", "&", "=", "#", "a", "\u{FEFF}", "+", "é", "🧾", "..", ";", "userId=bob",
    "?environment=xcode", "&wait=1", "?limit=9", "?after=x", "?before=0", "&state=all",
  ]

  private static let names = [
    "Content-Type", "Content-Encoding", "Idempotency-Key", "Accept-Language", "X-Forwarded-For",
  ]

  mutating func spoil(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    for _ in 0...chance.number(below: 2) {
      switch chance.number(below: 10) {
      case 0: request.body = spoilBytes(request.body)
      case 1...4: request.body = spoilMembers(request.body)
      case 5: request.target = spoilText(request.target)
      case 6: request.target += chance.pick(Self.texts) ?? ""
      case 7:
        request.fields.add(chance.pick(Self.names) ?? "", spoilText("application/json"))
      case 8:
        request.fields.set("Authorization", request.fields["Authorization"].map { spoilText($0) })
      default: request.method = chance.pick(["GET", "POST", "HEAD", "OPTIONS", "DELETE", ""]) ?? ""
      }
    }
    return request
  }

  private mutating func spoilText(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let place = chance.number(below: bytes.count + 1)
    let inserted = Array((chance.pick(Self.texts) ?? "").utf8)
    let dropped = chance.happens(perMille: 500) ? chance.number(below: 4) : 0
    return String(decoding: bytes.prefix(place) + inserted + bytes.dropFirst(place + dropped), as: UTF8.self)
  }

  private mutating func spoilBytes(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return chance.bytes(chance.number(below: 20)) }
    let place = chance.number(below: bytes.count)
    switch chance.number(below: 4) {
    case 0: return Array(bytes.prefix(place))
    case 1: return bytes.prefix(place) + chance.bytes(1 + chance.number(below: 4)) + bytes.dropFirst(place)
    case 2: return bytes.prefix(place) + bytes
    default:
      var changed = bytes
      changed[place] ^= UInt8(1 << chance.number(below: 8))
      return changed
    }
  }

  private mutating func spoilMembers(_ bytes: [UInt8]) -> [UInt8] {
    guard case .object(var members)? = try? JSONReader.read(bytes), !members.isEmpty else { return spoilBytes(bytes) }
    let place = chance.number(below: members.count)
    let value = chance.pick(Self.values) ?? .null
    switch chance.number(below: 5) {
    case 0: members.remove(at: place)
    case 1: members.append(members[place])
    case 2: members.append(JSONMember("new", value))
    default: members[place] = JSONMember(members[place].name, value)
    }
    return JSONValue.object(members).bytes
  }
}

@Suite struct `A spoiled request` {
  /// Good requests of all callers; their answers prove that they are good.
  private func good(_ front: ServerFixture) async throws -> [HTTPRequest] {
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order)
    await front.submit(evidence, as: front.token())
    let delivery = await front.deliveries().first?["id"]?.string ?? ""
    func post(_ target: String, _ credential: String, json: JSONValue?) -> HTTPRequest {
      var request = json.map { HTTPRequest("POST", target, json: $0) } ?? HTTPRequest("POST", target)
      request.fields.set("Authorization", credential.isEmpty ? nil : "Bearer " + credential)
      return request
    }
    func get(_ target: String, _ credential: String) -> HTTPRequest {
      HTTPRequest("GET", target, fields: ["Authorization": "Bearer " + credential])
    }
    let (token, secret, person) = (front.token(), front.keys.secret, front.keys.operator)
    let create: [(String, JSONValue?)] = [
      ("productId", "coins.100"), ("quantity", .integer(2)), ("store", "appStore"), ("platform", "ios"), ("scene", "s"),
    ]
    let submit: [(String, JSONValue?)] = [
      ("evidence", .string(evidence)), ("orderIds", .array([.string(order)])), ("sameRun", .string(order)),
      ("deviceVerificationId", "d"), ("amount", "1.00"), ("parameters", .object([])),
    ]
    return [
      post("/v1/orders", token, json: .members(create)),
      post(
        "/v1/orders?userId=alice", secret, json: .members(create + [("reference", "N-1"), ("metadata", .object([]))])),
      post("/v1/payments/app-store", token, json: .members(submit)),
      post(
        "/v1/payments/app-store", secret, json: .members(submit + [("userId", "alice"), ("transactionId", "1001")])),
      post("/v1/payments/app-store/finished", token, json: .members([("transactionIds", .array(["1001"]))])),
      post("/v1/orders/\(order)/close", token, json: nil),
      post("/v1/orders/\(order)/approval-pending", secret, json: .members([("userId", "alice")])),
      post("/v1/deliveries/claim", secret, json: .members([("limit", .integer(5)), ("leaseSeconds", .integer(9))])),
      post("/v1/deliveries/\(delivery)/ack", secret, json: nil),
      post("/notifications/app-store/shop", "", json: TestAppStoreSigner().notification("n1", about: evidence)),
      post("/v1/operator/payments/1001/claim", person, json: .members([("userId", "alice"), ("reason", "r")])),
      post("/v1/operator/deliveries/\(delivery)/redrive", person, json: nil),
      post("/v1/operator/keys", person, json: .members([("kind", "secret"), ("label", "l")])),
      get("/v1/orders?limit=5&open=false", token), get("/v1/orders/\(order)?until=paid&wait=0", token),
      get("/v1/users/alice/balances?environment=simulated", secret), get("/v1/entitlements?userId=alice", secret),
      get("/v1/deliveries?state=all&limit=5", secret), get("/v1/operator/queue?limit=3", person),
    ]
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `gets a documented refusal or answer, never a failure; nothing unpaid is granted`(seed: UInt64) async throws {
    let front = try await ServerFixture.open {
      $0.settings = {
        $0.rates.failedCheckCost = 0
        $0.rates.user = .init(perSecond: 1_000_000, burst: 1_000_000)
      }
    }
    let good = try await good(front)
    for request in good {
      let answer = await front.ask(request.method, request.target, body: request.body, fields: request.fields)
      #expect(answer.status < 300, "\(request.method) \(request.target): \(answer.text)")
    }
    var spoiler = Spoiler(seed: seed)
    for round in 0..<20 {
      for request in good {
        let spoiled = spoiler.spoil(request)
        let answer = await front.ask(spoiled.method, spoiled.target, body: spoiled.body, fields: spoiled.fields)
        let text = String(decoding: spoiled.body.prefix(200), as: UTF8.self)
        #expect(answer.status < 500 || answer.code == "notification_not_ours", "\(round): \(spoiled.target) \(text)")
      }
      front.clock.advance(by: .seconds(1))
    }
    #expect(await front.coins() == 100)
    #expect(front.recorder.asked.isEmpty)
    #expect(!front.recorder.events.contains { $0.name == "http.failed" || $0.name == "invariant.broken" })
    #expect(try await front.violations() == [])
  }
}
