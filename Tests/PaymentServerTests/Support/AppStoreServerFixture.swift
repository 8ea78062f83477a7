import PaymentPrimitives
import ShopFixtures
import SimulationKit

/// A server's process in a simulated world: time passes when no task has anything to do.
struct AppStoreServerFixture: Sendable {
  private let simulator: SimulatorFixture

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }

  init(seed: UInt64 = 1) { simulator = SimulatorFixture(seed: seed) }

  /// Runs something in the world until it ends.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Dependencies) async throws -> Value
  ) throws -> Value {
    let dependencies = simulator.dependencies
    return try simulator.perform { try await body(dependencies) }
  }

  /// A server in that world.
  func open(_ change: @escaping @Sendable (inout ServerFixture.Changes) -> Void = { _ in }) throws -> ServerFixture {
    try perform { dependencies in
      try await ServerFixture.open {
        $0.dependencies = dependencies
        change(&$0)
      }
    }
  }
}
