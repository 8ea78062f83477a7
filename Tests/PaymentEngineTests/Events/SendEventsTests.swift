import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import TestDoubles
import Testing

/// A backend that stores each message by its id, and refuses the types that the test names.
private final class EventReceiver: Sendable {
  private struct State {
    var refused: Set<String> = []
    var arrivals: [String] = []
    var booked: [(id: String, type: String)] = []
  }

  private let state = Mutex(State())

  func refuse(_ types: Set<String>) { state.withLock { $0.refused = types } }
  /// The types of all attempts, in order.
  var arrivals: [String] { state.withLock { $0.arrivals } }
  /// The types that were acknowledged, each id once.
  var booked: [String] { state.withLock { $0.booked.map(\.type) } }
  var ids: [String] { state.withLock { $0.booked.map(\.id) } }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      let body = try? JSONReader.read(request.body)
      let (type, id) = (body?["type"]?.string ?? "", body?["id"]?.string ?? "")
      let isRefused = state.withLock { state in
        state.arrivals.append(type)
        guard !state.refused.contains(type), request.fields["webhook-id"] == id else { return true }
        if !state.booked.contains(where: { $0.id == id }) { state.booked.append((id, type)) }
        return false
      }
      return HTTPResponse(status: isRefused ? 500 : 204)
    }
  }
}

@Suite struct `Events to an endpoint` {
  private let receiver = EventReceiver()
  private let log = EventLog()

  private func fixture(_ types: Set<EventType> = Set(EventType.allCases)) throws -> WorldEngineFixture {
    var limits = EngineLimits()
    limits.deliveryIdle = .hours(6)
    limits.watchInterval = .hours(6)
    limits.expiryInterval = .hours(6)
    return try WorldEngineFixture(
      { app in
        var endpoint = DeliveryEndpoint(
          name: "backend", url: "https://backend.example/hook", environments: [.simulated],
          secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        endpoint.types = types
        app.endpoints = [endpoint]
      }, exchange: receiver.exchange, limits: limits, log: log.log)
  }

  private func buy(_ fixture: WorldEngineFixture, _ ids: String...) throws {
    try fixture.perform { shop in
      for id in ids {
        let order = try await shop.order()
        _ = try await shop.submit(shop.transaction(id, token: order))
      }
    }
  }

  /// The background tasks, long enough for the endpoint to have its place.
  private func started(_ types: Set<EventType> = Set(EventType.allCases)) throws -> WorldEngineFixture {
    let fixture = try fixture(types)
    fixture.startBackgroundTasks()
    fixture.world.run(for: .seconds(1))
    return fixture
  }

  @Test func `are not sent before the delivery of their payment's grant is acknowledged`() throws {
    let fixture = try started()
    receiver.refuse(["grant.created"])
    try buy(fixture, "1001")
    fixture.world.run(for: .minutes(30))
    #expect(receiver.arrivals.contains("grant.created") && receiver.booked == [])
    #expect(!receiver.arrivals.contains("purchase.completed"))
    receiver.refuse([])
    fixture.world.run(for: .hours(2))
    #expect(receiver.booked == ["grant.created", "purchase.completed"])
  }

  @Test func `are only of the types that the endpoint names, beside those of grants`() throws {
    let fixture = try started([.orderClosed])
    try buy(fixture, "1001")
    let order = try fixture.perform { try await $0.order() }
    _ = try fixture.perform { shop in
      try await shop.engine.closeOrder(
        .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
    }
    fixture.world.run(for: .minutes(1))
    #expect(receiver.arrivals == ["grant.created", "order.closed"])
  }

  @Test func `from before the endpoint named any stay in the feed alone`() throws {
    let fixture = try fixture()
    try buy(fixture, "1001")
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(1))
    try buy(fixture, "1002")
    fixture.world.run(for: .minutes(1))
    #expect(receiver.booked.filter { $0 == "purchase.completed" }.count == 1)
    #expect(try fixture.perform { try await $0.eventTypes() }.count == 2)
  }

  @Test func `that are refused come again under one id, and hold up no other and no grant`() throws {
    let fixture = try started()
    receiver.refuse(["payment.unclaimed"])
    _ = try fixture.perform { shop in try await shop.submit(shop.transaction("1001"), by: nil) }
    fixture.world.run(for: .minutes(1))
    try buy(fixture, "1002")
    fixture.world.run(for: .hours(3))
    #expect(receiver.arrivals.filter { $0 == "payment.unclaimed" }.count > 3)
    #expect(Set(receiver.booked) == ["purchase.completed", "grant.created"] && receiver.booked.count == 3)
    receiver.refuse([])
    fixture.world.run(for: .days(1))
    #expect(receiver.booked.filter { $0 == "payment.unclaimed" }.count == 1)
  }

  @Test func `leave as soon as their grant is acknowledged, and bear the ids of the feed`() throws {
    let fixture = try started()
    try buy(fixture, "1001", "1002", "1003")
    fixture.world.run(for: .seconds(5))
    let feed = try fixture.perform { try await $0.events() }.compactMap { $0["id"]?.string }
    #expect(receiver.ids.filter { $0.hasPrefix("event_") }.sorted() == feed.sorted() && feed.count == 3)
  }

  @Test func `are sent on by the next process, each at least once`() throws {
    let fixture = try started()
    receiver.refuse(Set(EventType.allCases.map(\.rawValue)))
    try buy(fixture, "1001", "1002")
    fixture.world.run(for: .minutes(10))
    #expect(receiver.booked == ["grant.created", "grant.created"])
    let storage = fixture.shop.storage
    let next = try EngineFixture(
      { app in app.endpoints = fixture.shop.app.endpoints }, exchange: receiver.exchange, storage: storage,
      in: fixture.process)
    receiver.refuse([])
    fixture.process.spawn { await next.engine.run() }
    fixture.world.run(for: .hours(13))
    #expect(receiver.booked.filter { $0 == "purchase.completed" }.count == 2)
  }

  @Test func `are given up after 30 days, told to the operator, and stay in the feed`() throws {
    let fixture = try started()
    receiver.refuse(["purchase.completed"])
    try buy(fixture, "1001")
    fixture.world.run(for: .days(32))
    #expect(log.fields(of: "event.parked").map { $0["endpoint"] } == ["backend"])
    let attempts = receiver.arrivals.count
    fixture.world.run(for: .days(2))
    #expect(receiver.arrivals.count == attempts)
    #expect(try fixture.perform { try await $0.eventTypes() } == ["purchase.completed"])
  }
}
