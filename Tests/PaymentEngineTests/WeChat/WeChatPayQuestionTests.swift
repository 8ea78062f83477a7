import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A query to WeChat Pay` {
  private static func close(_ fixture: WeChatPayEngineFixture, _ details: OrderDetails) async throws {
    _ = try await fixture.engine.closeOrder(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
  }

  private static func wait(_ fixture: WeChatPayEngineFixture, _ details: OrderDetails, span: TimeSpan) async throws {
    _ = try await fixture.engine.readOrder(
      .id(details.order.key.id), in: [EngineFixture.appEnvironment], of: "alice", waiting: span, until: .paid)
  }

  @Test func `answered with no such order closes nothing within five minutes: the order may appear later`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.closeUnknownNotFound, to: 1)
      try await fixture.weChatPay.control.plan(PlannedFault(.loseRequest, of: .prepay, count: nil))
      let details = try await fixture.order()
      try await Self.close(fixture, details)
      return details
    }
    fixture.world.run(for: .minutes(4))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.row(details)?.state == .closing(.customerGaveUp))
      #expect(try await fixture.state(of: details) == .awaitingPayment)
    }
    fixture.world.run(for: .minutes(20))
    try fixture.perform { fixture async throws in #expect(try await fixture.row(details)?.state == .closed) }
  }

  @Test func `answered with no such order leaves an open order alone: its payer may be paying`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.visibilityLagMilliseconds, to: 20 * 60_000)
      try await fixture.weChatPay.setBehaviour(.notifyNever, to: 1)
      return try await fixture.order()
    }
    fixture.world.run(for: .minutes(12))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.row(details)?.state == .prepared)
      try await fixture.visit(details)
    }
    fixture.world.run(for: .minutes(40))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is counted, so that the schedule's next one is later each time`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { try await $0.order() }
    fixture.world.run(for: .minutes(30))
    try fixture.perform { fixture async throws in
      let row = try #require(try await fixture.row(details))
      // After 5 s, 30 s, 1, 3, 5, 10 and 30 minutes.
      #expect((6...7).contains(row.questions))
    }
  }

  @Test func `is repeated at the earliest after two seconds`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      await fixture.weChatPay.forgetExchanges()
      let sleep = fixture.process.dependencies().sleep
      try await Self.wait(fixture, details, span: .milliseconds(400))
      try await Self.wait(fixture, details, span: .milliseconds(400))
      try await sleep(.milliseconds(1100))
      try await Self.wait(fixture, details, span: .milliseconds(50))
      #expect(await fixture.weChatPay.exchanges().count == 1)
      try await sleep(.milliseconds(200))
      try await Self.wait(fixture, details, span: .milliseconds(50))
      #expect(await fixture.weChatPay.exchanges().count == 2)
    }
  }

  @Test func `is repeated within the call of a client that is back, and grants then`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details, .payLater(.seconds(4), winsOverClose: false))
      let before = fixture.world.now
      let checked = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(checked.order.state.payment != nil)
      #expect(fixture.world.now - before == .seconds(5))
    }
  }
}
