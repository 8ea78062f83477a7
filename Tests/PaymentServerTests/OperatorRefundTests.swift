import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

/// The route; what WeChat Pay makes of it is in `RedirectRefundTests`.
@Suite struct `An operator who redirects refunds` {
  private static let path = "/v1/operator/refunds/R1/redirect"
  private static let card = JSONValue.members([
    ("bank", "CMB_DEBIT"), ("account", "6225880123456789"), ("holder", "张三"),
  ])

  private static func wish(_ changes: [(String, JSONValue?)] = []) -> JSONValue {
    let usual: [(String, JSONValue?)] = [("destination", "payerCard"), ("card", card), ("reason", "closed account")]
    return .members(usual.map { name, value in (name, changes.first { $0.0 == name }.map(\.1) ?? value) })
  }

  @Test func `is refused with other keys than an operator's`() async throws {
    let front = try await ServerFixture.open()
    for credential in [front.token(), front.keys.publishable, front.keys.secret] {
      #expect(await front.ask("POST", Self.path, as: credential, json: Self.wish()).code == "not_allowed")
    }
  }

  @Test func `is told which field is wrong`() async throws {
    let front = try await ServerFixture.open()
    let wrong: [(String, JSONValue?)] = [
      ("destination", "elsewhere"), ("destination", nil), ("card", nil), ("card", .members([("bank", "CMB_DEBIT")])),
      (
        "card", .members([("bank", "CMB_DEBIT"), ("account", "6225 8801"), ("holder", "张三")])
      ), ("reason", nil), ("reason", ""),
    ]
    for (name, value) in wrong {
      let answer = await front.ask("POST", Self.path, as: front.keys.operator, json: Self.wish([(name, value)]))
      #expect(answer.code == "field_invalid", "\(name)")
    }
  }

  @Test func `learns that the app has no such refund`() async throws {
    let front = try await ServerFixture.open()
    for wish in [Self.wish(), Self.wish([("destination", "merchantAccount"), ("card", nil)])] {
      let answer = await front.ask("POST", Self.path, as: front.keys.operator, json: wish)
      #expect(answer.status == 404 && answer.code == "refund_unknown")
    }
  }
}
