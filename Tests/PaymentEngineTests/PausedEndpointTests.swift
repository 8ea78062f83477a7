import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `An endpoint that an operator paused` {
  private let receiver = Receiver()

  private func fixture(_ types: Set<EventType> = []) throws -> WorldEngineFixture {
    try WorldEngineFixture(
      { app in
        var endpoint = DeliveryEndpoint(
          name: "backend", url: "https://backend.example/hook", environments: [.simulated],
          secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
        endpoint.types = types
        app.endpoints = [endpoint]
      }, exchange: receiver.exchange)
  }

  @Test func `is one of the configuration, of that app`() throws {
    let fixture = try fixture()
    try fixture.perform { shop in
      for (name, app) in [("other", "shop"), ("backend", "other")] as [(String, AppIdentifier)] {
        await #expect(throws: CodedError<EngineErrorCode>.self) {
          try await shop.engine.pauseEndpoint(name, of: app, by: "oscar", reason: "tests")
        }
        await #expect(throws: CodedError<EngineErrorCode>.self) {
          try await shop.engine.resumeEndpoint(name, of: app)
        }
      }
    }
  }

  @Test(arguments: [[], [EventType.purchaseCompleted]] as [Set<EventType>])
  func `gets nothing however long it lasts, and everything in its order once it is resumed`(
    types: Set<EventType>
  ) throws {
    let fixture = try fixture(types)
    fixture.startBackgroundTasks()
    fixture.world.run(for: .seconds(1))
    try fixture.perform { shop in
      try await shop.engine.pauseEndpoint("backend", of: "shop", by: "oscar", reason: "they move house")
      try await shop.engine.pauseEndpoint("backend", of: "shop", by: "anna", reason: "again")
      let order = try await shop.order()
      _ = try await shop.submit(shop.transaction("1001", token: order))
    }
    fixture.world.run(for: .hours(3))
    #expect(receiver.arrivals.isEmpty)
    try fixture.perform { shop in
      let standing = try #require(try await shop.engine.endpoints(of: shop.app).first)
      #expect(standing.pause?.by == "oscar" && standing.pause?.reason == "they move house")
      #expect(standing.backlogs.map(\.backlog.pending) == [1] && standing.failing.isEmpty)
      try await shop.engine.resumeEndpoint("backend", of: "shop")
    }
    fixture.world.run(for: .minutes(2))
    #expect(receiver.booked.count == (types.isEmpty ? 1 : 2))
    try fixture.perform { shop in
      let standing = try #require(try await shop.engine.endpoints(of: shop.app).first)
      #expect(standing.pause == nil && standing.backlogs.map(\.backlog.pending) == [0])
    }
  }
}
