import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `A credit over HTTP` {
  private static func open() async throws -> (front: ServerFixture, key: String) {
    let front = try await ServerFixture.open { changes in
      changes.app = { $0.credits = [CreditCeiling(unit: "coin", perUserAndDay: 50)] }
    }
    let key = try await front.engine.createKey(.secret, for: "shop", label: "rewards", mayCredit: true)
    return (front, key.text)
  }

  private static func credit(
    _ front: ServerFixture, _ amount: Int64, as key: String, id: String? = "a", unit: String = "coin",
    reason: JSONValue? = "daily reward"
  ) async -> Answer {
    await front.ask(
      "POST", "/v1/users/alice/balances/\(unit)/credits", as: key,
      json: .members([("amount", .integer(amount)), ("id", id.map(JSONValue.string)), ("reason", reason)]))
  }

  @Test func `is refused to a phone, to an app's key, and to a key without the permission`() async throws {
    let (front, _) = try await Self.open()
    for caller in [front.token(), front.keys.publishable, front.keys.secret, front.keys.operator] {
      let answer = await Self.credit(front, 1, as: caller)
      #expect(answer.status == 403 && answer.code == "not_allowed")
    }
    #expect(await front.coins() == 0)
  }

  @Test func `is refused without a reason, an id or an amount, and for a unit that is not configured`() async throws {
    let (front, key) = try await Self.open()
    #expect(await Self.credit(front, 1, as: key, reason: nil).code == "field_invalid")
    #expect(await Self.credit(front, 1, as: key, reason: "").code == "field_invalid")
    #expect(await Self.credit(front, 1, as: key, id: nil).code == "field_invalid")
    #expect(await Self.credit(front, 0, as: key).code == "field_invalid")
    let unknown = await Self.credit(front, 1, as: key, unit: "gem")
    #expect(unknown.status == 422 && unknown.code == "credit_unit_unknown")
    #expect(await front.coins() == 0)
  }

  @Test func `above the ceiling is refused with what is left`() async throws {
    let (front, key) = try await Self.open()
    #expect(await Self.credit(front, 30, as: key).status == 201)
    let refused = await Self.credit(front, 21, as: key, id: "b")
    #expect(refused.status == 409 && refused.code == "credit_ceiling_reached")
    #expect(refused["detail"]?.string?.hasPrefix("20 of 50 coin are left") == true)
    #expect(await front.coins() == 30)
  }

  @Test func `is booked once, and shown apart in the balance and among the entries`() async throws {
    let (front, key) = try await Self.open()
    _ = await front.buyCoins()
    let first = await Self.credit(front, 30, as: key)
    let again = await Self.credit(front, 30, as: key)
    #expect(first.status == 201 && again.status == 200 && again["id"] == "a" && again["kind"] == "credit")
    let balances = await front.ask("GET", "/v1/balances", as: front.token())
    let coins = try #require(balances["balances"]?.array?.first)
    #expect(coins["amount"]?.integer == 130 && coins["credited"]?.integer == 30)
    let entries = await front.ask("GET", "/v1/users/alice/balances/coin/entries", as: front.keys.secret)
    let entry = try #require(entries["entries"]?.array?.first)
    #expect(entry["kind"] == "credit" && entry["counterpart"] == "credited" && entry["reason"] == "daily reward")
    #expect(try await front.violations() == [])
  }

  @Test func `needs a key that an operator made for it; other kinds cannot have the permission`() async throws {
    let (front, _) = try await Self.open()
    func make(_ kind: String) async -> Answer {
      await front.ask(
        "POST", "/v1/operator/keys", as: front.keys.operator,
        json: .members([("kind", .string(kind)), ("label", "rewards"), ("mayCredit", .bool(true))]))
    }
    for kind in ["publishable", "operator"] { #expect(await make(kind).code == "field_invalid") }
    let made = await make("secret")
    #expect(made.status == 201 && made["mayCredit"]?.bool == true)
    #expect(await Self.credit(front, 1, as: made["key"]?.string ?? "").status == 201)
  }
}
