import AppStoreIntegration
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Synchronization
import Testing

/// The earlier system's address for notifications: the received bodies, and the answer to each.
private final class EarlierSystem: Sendable {
  private struct State {
    var status: Int? = 200
    var bodies: [[UInt8]] = []
  }

  private let state = Mutex(State())

  var bodies: [[UInt8]] { state.withLock { $0.bodies } }
  /// Answers with that status from now on; nil: it is down.
  func answer(_ status: Int?) { state.withLock { $0.status = status } }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      let status = state.withLock { state in
        if state.status != nil { state.bodies.append(request.body) }
        return state.status
      }
      guard let status else { throw .unreachable("the earlier system is down") }
      return HTTPResponse(status: status)
    }
  }
}

@Suite struct `A notification for an app that migrates here` {
  private let earlier = EarlierSystem()
  private let fixture: WorldEngineFixture

  init() throws {
    var limits = EngineLimits()
    limits.deliveryIdle = .hours(6)
    limits.watchInterval = .hours(6)
    limits.expiryInterval = .hours(6)
    fixture = try WorldEngineFixture(
      { $0.forwardNotificationsTo = ForwardTarget(url: "https://earlier.example/notify") },
      exchange: earlier.exchange, limits: limits)
  }

  private func receive(_ id: String) throws -> [UInt8] {
    try fixture.perform { shop in
      let body = shop.notification(id, about: shop.transaction("1001"))
      _ = try await shop.engine.receiveAppStoreNotification(body, for: "shop")
      return body
    }
  }

  private func open() throws -> [NotificationForward] {
    try fixture.perform { try await $0.engine.openForwards(of: "shop", limit: 9) }
  }

  @Test func `X22: that does not verify is not passed on`() throws {
    fixture.startBackgroundTasks()
    let refused = try fixture.perform { shop in
      do {
        _ = try await shop.engine.receiveAppStoreNotification(
          Array(#"{"signedPayload":"a.b.c"}"#.utf8), for: "shop")
        return false
      } catch { return true }
    }
    fixture.world.run(for: .hours(1))
    #expect(refused && earlier.bodies.isEmpty)
  }

  @Test func `is passed on at once, byte for byte, and once even if the store repeats it`() throws {
    fixture.startBackgroundTasks()
    fixture.world.run(for: .seconds(1))
    let body = try receive("n1")
    let received = fixture.world.now
    fixture.world.run(until: { !earlier.bodies.isEmpty })
    #expect(fixture.world.now == received)
    try fixture.perform { shop in _ = try await shop.engine.receiveAppStoreNotification(body, for: "shop") }
    fixture.world.run(for: .days(1))
    #expect(earlier.bodies == [body])
    #expect(try open() == [])
  }

  @Test func `waits for a receiver that is down for a day, and for one that refuses`() throws {
    fixture.startBackgroundTasks()
    earlier.answer(nil)
    let body = try receive("n1")
    fixture.world.run(for: .hours(20))
    earlier.answer(503)
    fixture.world.run(for: .hours(4))
    #expect(try open().first?.attempts ?? 0 > 5)
    earlier.answer(200)
    fixture.world.run(for: .hours(13))
    #expect(earlier.bodies.last == body)
    #expect(try open() == [])
  }

  @Test func `is parked after 30 days, never dropped, and sent again on an operator's request`() throws {
    fixture.startBackgroundTasks()
    earlier.answer(nil)
    let body = try receive("n1")
    fixture.world.run(for: .days(32))
    guard case .parked = try #require(try open().first).state else {
      Issue.record("it is not parked")
      return
    }
    #expect((50...250).contains(try open().first?.attempts ?? 0))
    earlier.answer(200)
    fixture.world.run(for: .days(1))
    #expect(earlier.bodies.isEmpty)
    #expect(try fixture.perform { try await $0.engine.redriveForwards(of: "shop", limit: 9) } == 1)
    fixture.world.run(for: .minutes(1))
    #expect(earlier.bodies == [body])
  }

  @Test func `survives a kill between its receipt and its forwarding: the next process passes it on`() throws {
    let body = try receive("n1")
    // The process that received it never ran its background tasks; another process takes over its database.
    fixture.process.kill()
    let next = SimulatedProcess("server", number: 2, in: fixture.world)
    let heir = try EngineFixture(
      { $0.forwardNotificationsTo = ForwardTarget(url: "https://earlier.example/notify") },
      exchange: earlier.exchange, storage: fixture.shop.storage, in: next)
    next.spawn { await heir.engine.run() }
    fixture.world.run(until: { !earlier.bodies.isEmpty })
    #expect(earlier.bodies == [body])
    fixture.world.run(for: .minutes(1))
    #expect(try fixture.world.perform(in: next) { try await heir.engine.openForwards(of: "shop", limit: 9) } == [])
  }

  @Test func `survives a kill at any step of its receipt, and is passed on whole after the store's retry`() throws {
    for step in 1...30 {
      let world = SimulatedWorld(seed: 1)
      let settings: @Sendable (inout AppPolicy) -> Void = {
        $0.forwardNotificationsTo = ForwardTarget(url: "https://earlier.example/notify")
      }
      let arrived = EarlierSystem()
      let dying = SimulatedProcess("server", number: 1, in: world)
      dying.kill(atStep: step)
      let first = try EngineFixture(settings, exchange: arrived.exchange, pause: { _ in await Task.yield() }, in: dying)
      let body = first.notification("n1", about: first.transaction("1001"))
      dying.spawn { _ = try? await first.engine.receiveAppStoreNotification(body, for: "shop") }
      dying.spawn { await first.engine.run() }
      world.run(for: .seconds(1))
      dying.kill()
      let next = SimulatedProcess("server", number: 2, in: world)
      let heir = try EngineFixture(settings, exchange: arrived.exchange, storage: first.storage, in: next)
      // The store got no answer, so it sends the notification again.
      try world.perform(in: next) { _ = try await heir.engine.receiveAppStoreNotification(body, for: "shop") }
      next.spawn { await heir.engine.run() }
      world.run(for: .minutes(2))
      #expect(!arrived.bodies.isEmpty && Set(arrived.bodies) == [body], "killed at step \(step)")
      #expect(try world.perform(in: next) { try await heir.engine.openForwards(of: "shop", limit: 9) } == [])
      world.end([dying, next])
    }
  }
}
