import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit

/// A shop in a simulated world: its background tasks run, and the test moves time.
struct WorldEngineFixture: Sendable {
  private let simulator: SimulatorFixture
  let shop: EngineFixture

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }

  init(
    seed: UInt64 = 1, _ change: (inout AppPolicy) -> Void = { _ in },
    exchange: HTTPExchange = .unreachable, limits: EngineLimits = EngineLimits(), log: @escaping Log = { _ in }
  ) throws {
    simulator = SimulatorFixture(seed: seed)
    shop = try EngineFixture(change, exchange: exchange, limits: limits, log: log, in: simulator.process)
  }

  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (EngineFixture) async throws -> Value
  ) throws -> Value {
    let shop = shop
    return try simulator.perform { try await body(shop) }
  }

  func startBackgroundTasks() {
    let engine = shop.engine
    process.spawn { await engine.run() }
  }
}
