import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `A promotional entitlement over HTTP` {
  private static let path = "/v1/users/alice/promotional-entitlements"

  private static func open() async throws -> (front: ServerFixture, key: String) {
    let front = try await ServerFixture.open()
    let key = try await front.engine.createKey(.secret, for: "shop", label: "support", mayGiveEntitlements: true)
    return (front, key.text)
  }

  private static func give(
    _ front: ServerFixture, as key: String, id: String? = "t1", _ name: String = "season", days: Int64 = 7,
    reason: JSONValue? = "no service", until: JSONValue? = nil
  ) async -> Answer {
    await front.ask(
      "POST", path, as: key,
      json: .members([
        ("entitlement", .string(name)), ("until", until ?? .string((front.now() + .days(days)).iso8601)),
        ("id", id.map(JSONValue.string)), ("reason", reason),
      ]))
  }

  private static func revoke(_ front: ServerFixture, as key: String, reason: JSONValue? = "mistake") async -> Answer {
    await front.ask("POST", path + "/t1/revoke", as: key, json: .members([("reason", reason)]))
  }

  @Test func `is refused to a phone, to an app's key, and to a key without the permission`() async throws {
    let (front, key) = try await Self.open()
    #expect(await Self.give(front, as: key).status == 201)
    for caller in [front.token(), front.keys.publishable, front.keys.secret, front.keys.operator] {
      let given = await Self.give(front, as: caller, id: "t2")
      #expect(given.status == 403 && given.code == "not_allowed")
      #expect(await Self.revoke(front, as: caller).code == "not_allowed")
    }
    let list = await front.ask("GET", Self.path, as: front.keys.secret)
    #expect(list["promotionalEntitlements"]?.array?.map { $0["state"] } == ["active"])
  }

  @Test func `is refused without a reason, an id, or a date, and by name if no product gives it`() async throws {
    let (front, key) = try await Self.open()
    #expect(await Self.give(front, as: key, reason: nil).code == "field_invalid")
    #expect(await Self.give(front, as: key, reason: "").code == "field_invalid")
    #expect(await Self.give(front, as: key, id: nil).code == "field_invalid")
    #expect(await Self.give(front, as: key, until: "tomorrow").code == "field_invalid")
    let unknown = await Self.give(front, as: key, "gold")
    #expect(unknown.status == 422 && unknown.code == "entitlement_unknown")
    #expect(unknown["detail"]?.string?.contains("premium, season") == true)
    let late = await Self.give(front, as: key, days: 400)
    #expect(late.status == 422 && late.code == "promotional_end_not_allowed")
    let missing = await Self.revoke(front, as: key)
    #expect(missing.status == 404 && missing.code == "promotional_unknown")
    #expect(await front.ask("GET", "/v1/entitlements", as: front.token())["promotional"] == nil)
  }

  @Test func `stands beside what was paid in the answer, with its source, and goes when it is taken back`() async throws
  {
    let (front, key) = try await Self.open()
    let order = await front.ask(
      "POST", "/v1/orders", as: front.token(), json: .members([("productId", "season"), ("store", "appStore")]))
    await front.submit(
      TestAppStoreSigner(at: front.now()).transaction(
        "1001", of: "com.example.season", token: order["id"]?.string, type: "Non-Renewing Subscription"),
      as: front.token())
    let first = await Self.give(front, as: key)
    let again = await Self.give(front, as: key)
    #expect(first.status == 201 && again.status == 200 && again["givenAt"] == first["givenAt"])
    let rights = await front.ask("GET", "/v1/entitlements", as: front.token())
    let (paid, given) = (rights["entitlements"]?.array?.first, rights["promotional"]?.array?.first)
    #expect(rights["entitlements"]?.array?.count == 1 && paid?["store"] == "appStore" && paid?["source"] == nil)
    #expect(paid?["expiresAt"] == .string((front.now() + .days(90)).iso8601))
    #expect(given?["source"] == "promotional" && given?["store"] == nil && given?["state"] == "active")
    #expect(given?["expiresAt"] == first["expiresAt"])
    // The user does not see why.
    #expect(!rights.text.contains("no service"))
    let revoked = await Self.revoke(front, as: key)
    #expect(revoked.status == 200 && revoked["state"] == "revoked" && revoked["revokeReason"] == "mistake")
    let after = await front.ask("GET", "/v1/users/alice/entitlements", as: front.keys.secret)
    #expect(after["entitlements"]?.array?.first?["expiresAt"] == paid?["expiresAt"])
    #expect(after["promotional"]?.array?.first?["state"] == "revoked")
    let data = await front.ask("GET", "/v1/users/alice/data", as: front.keys.secret)
    #expect(data["promotionalEntitlements"]?.array?.first?["reason"] == "no service")
    let story = await front.ask("GET", "/v1/operator/users/alice", as: front.keys.operator)
    #expect(story["promotionalEntitlements"]?.array?.first?["id"] == "t1")
    #expect(try await front.violations() == [])
  }

  @Test func `needs a key that an operator made for it; other kinds cannot have the permission`() async throws {
    let (front, _) = try await Self.open()
    func make(_ kind: String) async -> Answer {
      await front.ask(
        "POST", "/v1/operator/keys", as: front.keys.operator,
        json: .members([("kind", .string(kind)), ("label", "support"), ("mayGiveEntitlements", .bool(true))]))
    }
    for kind in ["publishable", "operator"] { #expect(await make(kind).code == "field_invalid") }
    let made = await make("secret")
    #expect(made.status == 201 && made["mayGiveEntitlements"]?.bool == true)
    #expect(await Self.give(front, as: made["key"]?.string ?? "").status == 201)
  }
}
