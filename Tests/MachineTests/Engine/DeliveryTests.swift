import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentStore
import PaymentVocabulary
import ServerContract
import StrictJSON
import Synchronization
import Testing

/// A backend that books each delivery once by its id, and misbehaves as told.
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
        response.fields.set("Retry-After", retryAfter)
        return response
      case .cuttingAfterCommit: throw .outcomeUnknown("cut")
      }
    }
  }
}

@Suite struct `A delivery` {
  private let receiver = Receiver()
  private let secret = Secret(Array("a secret made for tests, 32 bytes".utf8))

  private func shop(_ limits: EngineLimits = EngineLimits()) throws -> Shop {
    let receiver = receiver
    let secret = secret
    return try Shop(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example/hook", environments: [.simulated],
            secrets: [secret])
        ]
      }, exchange: receiver.exchange, limits: limits, sleep: .waiting)
  }

  private func work(_ shop: Shop, until holds: () async throws -> Bool) async throws {
    #expect(try await shop.work(until: holds))
  }

  private func bought(_ shop: Shop) async throws -> OrderIdentifier {
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    return order
  }

  private func isDelivered(_ shop: Shop, _ order: OrderIdentifier) async throws -> Bool {
    try await shop.engine.readOrder(.id(order), in: [Shop.realm], of: nil).isDelivered
  }

  @Test func `is signed as Standard Webhooks says, and tells what was granted (A20)`() async throws {
    let shop = try shop()
    let order = try await bought(shop)
    try await work(shop) { try await isDelivered(shop, order) }
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

  @Test func `comes again under the same id when the receiver cut the connection after committing`() async throws {
    let shop = try shop()
    let order = try await bought(shop)
    receiver.turn(.cuttingAfterCommit)
    try await work(shop) { receiver.arrivals.count >= 3 }
    receiver.turn(.well)
    try await work(shop) { try await isDelivered(shop, order) }
    #expect(Set(receiver.arrivals).count == 1 && receiver.booked.count == 1)
    #expect(try await shop.violations() == [])
  }

  @Test func `is parked after 30 days, never dropped, and sent off again by an operator`() async throws {
    var limits = EngineLimits()
    // A month passes in long strides.
    limits.deliveryIdle = .hours(6)
    limits.expiryInterval = .hours(6)
    let shop = try shop(limits)
    let order = try await bought(shop)
    receiver.turn(.refusing(500, retryAfter: nil))
    func delivery() async throws -> Delivery {
      try await shop.engine.readOrder(.id(order), in: [Shop.realm], of: nil).deliveries[0]
    }
    try await work(shop) {
      if case .parked = try await delivery().state { true } else { false }
    }
    #expect(shop.clock.now - Shop.noon >= .days(29))
    #expect(try await delivery().attempts > 10)
    receiver.turn(.well)
    _ = try await shop.engine.redrive(delivery().id, in: "shop", by: "oscar")
    try await work(shop) { try await isDelivered(shop, order) }
    #expect(receiver.booked.count == 1)
  }

  @Test func `is tried again after at most 1 s, 5 s, 30 s, 2 min, 10 min … 12 h, by chance within`() async throws {
    let shop = try shop()
    let order = try await bought(shop)
    receiver.turn(.refusing(500, retryAfter: nil))
    let schedule: [TimeSpan] = [.seconds(1), .seconds(5), .seconds(30), .minutes(2), .minutes(10)]
    var before = Shop.noon
    for (index, delay) in schedule.enumerated() {
      try await work(shop) {
        try await shop.engine.readOrder(.id(order), in: [Shop.realm], of: nil).deliveries[0].attempts == index + 1
      }
      let delivery = try await shop.engine.readOrder(.id(order), in: [Shop.realm], of: nil).deliveries[0]
      #expect(delivery.nextAttemptAt >= before && delivery.nextAttemptAt <= shop.clock.now + delay)
      before = delivery.nextAttemptAt
    }
  }

  @Test func `is not tried before the moment that the receiver names`() async throws {
    let shop = try shop()
    let order = try await bought(shop)
    receiver.turn(.refusing(503, retryAfter: "3600"))
    try await work(shop) { receiver.arrivals.count == 1 }
    let next = try await shop.engine.readOrder(.id(order), in: [Shop.realm], of: nil).deliveries[0]
    #expect(next.nextAttemptAt >= Shop.noon + .hours(1))
  }

  @Test func `has an id made of what it tells: the same on every node and after a restore`() async throws {
    let first = try shop(), second = try shop()
    let ids = [
      try await first.engine.readOrder(.id(bought(first)), in: [Shop.realm], of: nil).deliveries[0].id,
      try await second.engine.readOrder(.id(bought(second)), in: [Shop.realm], of: nil).deliveries[0].id,
    ]
    #expect(ids[0] == ids[1] && ids[0].text.hasPrefix("dlv_") && ids[0].text.count == 56)
  }

  @Test func `of a refund waits until the grant has been acknowledged`() async throws {
    let shop = try shop()
    let order = try await bought(shop)
    shop.clock.advance(by: .hours(1))
    let now = shop.clock.now.milliseconds
    let refunded = shop.transaction("1001", token: order) {
      $0["purchaseDate"] = .integer(Shop.noon.milliseconds)
      $0["revocationDate"] = .integer(now)
    }
    let answer = try await shop.submit(refunded)
    #expect(answer.verdict == .revoked)
    #expect(try await shop.coins() == 0)
    let pulled = try await shop.engine.claimDeliveries(in: Shop.realm, upTo: 10, for: .minutes(1))
    #expect(pulled.map(\.kind) == [.created])
    _ = try await shop.engine.acknowledge(pulled[0].id, in: "shop")
    let next = try await shop.engine.claimDeliveries(in: Shop.realm, upTo: 10, for: .minutes(1))
    #expect(next.map(\.kind) == [.reversed] && next.map(\.sequence) == [2])
    #expect(try await shop.violations() == [])
  }

  @Test func `pulled on lease comes again when the lease ends, and ends with one acknowledgement`() async throws {
    let shop = try shop()
    let order = try await bought(shop)
    let first = try await shop.engine.claimDeliveries(in: Shop.realm, upTo: 10, for: .minutes(1))
    #expect(try await shop.engine.claimDeliveries(in: Shop.realm, upTo: 10, for: .minutes(1)) == [])
    shop.clock.advance(by: .minutes(2))
    let again = try await shop.engine.claimDeliveries(in: Shop.realm, upTo: 10, for: .minutes(1))
    #expect(again.map(\.id) == first.map(\.id))
    _ = try await shop.engine.acknowledge(first[0].id, in: "shop")
    _ = try await shop.engine.acknowledge(first[0].id, in: "shop")
    #expect(try await isDelivered(shop, order))
    await #expect(throws: Refusal<EngineErrorCode>(.deliveryUnknown)) {
      _ = try await shop.engine.acknowledge(first[0].id, in: "other")
    }
  }
}
