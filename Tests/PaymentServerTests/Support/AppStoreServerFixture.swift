import PaymentPrimitives
import SimulationKit

/// A server's process in a simulated world: time passes when no task has anything to do.
struct AppStoreServerFixture: Sendable {
  let world: SimulatedWorld
  let process: SimulatedProcess

  init(seed: UInt64 = 1) {
    world = SimulatedWorld(seed: seed)
    process = SimulatedProcess("server", number: 1, in: world)
  }

  /// Runs something in the world until it ends.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Dependencies) async throws -> Value
  ) throws -> Value {
    let dependencies = process.dependencies()
    return try world.perform(in: process) { try await body(dependencies) }
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
