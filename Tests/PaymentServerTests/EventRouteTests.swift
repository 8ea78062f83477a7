import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The feed of events` {
  private static func events(_ front: ServerFixture, _ query: String = "") async -> Answer {
    await front.ask("GET", "/v1/events" + query, as: front.keys.secret)
  }

  private static func types(_ answer: Answer) -> [String] {
    (answer["events"]?.array ?? []).compactMap { $0["type"]?.string }
  }

  private static func buy(_ front: ServerFixture, _ id: String = "1001") async -> String {
    let order = await front.order()
    await front.submit(TestAppStoreSigner(at: front.now()).transaction(id, token: order), as: front.token())
    return order
  }

  @Test(arguments: [
    "?wait=26", "?wait=-1", "?wait=x", "?limit=0", "?limit=101", "?after=", "?after=x", "?after=evt_1",
    "?after=evt_0_ab", "?after=evt_1_ab_c", "?since=yesterday", "?after=evt_1_ab&since=2026-01-01T00:00:00Z",
    "?environment=moon", "?environment=production", "?types=order.paid",
  ])
  func `is refused outside its bounds, and with a place and a time at once`(query: String) async throws {
    let front = try await ServerFixture.open()
    let answer = await Self.events(front, query)
    #expect(answer.status == 400 && ["field_invalid", "field_unknown"].contains(answer.code), "\(answer.code ?? "-")")
  }

  @Test func `is not for the app on the phone`() async throws {
    let front = try await ServerFixture.open()
    #expect(await front.ask("GET", "/v1/events", as: front.token()).status == 403)
    #expect(await front.ask("GET", "/v1/events").status == 401)
  }

  @Test func `does not go on after an event that this database does not have (event_unknown)`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.order()
    let id = try #require(await Self.events(front)["events"]?.array?.first?["id"]?.string)
    // The same number with other content: after a restore the numbers begin again.
    for other in [String(id.dropLast()) + (id.hasSuffix("0") ? "1" : "0"), "evt_99_0123456789abcdef"] {
      let answer = await Self.events(front, "?after=" + other)
      #expect(answer.status == 404 && answer.code == "event_unknown")
    }
    #expect(await Self.events(front, "?after=" + id).status == 200)
  }

  @Test func `tells what happened to an order and its payment, of whom, under which numbers`() async throws {
    let front = try await ServerFixture.open()
    #expect(await Self.events(front).json == .members([("events", .array([]))]))
    let order = await Self.buy(front)
    let answer = await Self.events(front)
    #expect(Self.types(answer) == ["order.created", "order.paid", "payment.fulfilled"])
    let paid = try #require(answer["events"]?.array?.last)
    #expect(paid["orderId"]?.string == order && paid["userId"]?.string == "alice")
    #expect(paid["store"]?.string == "appStore" && paid["transactionId"]?.string == "1001")
    #expect(paid["environment"]?.string == "simulated" && paid["at"]?.string == front.now().iso8601)
    #expect(paid["details"] == nil && paid["id"] == answer["next"])
  }

  @Test func `is read page by page without a gap or a repetition, and ends where nothing is new`() async throws {
    let front = try await ServerFixture.open()
    for number in 0..<5 { _ = await Self.buy(front, "100\(number)") }
    let all = (await Self.events(front, "?limit=100")["events"]?.array ?? []).compactMap { $0["id"]?.string }
    #expect(all.count == 15 && Set(all).count == 15)
    var (seen, next): ([String], String?) = ([], nil)
    while seen.count < 20 {
      let page = await Self.events(front, "?limit=4" + (next.map { "&after=" + $0 } ?? ""))
      let ids = (page["events"]?.array ?? []).compactMap { $0["id"]?.string }
      if ids.isEmpty { #expect(page["next"]?.string == next) }
      next = page["next"]?.string
      if ids.isEmpty { break }
      seen += ids
    }
    #expect(seen == all)
    // Each event is a place, too.
    let third = await Self.events(front, "?limit=1&after=" + all[1])
    #expect(third["events"]?.array?.first?["id"]?.string == all[2])
  }

  @Test func `begins at a time`() async throws {
    let front = try await ServerFixture.open()
    for number in 0..<4 {
      _ = await Self.buy(front, "100\(number)")
      front.clock.advance(by: .minutes(10))
    }
    let third = front.now() - .minutes(20)
    let page = await Self.events(front, "?since=" + RequestTarget.encode(third.iso8601))
    #expect(Self.types(page).count == 6)
    #expect(Self.types(await Self.events(front, "?since=" + RequestTarget.encode(front.now().iso8601))) == [])
    #expect(Self.types(await Self.events(front, "?limit=100&since=1999-01-01T00:00:00Z")).count == 12)
  }

  @Test func `shows another app nothing, and leads it past`() async throws {
    let front = try await ServerFixture.open()
    _ = await Self.buy(front)
    let other = await front.ask("GET", "/v1/events", as: front.keys.otherSecret)
    #expect(Self.types(other) == [] && other["next"]?.string?.hasPrefix("evt_3_") == true)
  }

  @Test func `waits for an event, and not longer than asked`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.open()
    let before = fixture.world.now
    let answers = try fixture.perform { dependencies in
      async let waiting = Self.events(front, "?wait=25")
      try await dependencies.sleep(.milliseconds(3100))
      _ = await front.order()
      let first = await waiting
      return [first, await Self.events(front, "?wait=2&after=" + (first["next"]?.string ?? ""))]
    }
    #expect(answers.map(Self.types) == [["order.created"], []])
    let span = fixture.world.now - before
    #expect(span >= .milliseconds(5100) && span < .milliseconds(5200))
  }
}
