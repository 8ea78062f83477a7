import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPaySimulator

@Suite struct `While a store is silent, an order` {
  private static func verdict(_ fixture: AppStoreEngineFixture, _ order: OrderIdentifier) async throws -> LastVerdict? {
    let key = OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order)
    return try await fixture.database.read { try $0.order(key) }?.lastVerdict
  }

  @Test func `shows pending for a receipt until Apple answers, and then Apple's answer`() throws {
    let fixture = try AppStoreEngineFixture()
    let order = try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let other = try await fixture.order("premium", of: "bob")
      _ = try await fixture.buy()
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, count: nil))
      let answers = try await fixture.submit(
        fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order, other])
      #expect(answers.map(\.verdict) == [.pending])
      let shown = try await Self.verdict(fixture, order)
      #expect(shown?.verdict == .pending && shown?.reason == "askingApple")
      #expect(try await Self.verdict(fixture, other) == nil)
      try await fixture.apple.apiSettings.forgetFaults()
      return order
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      #expect(try await Self.verdict(fixture, order)?.verdict == .fulfilled)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `shows pending for an old signature, by its token, and no verdict once the payment is another's`() throws {
    let fixture = try AppStoreEngineFixture()
    let (order, evidence) = try fixture.perform { fixture async throws in
      let order = try await fixture.order("premium")
      // Its token names an order for another product, so that order stays unpaid.
      let id = try await fixture.buy(token: order)
      return (order, try await fixture.apple.signedTransaction(id).signedTransaction)
    }
    fixture.world.run(for: .hours(30))
    try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, count: nil))
      #expect(try await fixture.submit(evidence).map(\.verdict) == [.pending])
      #expect(try await Self.verdict(fixture, order)?.verdict == .pending)
      try await fixture.apple.apiSettings.forgetFaults()
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await Self.verdict(fixture, order) == nil)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `at WeChat Pay shows pending until it is answered`() throws {
    let fixture = try WeChatPayEngineFixture()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.weChatPay.control.plan(PlannedFault(.loseAnswer, of: .query, count: nil))
      let silent = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(silent.order.lastVerdict?.verdict == .pending)
      #expect(silent.order.lastVerdict?.reason == "askingWeChatPay")
      try await fixture.weChatPay.control.forgetFaults()
      return details
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      let unpaid = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(unpaid.order.lastVerdict == nil)
    }
  }
}
