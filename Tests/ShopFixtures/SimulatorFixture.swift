package import AppStoreSimulator
package import HTTPMessages
package import PaymentPrimitives
package import SimulationKit
import SimulatorCore

/// A simulated world with one process: the one of the server under test. The stores may share it.
package struct SimulatorFixture: Sendable {
  package let world: SimulatedWorld
  package let process: SimulatedProcess

  package init(_ name: String = "server", seed: UInt64 = 1) {
    world = SimulatedWorld(seed: seed)
    process = SimulatedProcess(name, number: 1, in: world)
  }

  package var dependencies: Dependencies { process.dependencies() }

  /// Runs something in the process until it ends.
  package func perform<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    try world.perform(in: process, body)
  }
}

extension SimulatedAppStore {
  /// An App Store for production and sandbox, without an app.
  ///
  /// - Parameter exchange: where it sends notifications.
  package static func open(in dependencies: Dependencies, notifying exchange: HTTPExchange) async throws
    -> SimulatedAppStore
  {
    try await open(
      log: VolatileSimulatorLog().log, dependencies: dependencies, exchange: exchange,
      settings: SimulatorSettings(environment: .production))
  }

  /// Registers an app with its products, which cost 6 yuan each.
  package func stock(
    _ app: SimulatedApp, _ kinds: [(StoreProductIdentifier, SimulatedProduct.Kind)]
  ) async throws {
    try await catalog.setApp(app)
    for (id, kind) in kinds {
      try await catalog.setProduct(
        SimulatedProduct(id: id, kind: kind, price: StatedPrice(milliunits: 6000, currency: "CNY")),
        bundleId: app.bundleId)
    }
  }
}
