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

/// A backend that books each delivery once by its id, and fails as the test demands.
final class Receiver: Sendable {
  enum Mood: Sendable {
    case well, refusing(Int, retryAfter: String?), cuttingAfterCommit
  }

  private struct State {
    var mood = Mood.well
    var arrivals: [String] = []
    var booked: [String: HTTPRequest] = [:]
  }

  private let state = Mutex(State())

  func turn(_ mood: Mood) { state.withLock { $0.mood = mood } }
  var arrivals: [String] { state.withLock { $0.arrivals } }
  var booked: [String: HTTPRequest] { state.withLock { $0.booked } }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      let id = request.fields["webhook-id"] ?? ""
      let mood = state.withLock { state in
        state.arrivals.append(id)
        if case .refusing = state.mood { return state.mood }
        state.booked[id] = request
        return state.mood
      }
      switch mood {
      case .well: return HTTPResponse(status: 204)
      case .refusing(let status, let retryAfter):
        var response = HTTPResponse(status: status)
        response.body = Array(repeating: 0x41, count: 300)
        response.fields.set("Retry-After", retryAfter)
        return response
      case .cuttingAfterCommit: throw .outcomeUnknown("cut")
      }
    }
  }
}

@Suite struct `A delivery` {
  private let receiver = Receiver()
  private let events = EventLog()
  private let secret = Secret(Array("a secret made for tests, 32 bytes".utf8))
  private let fixture: WorldEngineFixture

  init() throws {
    let secret = secret
    var limits = EngineLimits()
    // A month passes in long steps when nothing is due.
    limits.deliveryIdle = .hours(6)
    limits.watchInterval = .hours(6)
    limits.expiryInterval = .hours(6)
    fixture = try WorldEngineFixture(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example/hook", environments: [.simulated],
            secrets: [secret])
        ]
      }, exchange: receiver.exchange, limits: limits, log: events.log)
  }

  private func bought() throws -> OrderIdentifier {
    try fixture.perform { shop in
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1001", token: order))
      return order
    }
  }

  private func deliveries(of order: OrderIdentifier) throws -> [Delivery] {
    try fixture.perform { shop in
      try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil).deliveries
    }
  }

  private func isDelivered(_ order: OrderIdentifier) throws -> Bool {
    try fixture.perform { shop in
      try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil).isDelivered
    }
  }

  @Test func `is signed as Standard Webhooks demands, and states what was granted (A20)`() throws {
    let order = try bought()
    fixture.startBackgroundTasks()
    fixture.world.run(for: .seconds(1))
    #expect(try isDelivered(order))
    let request = try #require(receiver.booked.values.first)
    let id = try #require(request.fields["webhook-id"])
    let time = try #require(request.fields["webhook-timestamp"])
    let signed = Array("\(id).\(time).".utf8) + request.body
    let expected = "v1," + Base64.encode(HMACSHA256.code(for: signed, key: secret))
    #expect(request.fields["webhook-signature"] == expected)
    let body = try JSONReader.read(request.body)
    #expect(body["type"] == "grant.created" && body["id"]?.string == id && body["sequence"]?.integer == 1)
    #expect(body["orderId"]?.string == order.appAccountToken && body["userId"] == "alice")
    #expect(body["units"]?["amount"]?.integer == 100 && body["environment"] == "simulated")
  }

  @Test func `that fails is logged at first, then once an hour, and when it succeeds again`() throws {
    let order = try bought()
    let id = try #require(try deliveries(of: order).first?.id.text)
    receiver.turn(.refusing(503, retryAfter: nil))
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(50))
    #expect(receiver.arrivals.count > 3)
    let first = events.fields(of: "delivery.failed")
    #expect(first.count == 1 && first.first?["delivery"] == id && first.first?["status"] == "503")
    #expect(first.first?["reason"] == "HTTP status 503" && first.first?["endpoint"] == "backend")
    receiver.turn(.cuttingAfterCommit)
    fixture.world.run(for: .hours(12))
    let later = events.fields(of: "delivery.failed")
    #expect((2...13).contains(later.count))
    #expect(later.last?["status"] == "none" && later.last?["reason"] == "No whole answer came: cut")
    let failing = try #require(try deliveries(of: order).first)
    #expect(failing.lastProblem == "No whole answer came: cut")
    #expect(events.fields(of: "delivery.succeededAgain").isEmpty)
    receiver.turn(.well)
    fixture.world.run(for: .days(2))
    #expect(try isDelivered(order))
    #expect(events.fields(of: "delivery.succeededAgain").map { $0["delivery"] } == [id])
  }

  @Test func `leaves as soon as it is made, without polling`() throws {
    fixture.startBackgroundTasks()
    fixture.world.run(for: .seconds(1))
    _ = try bought()
    let made = fixture.world.now
    fixture.world.run(until: { !receiver.arrivals.isEmpty })
    #expect(fixture.world.now == made)
  }

  @Test func `of a killed worker leaves with the next one, not when the lease ends`() throws {
    let order = try bought()
    let held = try fixture.perform { shop in
      try await shop.engine.claimDeliveries(in: EngineFixture.appEnvironment, upTo: 1, for: .seconds(45))
    }
    let killed = fixture.world.now
    fixture.startBackgroundTasks()
    fixture.world.run(until: { !receiver.arrivals.isEmpty })
    #expect(fixture.world.now == killed && receiver.arrivals == held.map(\.id.text))
    fixture.world.run(for: .seconds(1))
    #expect(try isDelivered(order))
  }

  @Test func `is repeated under the same id if the receiver cut the connection after committing`() throws {
    let order = try bought()
    receiver.turn(.cuttingAfterCommit)
    fixture.startBackgroundTasks()
    fixture.world.run(until: { receiver.arrivals.count == 3 })
    receiver.turn(.well)
    fixture.world.run(for: .hours(1))
    #expect(try isDelivered(order))
    #expect(Set(receiver.arrivals).count == 1 && receiver.booked.count == 1)
    #expect(try fixture.perform { try await $0.violations() } == [])
  }

  @Test func `is tried again after a random delay of at most 1 s, 5 s, 30 s, 2 min, 10 min`() throws {
    let order = try bought()
    receiver.turn(.refusing(500, retryAfter: nil))
    fixture.startBackgroundTasks()
    let schedule: [TimeSpan] = [.seconds(1), .seconds(5), .seconds(30), .minutes(2), .minutes(10)]
    var (waits, due) = ([TimeSpan](), fixture.world.now)
    for (index, delay) in schedule.enumerated() {
      // Two random delays may fall into one millisecond.
      fixture.world.run(until: { receiver.arrivals.count > index })
      let attempted = fixture.world.now
      #expect(attempted <= due + .milliseconds(100), "it is tried when it is due, not when an idle worker looks again")
      while try deliveries(of: order)[0].attempts <= index { fixture.world.run(for: .milliseconds(1)) }
      let delivery = try deliveries(of: order)[0]
      due = delivery.nextAttemptAt
      guard delivery.attempts == index + 1 else { continue }
      #expect(delivery.nextAttemptAt >= attempted && delivery.nextAttemptAt <= attempted + delay + .milliseconds(10))
      waits.append(delivery.nextAttemptAt - attempted)
    }
    #expect(waits.contains { $0 > .seconds(10) }, "there are no delays")
  }

  @Test func `is parked after 30 days, never dropped, and sent again by an operator`() throws {
    let order = try bought()
    receiver.turn(.refusing(500, retryAfter: nil))
    fixture.startBackgroundTasks()
    fixture.world.run(for: .days(29))
    #expect(try deliveries(of: order)[0].state == .pending)
    // Every six hours on average, once the schedule has ended.
    #expect((50...250).contains(receiver.arrivals.count))
    fixture.world.run(for: .days(2))
    let parked = try deliveries(of: order)[0]
    guard case .parked(let at) = parked.state else {
      Issue.record("it is not parked")
      return
    }
    #expect(at <= SimulatedWorld.beginning + .days(30) + .hours(12))
    receiver.turn(.well)
    _ = try fixture.perform { try await $0.engine.redrive(parked.id, in: "shop", by: "oscar") }
    fixture.world.run(for: .minutes(1))
    #expect(try isDelivered(order))
    #expect(receiver.booked.count == 1)
  }

  @Test func `is not tried before the time that the receiver names`() throws {
    _ = try bought()
    receiver.turn(.refusing(503, retryAfter: "3600"))
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(59))
    #expect(receiver.arrivals.count == 1)
    fixture.world.run(for: .minutes(2))
    #expect(receiver.arrivals.count == 2)
  }

  @Test func `waits while a receiver keeps failing, except for one probe every ten seconds`() throws {
    for number in 0..<40 {
      _ = try fixture.perform { shop in
        let order = try await shop.order(of: UserIdentifier("user\(number)"))
        return try await shop.submit(shop.transaction("\(2000 + number)", token: order), by: nil)
      }
    }
    receiver.turn(.refusing(500, retryAfter: nil))
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(1))
    let before = receiver.arrivals.count
    fixture.world.run(for: .minutes(10))
    #expect(receiver.arrivals.count - before <= 61)
    receiver.turn(.well)
    fixture.world.run(for: .hours(13))
    #expect(receiver.booked.count == 40)
  }

  @Test func `has an id made of its content: the same on every node and after a restore`() throws {
    let other = try WorldEngineFixture()
    let ids = try [fixture, other].map { fixture in
      try fixture.perform { shop in
        let order = try await shop.order()
        _ = try await shop.submit(shop.transaction("1001", token: order))
        return try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil).deliveries[0].id
      }
    }
    #expect(ids[0] == ids[1] && ids[0].text.hasPrefix("dlv_") && ids[0].text.count == 56)
  }

  @Test func `of a refund waits until the grant has been acknowledged`() throws {
    let order = try bought()
    let purchased = fixture.world.now
    fixture.world.run(for: .hours(1))
    let answer = try fixture.perform { shop in
      try await shop.submit(
        shop.transaction("1001", token: order) {
          $0["purchaseDate"] = .integer(purchased.milliseconds)
          $0["revocationDate"] = .integer(shop.now().milliseconds)
        })
    }
    #expect(answer.verdict == .revoked)
    #expect(try fixture.perform { try await $0.coins() } == 0)
    let pulled = try pull()
    #expect(pulled.map(\.kind) == [.created])
    _ = try fixture.perform { try await $0.engine.acknowledge(pulled[0].id, in: "shop") }
    let next = try pull()
    #expect(next.map(\.kind) == [.reversed] && next.map(\.sequence) == [2])
    #expect(try fixture.perform { try await $0.violations() } == [])
  }

  private func pull() throws -> [Delivery] {
    try fixture.perform { shop in
      try await shop.engine.claimDeliveries(in: EngineFixture.appEnvironment, upTo: 10, for: .minutes(1))
    }
  }

  @Test func `that is pulled on lease returns when the lease ends, and ends with one acknowledgement`() throws {
    let order = try bought()
    let first = try pull()
    #expect(try pull() == [])
    fixture.world.run(for: .minutes(2))
    #expect(try pull().map(\.id) == first.map(\.id))
    let acknowledged = try fixture.perform { try await $0.engine.acknowledge(first[0].id, in: "shop") }
    fixture.world.run(for: .minutes(2))
    #expect(try fixture.perform { try await $0.engine.acknowledge(first[0].id, in: "shop") } == acknowledged)
    let labels = [("app", "shop"), ("environment", "simulated")]
    let times = try fixture.perform { $0.engine.metrics.timesCount(.grantToAcknowledgedSeconds, labels) }
    #expect(times == 1, "a repetition is not counted")
    #expect(try isDelivered(order))
    #expect(throws: CodedError<EngineErrorCode>(.deliveryUnknown)) {
      try fixture.perform { try await $0.engine.acknowledge(first[0].id, in: "other") }
    }
  }
}
