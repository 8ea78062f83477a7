import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import SimulationKit

/// A shop in a simulated world: its background tasks run, and the test moves time.
struct WorldEngineFixture: Sendable {
  let world: SimulatedWorld
  let process: SimulatedProcess
  let shop: EngineFixture

  init(
    seed: UInt64 = 1, _ change: (inout AppPolicy) -> Void = { _ in },
    exchange: HTTPExchange = .unreachable, limits: EngineLimits = EngineLimits(), log: @escaping Log = { _ in }
  ) throws {
    world = SimulatedWorld(seed: seed)
    process = SimulatedProcess("server", number: 1, in: world)
    shop = try EngineFixture(change, exchange: exchange, limits: limits, log: log, in: process)
  }

  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (EngineFixture) async throws -> Value
  ) throws -> Value {
    let shop = shop
    return try world.perform(in: process) { try await body(shop) }
  }

  func startBackgroundTasks() {
    let engine = shop.engine
    process.spawn { await engine.run() }
  }
}
