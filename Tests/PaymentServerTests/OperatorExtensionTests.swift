import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

/// The routes; what Apple makes of it is in `ExtendSubscriptionTests`.
@Suite struct `An operator who extends renewal dates` {
  private static let one = "/v1/operator/subscriptions/1/extend"
  private static let all = "/v1/operator/app-store-products/com.example.coins100/extend"
  private static let status = "/v1/operator/app-store-products/com.example.coins100/extensions/outage-1"

  private static func wish(_ path: String, _ changed: String = "", _ value: JSONValue? = nil) -> JSONValue {
    let members: [(String, JSONValue?)] = [
      ("days", .integer(7)), ("cause", "serviceIssue"), ("reason", "an outage"),
      path == one ? ("periodEnd", "2026-04-01T12:00:00Z") : ("requestIdentifier", "outage-1"),
    ]
    return .members(members.map { $0.0 == changed ? (changed, value) : $0 })
  }

  @Test func `is refused with other keys than an operator's`() async throws {
    let front = try await ServerFixture.open()
    for credential in [front.token(), front.keys.publishable, front.keys.secret] {
      for path in [Self.one, Self.all] {
        let answer = await front.ask("POST", path, as: credential, json: Self.wish(path))
        #expect(answer.code == "not_allowed", "\(path)")
      }
      #expect(await front.ask("GET", Self.status, as: credential).code == "not_allowed")
    }
  }

  @Test func `is told which field is wrong`() async throws {
    let front = try await ServerFixture.open()
    let wrong: [(String, JSONValue?)] = [
      ("days", .integer(0)), ("days", .integer(91)), ("days", nil), ("cause", "fun"), ("cause", nil),
      ("reason", nil), ("reason", ""),
    ]
    for (name, value) in wrong {
      for path in [Self.one, Self.all] {
        let answer = await front.ask("POST", path, as: front.keys.operator, json: Self.wish(path, name, value))
        #expect(answer.code == "field_invalid", "\(name) at \(path)")
      }
    }
    for (name, path) in [("periodEnd", Self.one), ("requestIdentifier", Self.all)] {
      let answer = await front.ask("POST", path, as: front.keys.operator, json: Self.wish(path, name, nil))
      #expect(answer.code == "field_invalid", "\(name)")
    }
  }

  @Test func `learns that the subscription or product is none of the app's, or that it has no key`() async throws {
    let front = try await ServerFixture.open()
    let one = await front.ask("POST", Self.one, as: front.keys.operator, json: Self.wish(Self.one))
    #expect(one.status == 404 && one.code == "payment_unknown")
    let foreign = Self.all.replacing("coins100", with: "nothing")
    let none = await front.ask("POST", foreign, as: front.keys.operator, json: Self.wish(foreign))
    #expect(none.status == 404 && none.code == "product_unknown")
    let all = await front.ask("POST", Self.all, as: front.keys.operator, json: Self.wish(Self.all))
    #expect(all.status == 422 && all.code == "store_not_configured")
    #expect(await front.ask("GET", Self.status, as: front.keys.operator).code == "store_not_configured")
  }
}
