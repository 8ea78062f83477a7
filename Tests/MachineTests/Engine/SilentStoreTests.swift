import WeChatPayIntegration
import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import Testing
import WeChatPaySimulator

@Suite struct `While a store is silent, an order` {
  private static func verdict(_ town: AppStoreEngineFixture, _ order: OrderIdentifier) async throws -> LastVerdict? {
    let key = OrderKey(appEnvironment: AppStoreEngineFixture.appEnvironment, id: order)
    return try await town.store.read { try $0.order(key) }?.lastVerdict
  }

  @Test func `shows pending for a receipt until Apple answers, and then Apple's answer`() throws {
    let town = try AppStoreEngineFixture()
    let order = try town.perform { town async throws in
      let order = try await town.order()
      let other = try await town.order("premium", of: "bob")
      _ = try await town.buy()
      try await town.apple.plan(PlannedAPIFault(.loseRequest, count: nil))
      let answers = try await town.submit(
        town.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order, other])
      #expect(answers.map(\.verdict) == [.pending])
      let shown = try await Self.verdict(town, order)
      #expect(shown?.verdict == .pending && shown?.reason == "askingApple")
      #expect(try await Self.verdict(town, other) == nil)
      try await town.apple.forgetAPIFaults()
      return order
    }
    town.startStandingWork()
    town.world.run(for: .hours(2))
    try town.perform { town async throws in
      #expect(try await Self.verdict(town, order)?.verdict == .fulfilled)
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `shows pending for an old signature, by its token, and no verdict once the payment is another's`() throws {
    let town = try AppStoreEngineFixture()
    let (order, evidence) = try town.perform { town async throws in
      let order = try await town.order("premium")
      // Its token names an order for another product, so that order stays unpaid.
      let id = try await town.buy(token: order)
      return (order, try await town.apple.signedTransaction(id).signedTransaction)
    }
    town.world.run(for: .hours(30))
    try town.perform { town async throws in
      try await town.apple.plan(PlannedAPIFault(.loseRequest, count: nil))
      #expect(try await town.submit(evidence).map(\.verdict) == [.pending])
      #expect(try await Self.verdict(town, order)?.verdict == .pending)
      try await town.apple.forgetAPIFaults()
    }
    town.startStandingWork()
    town.world.run(for: .hours(2))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      #expect(try await Self.verdict(town, order) == nil)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `at WeChat Pay shows pending until it is answered`() throws {
    let town = try WeChatPayEngineFixture()
    let story = try town.perform { town async throws in
      let story = try await town.order()
      try await town.weChatPay.plan(PlannedFault(.loseAnswer, of: .query, count: nil))
      let silent = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(silent.order.lastVerdict?.verdict == .pending)
      #expect(silent.order.lastVerdict?.reason == "askingWeChatPay")
      try await town.weChatPay.forgetFaults()
      return story
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      let unpaid = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(unpaid.order.lastVerdict == nil)
    }
  }
}
