import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A search by the id of a request` {
  private func id(of answer: Answer) throws -> String { try #require(answer.fields["X-Request-Id"]) }

  private func hits(_ front: ServerFixture, _ term: String, as key: String? = nil) async -> [String] {
    let answer = await front.ask("GET", "/v1/operator/search?q=" + term, as: key ?? front.keys.operator)
    return (answer["hits"]?.array ?? []).map { "\($0["kind"]?.string ?? "") \($0["id"]?.string ?? "")" }
  }

  @Test func `leads to the order that it made, read or closed`() async throws {
    let front = try await ServerFixture.open()
    let body = JSONValue.members([("productId", "coins.100"), ("store", "appStore")])
    let made = await front.ask("POST", "/v1/orders", as: front.token(), json: body)
    let order = try #require(made["id"]?.string)
    let read = await front.ask("GET", "/v1/orders/" + order, as: front.token())
    let closed = await front.ask("POST", "/v1/orders/\(order)/close", as: front.token())
    for answer in [made, read, closed] {
      #expect(answer.status < 300)
      #expect(await hits(front, try id(of: answer)) == ["order " + order])
      #expect(await hits(front, try id(of: answer).uppercased()) == ["order " + order])
      #expect(await hits(front, try id(of: answer), as: front.keys.otherOperator) == [])
    }
  }

  @Test func `leads to the payment that was handed in, and to its order`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order)
    let paid = await front.ask(
      "POST", "/v1/payments/app-store", as: front.token(), json: .members([("evidence", .string(evidence))]))
    #expect(Set(await hits(front, try id(of: paid))) == ["order " + order, "payment 1001"])
  }

  @Test func `leads to the order of the path if it was refused`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let refused = await front.ask("GET", "/v1/orders/" + order, as: front.token(of: "bob"))
    #expect(refused.code == "order_unknown")
    #expect(await hits(front, try id(of: refused)) == ["order " + order])
  }

  @Test func `finds nothing for a request that concerned nothing, and none for one that is unknown`() async throws {
    let front = try await ServerFixture.open()
    let listed = await front.ask("GET", "/v1/products", as: front.token())
    #expect(await hits(front, try id(of: listed)) == [])
    #expect(await hits(front, "0123456789abcdef") == [])
    let tried = await front.ask("GET", "/v1/operator/search?q=0123456789abcdef", as: front.keys.operator)
    #expect(tried["tried"]?.array?.contains("request") == true)
  }
}
