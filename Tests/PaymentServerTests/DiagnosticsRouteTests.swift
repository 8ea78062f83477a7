import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `What phones count, over HTTP` {
  private static let id = "0190f0c8-0000-7000-8000-000000000001"

  private func report(
    _ front: ServerFixture, _ counts: [(String, JSONValue?)], id: String = id, as credential: String? = nil
  ) async -> Answer {
    await front.ask(
      "POST", "/v1/diagnostics", as: credential ?? front.token(),
      json: .members([("id", .string(id)), ("counts", .members(counts))]))
  }

  private func counts(_ front: ServerFixture, _ query: String = "") async -> [String] {
    let answer = await front.ask("GET", "/v1/operator/diagnostics" + query, as: front.keys.operator)
    return (answer.json["counts"]?.array ?? []).map { count in
      "\(count["day"]?.string ?? "") \(count["kind"]?.string ?? "") \(count["count"]?.integer ?? 0)"
    }
  }

  @Test func `is added up per day and kind, and a repeated report counts once`() async throws {
    let front = try await ServerFixture.open()
    #expect(await report(front, [("recovered", .integer(2)), ("orphan", .integer(1))]).json["counted"]?.bool == true)
    #expect(await report(front, [("recovered", .integer(2))]).json["counted"]?.bool == false)
    let other = "0190f0c8-0000-7000-8000-000000000002"
    #expect(await report(front, [("recovered", .integer(3))], id: other, as: front.token(of: "bob")).status == 200)
    let day = front.now().utcDay
    #expect(await counts(front) == ["\(day) orphan 1", "\(day) recovered 5", "\(day) reports 2"])
    #expect(await counts(front, "?from=2001-01-01&to=2001-01-02") == [])
    #expect(
      await front.ask("GET", "/metrics", as: front.keys.operator).text.contains(
        #"counterfoil_phone_diagnostics_total{app="shop",kind="recovered"} 5"#))
  }

  @Test func `is taken from a phone without a user, and from a gateway`() async throws {
    let front = try await ServerFixture.open()
    let ids = (1...2).map { "0190f0c8-0000-7000-8000-00000000000\($0)" }
    #expect(await report(front, [("orphan", .integer(1))], id: ids[0], as: front.keys.publishable).status == 200)
    #expect(await report(front, [("orphan", .integer(1))], id: ids[1], as: front.keys.secret).status == 200)
    #expect(await report(front, [("orphan", .integer(1))], as: front.keys.operator).code == "not_allowed")
  }

  @Test func `is bounded: wrong ids, too large counts and unknown fields are refused, later kinds ignored`()
    async throws
  {
    let front = try await ServerFixture.open()
    #expect(await report(front, [("orphan", .integer(1))], id: "x").code == "field_invalid")
    for count in [-1, 1_001] as [Int64] {
      #expect(await report(front, [("orphan", .integer(count))]).code == "field_invalid", "\(count)")
    }
    #expect(await report(front, [("orphan", "1")]).code == "field_invalid")
    let unknown = await front.ask(
      "POST", "/v1/diagnostics", as: front.token(), json: .members([("id", .string(Self.id)), ("userId", "alice")]))
    #expect(unknown.status >= 400)
    #expect(await counts(front) == [])
    #expect(await report(front, [("laterKind", .integer(9)), ("orphan", .integer(0))]).status == 200)
    #expect(await counts(front) == ["\(front.now().utcDay) reports 1"])
  }

  @Test func `stands beside the path and the delay of the newest grants`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let answer = await front.ask("GET", "/v1/operator/diagnostics", as: front.keys.operator)
    let grants = answer.json["newestGrants"]
    #expect(grants?["examined"]?.integer == 1)
    #expect(grants?["firstHeardFrom"]?.text == #"{"client":1}"#)
    #expect(grants?["purchaseToGrantMilliseconds"]?["median"]?.integer != nil)
  }
}
