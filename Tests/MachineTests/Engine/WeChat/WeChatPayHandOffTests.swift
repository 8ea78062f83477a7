import WeChatPayIntegration
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SimulationKit
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A repeated hand-off of an order to WeChat` {
  @discardableResult
  private static func prepare(_ town: WeChatPayEngineFixture, _ story: OrderStory) async throws -> OrderStory {
    try await town.engine.prepareWeChatPay(
      .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
  }

  private static func forbid(_ town: WeChatPayEngineFixture) async throws {
    var merchant = try #require(await town.weChatPay.merchants().first)
    merchant.appids = []
    try await town.weChatPay.setMerchant(merchant)
  }

  @Test func `that WeChat Pay refuses leaves the earlier one open: its payer may be paying`() throws {
    let town = try WeChatPayEngineFixture { $0.orderLifetime = .hours(6) }
    let story = try town.perform { try await $0.order() }
    town.world.run(for: .minutes(111))
    try town.perform { town async throws in
      try await Self.forbid(town)
      let refusal = await #expect(throws: CodedError<EngineErrorCode>.self) { try await Self.prepare(town, story) }
      #expect(refusal?.code == .weChatPayPrepayRefused)
      #expect(try await town.row(story)?.state == .prepared)
      #expect(try await town.state(of: story) == .awaitingPayment)
    }
  }

  @Test func `does not happen once the order is closing, so that no payment begins`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order()
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .close, count: nil))
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .query, count: nil))
      _ = try await town.engine.closeOrder(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
      #expect(try await town.row(story)?.state == .closing(.customerGaveUp))
      #expect(try await Self.prepare(town, story).handOff == nil)
    }
  }

  @Test func `that WeChat Pay refuses after an unknown outcome closes the order there first`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.loseAnswer, of: .prepay, count: 2))
      let story = try await town.order()
      #expect(try await town.row(story)?.state == .unknown)
      try await Self.forbid(town)
      await #expect(throws: CodedError<EngineErrorCode>.self) { try await Self.prepare(town, story) }
      #expect(try await town.row(story)?.state == .closing(.prepayRefused))
      #expect(try await town.state(of: story) == .awaitingPayment)
    }
  }

  @Test func `of a paid order, still unpaid here, grants it instead`() throws {
    let town = try WeChatPayEngineFixture { $0.orderLifetime = .hours(6) }
    let story = try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story)
      return story
    }
    town.world.run(for: .minutes(111))
    try town.perform { town async throws in
      let present = try await Self.prepare(town, story)
      #expect(present.order.state.payment != nil)
      #expect(present.handOff == nil)
      #expect(try await town.coins() == 100)
    }
  }

  @Test func `in a browser returns the same link for four minutes, then a new one`() throws {
    let town = try WeChatPayEngineFixture()
    let story = try town.perform { town async throws in
      let story = try await town.order("coins.100") {
        $0.tradeType = "H5"
        $0.payerAddress = "203.0.113.9"
      }
      await town.weChatPay.forgetExchanges()
      return story
    }
    town.world.run(for: .minutes(3))
    try town.perform { town async throws in
      #expect(try await Self.prepare(town, story).handOff == story.handOff)
      #expect(await town.weChatPay.exchanges().isEmpty)
    }
    town.world.run(for: .minutes(2))
    try town.perform { town async throws in
      try await Self.prepare(town, story)
      #expect(await town.weChatPay.exchanges().count == 1)
    }
  }

  @Test func `is not needed for a refund that WeChat Pay refuses permanently: it has failed, with the reason`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story)
      _ = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      var merchant = try #require(await town.weChatPay.merchants().first)
      merchant.mayRefund = false
      try await town.weChatPay.setMerchant(merchant)
      let refund = try await town.engine.refundOrder(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "r", askedBy: "test"), for: town.app)
      #expect(refund.state.name == "failed")
      #expect(refund.nextQuestionAt == nil)
      #expect(try await town.coins() == 100)
    }
  }

  @Test func `does not replace a missing bill: a day without bill counts only after ten in the morning`() throws {
    let town = try WeChatPayEngineFixture()
    let day = BeijingTime.day(town.now())
    // It is 20:00 in Beijing.
    town.world.run(for: .hours(10))
    let early = try town.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .later = early else {
      Issue.record("\(early)")
      return
    }
    town.world.run(for: .hours(5))
    let late = try town.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared = late else {
      Issue.record("\(late)")
      return
    }
  }
}
