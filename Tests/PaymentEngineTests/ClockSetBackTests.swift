import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Synchronization
import Testing

/// How far a server's clock is ahead, until it is corrected.
private final class WrongClock: Sendable {
  private let state = Mutex(TimeSpan.zero)
  var ahead: TimeSpan { state.withLock { $0 } }
  func stand(ahead span: TimeSpan) { state.withLock { $0 = span } }
}

@Suite struct `When the clock is set back` {
  private let receiver = Receiver()
  private let world = SimulatedWorld(seed: 7)
  private let clock = WrongClock()
  private let storage = InMemoryStorage.simulated()

  private func server(_ number: Int) throws -> (SimulatedProcess, EngineFixture) {
    let (clock, process) = (clock, SimulatedProcess("server \(number)", number: number, in: world))
    let shop = try EngineFixture(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example/hook", environments: [.simulated],
            secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        ]
      }, exchange: receiver.exchange, storage: storage, in: process, clockAhead: { clock.ahead })
    return (process, shop)
  }

  private func buy(_ id: String, _ shop: EngineFixture, in process: SimulatedProcess) throws {
    try world.perform(in: process) {
      let order = try await shop.order()
      #expect(try await shop.submit(shop.transaction(id, token: order)).verdict == .fulfilled)
    }
  }

  private func start(_ shop: EngineFixture, in process: SimulatedProcess) { process.spawn { await shop.engine.run() } }

  @Test(arguments: [TimeSpan.minutes(1), .hours(3), .days(400)])
  func `deliveries made or tried while it was ahead leave within 20 s of the correction`(ahead: TimeSpan) throws {
    let (process, shop) = try server(1)
    clock.stand(ahead: ahead)
    start(shop, in: process)
    receiver.turn(.refusing(503, retryAfter: nil))
    for id in 1...10 { try buy("\(id)", shop, in: process) }
    // Long enough that each waits some minutes, and the receiver is paused.
    world.run(for: .minutes(8))
    try buy("11", shop, in: process)
    #expect(receiver.booked.isEmpty)
    receiver.turn(.well)
    clock.stand(ahead: .zero)
    world.run(for: .seconds(20))
    #expect(receiver.booked.count == 11)
    #expect(shop.engine.metrics.value(.clockSetBackTotal) == 1)
    world.run(for: .minutes(5))
    #expect(shop.engine.metrics.value(.clockSetBackTotal) == 1)
  }

  @Test func `a change that was stopped while it was ahead is tried within 20 s of the correction`() throws {
    clock.stand(ahead: .hours(3))
    let (process, shop) = try server(1)
    start(shop, in: process)
    try world.perform(in: process) { () async throws in
      let order = try await shop.buyCoins("1")
      try await shop.giveGrant(of: "1", to: "mallory")
      try await shop.refund("1", of: order)
      try await shop.giveGrant(of: "1", to: "alice")
      let stopped = try await shop.stopped()
      #expect(stopped.count == 1)
    }
    world.run(for: .minutes(1))
    clock.stand(ahead: .zero)
    world.run(for: .seconds(20))
    try world.perform(in: process) { () async throws in
      let (stopped, coins) = (try await shop.stopped(), try await shop.coins())
      #expect(stopped == [] && coins == 0)
    }
  }

  /// - Parameter isWritten: whether the first event after the correction is a write.
  @Test(arguments: [true, false])
  func `and the server is restarted, earlier deliveries leave at once`(isWritten: Bool) throws {
    clock.stand(ahead: .days(2))
    let (process, shop) = try server(1)
    receiver.turn(.refusing(503, retryAfter: "3600"))
    start(shop, in: process)
    try buy("1", shop, in: process)
    world.run(for: .seconds(2))
    #expect(!receiver.arrivals.isEmpty && receiver.booked.isEmpty)
    // This server runs no background tasks: as if the process is killed right after the purchase.
    let (other, second) = try server(2)
    try buy("2", second, in: other)
    process.kill()
    clock.stand(ahead: .zero)
    receiver.turn(.well)
    let (later, third) = try server(3)
    if isWritten { try buy("3", third, in: later) }
    start(third, in: later)
    world.run(for: .seconds(20))
    #expect(receiver.booked.count == (isWritten ? 3 : 2))
  }

  @Test func `by a little, nothing happens, and a jump ahead does not count as a setback`() throws {
    let (process, shop) = try server(1)
    start(shop, in: process)
    receiver.turn(.refusing(503, retryAfter: "60"))
    clock.stand(ahead: .seconds(4))
    try buy("1", shop, in: process)
    world.run(for: .seconds(1))
    let arrivals = receiver.arrivals.count
    clock.stand(ahead: .zero)
    world.run(for: .seconds(40))
    #expect(receiver.arrivals.count == arrivals)
    clock.stand(ahead: .hours(1))
    world.run(for: .minutes(1))
    #expect(shop.engine.metrics.value(.clockSetBackTotal) == 0)
  }
}
