import WeChatPayIntegration
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SimulationKit
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A query to WeChat Pay` {
  private static func close(_ town: WeChatPayEngineFixture, _ story: OrderStory) async throws {
    _ = try await town.engine.closeOrder(
      .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
  }

  private static func wait(_ town: WeChatPayEngineFixture, _ story: OrderStory, _ span: TimeSpan) async throws {
    _ = try await town.engine.readOrder(
      .id(story.order.key.id), in: [WeChatPayEngineFixture.appEnvironment], of: "alice", waiting: span, until: .paid)
  }

  @Test func `answered with no such order closes nothing within five minutes: the order may appear later`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.closeUnknownNotFound, to: 1)
      try await town.weChatPay.plan(PlannedFault(.loseRequest, of: .prepay, count: nil))
      let story = try await town.order()
      try await Self.close(town, story)
      return story
    }
    town.world.run(for: .minutes(4))
    try town.perform { town async throws in
      #expect(try await town.row(story)?.state == .closing(.customerGaveUp))
      #expect(try await town.state(of: story) == .awaitingPayment)
    }
    town.world.run(for: .minutes(20))
    try town.perform { town async throws in #expect(try await town.row(story)?.state == .closed) }
  }

  @Test func `answered with no such order leaves an open order alone: its payer may be paying`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.visibilityLagMilliseconds, to: 20 * 60_000)
      try await town.weChatPay.setKnob(.notifyNever, to: 1)
      return try await town.order()
    }
    town.world.run(for: .minutes(12))
    try town.perform { town async throws in
      #expect(try await town.row(story)?.state == .prepared)
      try await town.visit(story)
    }
    town.world.run(for: .minutes(40))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is counted, so that the schedule's next one is later each time`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { try await $0.order() }
    town.world.run(for: .minutes(30))
    try town.perform { town async throws in
      let row = try #require(try await town.row(story))
      // After 5 s, 30 s, 1, 3, 5, 10 and 30 minutes.
      #expect((6...7).contains(row.questions))
    }
  }

  @Test func `is repeated at the earliest after two seconds`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order()
      await town.weChatPay.forgetExchanges()
      let sleep = town.process.dependencies().sleep
      try await Self.wait(town, story, .milliseconds(400))
      try await Self.wait(town, story, .milliseconds(400))
      try await sleep(.milliseconds(1100))
      try await Self.wait(town, story, .milliseconds(50))
      #expect(await town.weChatPay.exchanges().count == 1)
      try await sleep(.milliseconds(200))
      try await Self.wait(town, story, .milliseconds(50))
      #expect(await town.weChatPay.exchanges().count == 2)
    }
  }

  @Test func `is repeated within the call of a client that is back, and grants then`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story, .payLater(.seconds(4), winsOverClose: false))
      let before = town.world.now
      let checked = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(checked.order.state.payment != nil)
      #expect(town.world.now - before == .seconds(5))
    }
  }
}
