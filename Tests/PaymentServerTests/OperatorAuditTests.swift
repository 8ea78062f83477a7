import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `The audit log of what operator keys change` {
  private func entries(_ front: ServerFixture) async throws -> [AuditLogEntry] {
    try await front.engine.auditLog(before: nil, limit: 100).reversed()
  }

  @Test func `has words for every call of an operator that is no GET`() async throws {
    let front = try await ServerFixture.open()
    let operations = try await Document.served(by: front.server).operations.filter {
      $0.credentials.contains("operator") && $0.method != "GET"
    }
    #expect(operations.count == OperatorAudit.words.count)
    for operation in operations {
      let before = try await entries(front).count
      _ = await front.ask(
        operation.method, operation.path(),
        as: try await front.engine.createKey(
          .operator, for: "shop", label: "tests", role: .viewer
        ).text, json: operation.body == nil ? nil : .object([]))
      let new = try await entries(front).dropFirst(before)
      #expect(new.count == 1 && new.first?.problem == "role_not_allowed", "\(operation.path)")
    }
  }

  @Test func `has one entry for each call, with who, what, on what, why and how it ended`() async throws {
    let front = try await ServerFixture.open()
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.keys.publishable)
    let made = try await front.engine.createKey(.operator, for: "shop", label: "Lin", role: .operator)
    let body = JSONValue.members([("reason", "ticket 58213"), ("environment", "simulated")])
    for act in ["set-aside", "set-aside", "release"] {
      let answer = await front.ask("POST", "/v1/operator/payments/1001/\(act)", as: made.text, json: body)
      #expect(answer.status == 200, "\(act): \(answer.text)")
    }
    let unknown = await front.ask("POST", "/v1/operator/payments/9/set-aside", as: made.text, json: body)
    #expect(unknown.code == "payment_unknown")
    // What cannot be read, what only reads, and other callers leave none.
    _ = await front.ask("POST", "/v1/operator/payments/1001/set-aside", as: made.text, json: .object([]))
    _ = await front.ask("GET", "/v1/operator/queue", as: made.text)
    _ = await front.ask("GET", "/v1/orders", as: front.keys.secret)
    let found = try await entries(front)
    #expect(found.map(\.action) == ["payment.setAside", "payment.setAside", "payment.release", "payment.setAside"])
    #expect(found.map(\.outcome) == [.done, .done, .done, .refused] && found.last?.problem == "payment_unknown")
    let entry = try #require(found.first)
    #expect(entry.actorKind == .key && entry.actor == made.key.id.text && entry.role == .operator)
    #expect(entry.objectKind == "payment" && entry.object == "appStore:1001" && entry.reason == "ticket 58213")
    #expect(entry.app == "shop" && entry.environment == .simulated && entry.requestId != nil)
    #expect(AuditLogVerification(of: found).broken == nil)
  }

  @Test func `holds no secret of a key that it tells`() async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask(
      "POST", "/v1/operator/keys", as: front.keys.operator,
      json: .members([("kind", "secret"), ("label", "backend")]))
    let text = try #require(answer["key"]?.string)
    let found = try await entries(front)
    #expect(found.map(\.action) == ["key.create"])
    #expect(!found.map { AuditLogChain.json($0).text }.joined().contains(text.suffix(43)))
  }
}
