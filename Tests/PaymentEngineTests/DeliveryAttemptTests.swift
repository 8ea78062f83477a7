import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A delivery that fails` {
  private let receiver = Receiver()
  private let fixture: WorldEngineFixture

  init() throws {
    fixture = try WorldEngineFixture(
      { app in
        app.endpoints = [
          DeliveryEndpoint(
            name: "backend", url: "https://backend.example/hook", environments: [.simulated],
            secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        ]
      }, exchange: receiver.exchange, limits: EngineLimits())
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

  @Test func `keeps each failed attempt with the beginning of its answer, and none that succeeds`() throws {
    let order = try bought()
    let delivery = try #require(try deliveries(of: order).first)
    receiver.turn(.refusing(503, retryAfter: nil))
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(5))
    func attempts() throws -> [DeliveryAttempt] {
      try fixture.perform { shop in try await shop.engine.attempts(of: delivery) }
    }
    let failed = try attempts()
    #expect(failed.count >= 2 && failed.map(\.number) == Array(1...failed.count))
    #expect(failed.allSatisfy { $0.status == 503 && $0.endpoint == "backend" && $0.problem == "HTTP status 503" })
    #expect(failed.allSatisfy { $0.answer == Array(repeating: 0x41, count: 256) })
    receiver.turn(.well)
    fixture.world.run(for: .days(1))
    #expect(try deliveries(of: order).first?.state != .pending)
    #expect(try deliveries(of: order).first?.lastProblem == nil)
    let after = try attempts()
    #expect(after.allSatisfy { $0.status == 503 } && after.starts(with: failed))
  }
}
