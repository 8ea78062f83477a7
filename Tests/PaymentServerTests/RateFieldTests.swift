import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `The fields of rates in an answer` {
  private static func fields(_ answer: Answer) -> [String?] {
    ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"].map { answer.fields[$0] }
  }

  @Test func `are absent where a call counts against an address, which several callers share`() async throws {
    let front = try await ServerFixture.open()
    #expect(Self.fields(await front.ask("GET", "/v1/balances")) == [nil, nil, nil])
    #expect(Self.fields(await front.ask("GET", "/livez")) == [nil, nil, nil])
    #expect(Self.fields(await front.ask("GET", "/v1/products", as: front.keys.publishable)) == [nil, nil, nil])
  }

  @Test func `tell a user how many requests are left and when all are there again, also when none is`() async throws {
    let front = try await ServerFixture.open { changes in
      changes.settings = { $0.rates.user = .init(perSecond: 2, burst: 3) }
    }
    var answers: [Answer] = []
    for _ in 0..<4 { answers.append(await front.ask("GET", "/v1/balances", as: front.token())) }
    #expect(answers.map(\.status) == [200, 200, 200, 429])
    #expect(answers.map(Self.fields) == [["3", "2", "1"], ["3", "1", "1"], ["3", "0", "2"], ["3", "0", "2"]])
    front.clock.advance(by: .seconds(1))
    #expect(Self.fields(await front.ask("GET", "/v1/balances", as: front.token())) == ["3", "1", "1"])
    // Another user has their own.
    #expect(Self.fields(await front.ask("GET", "/v1/balances", as: front.token(of: "bob"))) == ["3", "2", "1"])
  }

  @Test func `tell a backend and an operator the same of their keys, also with an error`() async throws {
    let front = try await ServerFixture.open { changes in
      changes.settings = { $0.rates.key = .init(perSecond: 1000, burst: 5) }
    }
    let unknown = await front.ask("GET", "/v1/orders/unknown", as: front.keys.secret)
    #expect(unknown.status == 404 && Self.fields(unknown) == ["5", "4", "1"])
    #expect(Self.fields(await front.ask("GET", "/v1/operator/keys", as: front.keys.operator)) == ["5", "4", "1"])
  }
}
