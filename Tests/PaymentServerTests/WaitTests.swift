import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A waiting read` {
  @Test(arguments: ["?wait=26", "?wait=-1", "?wait=x", "?wait=1.5", "?wait=", "?wait=1&wait=2", "?wait=1&until=never"])
  func `is refused outside its bounds`(query: String) async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let answer = await front.ask("GET", "/v1/orders/" + order + query, as: front.token())
    #expect(answer.code == "field_invalid")
  }

  @Test func `ends after its time with the order as it is`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.open()
    let before = fixture.world.now
    let answer = try fixture.perform { _ in
      let order = await front.order()
      return await front.ask("GET", "/v1/orders/" + order + "?wait=25", as: front.token())
    }
    #expect(answer["state"]?.string == "awaitingPayment")
    #expect(fixture.world.now - before == .seconds(25))
    // It sleeps in between; a wait that spins would take millions of steps.
    #expect(fixture.world.steps < 500)
  }

  @Test func `ends at the grant, and does not begin when there is nothing to wait for`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.open()
    let before = fixture.world.now
    let answers = try fixture.perform { dependencies in
      let order = await front.order()
      async let waiting = front.ask("GET", "/v1/orders/" + order + "?wait=25", as: front.token())
      try await dependencies.sleep(.milliseconds(3100))
      await front.submit(TestAppStoreSigner(at: front.now()).transaction("1001", token: order), as: front.token())
      let first = await waiting
      return [first, await front.ask("GET", "/v1/orders/" + order + "?wait=25", as: front.token())]
    }
    #expect(answers.map { $0["state"]?.string } == ["paid", "paid"])
    #expect(fixture.world.now - before == .milliseconds(3100))
  }

  @Test func `until delivered ends with the acknowledgement`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.open()
    let before = fixture.world.now
    let answer = try fixture.perform { dependencies in
      let order = await front.order()
      await front.submit(TestAppStoreSigner(at: front.now()).transaction("1001", token: order), as: front.token())
      async let waiting = front.ask(
        "GET", "/v1/orders/" + order + "?wait=25&until=delivered&userId=alice", as: front.keys.secret)
      try await dependencies.sleep(.seconds(4))
      let id = await front.deliveries().first?["id"]?.string ?? ""
      await front.ask("POST", "/v1/deliveries/\(id)/ack", as: front.keys.secret)
      return await waiting
    }
    #expect(answer["delivery"]?.string == "acknowledged")
    #expect(fixture.world.now - before == .seconds(4))
  }

  @Test func `that is interrupted reports that the server stops (server_stopping)`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.open()
    let answer = try fixture.perform { dependencies in
      let order = await front.order()
      return await withTaskGroup(of: Answer?.self) { group in
        group.addTask { await front.ask("GET", "/v1/orders/" + order + "?wait=25", as: front.token()) }
        group.addTask {
          try? await dependencies.sleep(.seconds(5))
          return nil
        }
        _ = await group.next()
        group.cancelAll()
        return await group.next() ?? nil
      }
    }
    #expect(fixture.world.now - SimulatedWorld.beginning == .seconds(5))
    #expect(answer?.status == 503)
    #expect(answer?.code == "server_stopping")
    #expect(answer?.fields["Retry-After"] != nil)
  }

  @Test func `beyond eight of one user is answered at once, and the slots become free again`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.open()
    let spans = try fixture.perform { dependencies in
      let order = await front.order()
      @Sendable func wait(as credential: String) async -> Int64 {
        let started = dependencies.now()
        await front.ask("GET", "/v1/orders/" + order + "?wait=10", as: credential)
        return (dependencies.now() - started).milliseconds
      }
      let token = front.token()
      let rounds = await withTaskGroup(of: Int64.self) { group in
        for _ in 0..<10 { group.addTask { await wait(as: token) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      return rounds + [await wait(as: front.token()), await wait(as: front.keys.secret)]
    }
    #expect(spans.prefix(10).sorted() == [0, 0] + Array(repeating: 10_000, count: 8))
    #expect(spans.suffix(2) == [10_000, 10_000])
  }
}
