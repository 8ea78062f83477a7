import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// One path through the server that may be killed at any step.
struct WeChatKillPath: Sendable, CustomTestStringConvertible {
  typealias Deed = @Sendable (KillableEngineFixture, PaymentEngine) async throws -> Void

  let name: String
  /// How long orders can be paid.
  var lifetime = TimeSpan.hours(2)
  /// The steps before, in a server that is never killed.
  var before: Deed = { _, _ in }
  /// How long no server runs after that, before the one that is killed.
  var away = TimeSpan.zero
  /// The faults planned at WeChat Pay.
  var faults: [PlannedFault] = []
  /// Whether WeChat Pay sends notifications.
  var notifies = true
  /// The steps of the server that is killed.
  var act: Deed = { _, _ in }
  /// Whether its background tasks run meanwhile, and how long the test watches at most.
  var works = false
  var span = TimeSpan.minutes(1)
  /// What people repeat, once a server runs again.
  var again: Deed = { _, _ in }
  /// Whether the background tasks of that server run.
  var worksAgain = true
  /// How long after that the state must be correct.
  var healing = TimeSpan.hours(4)
  /// Alice's coins at the end; nil if the kill decides what people did (then WeChat Pay's state counts).
  var coins: Int64?

  var testDescription: String { name }

  private static let buy: Deed = { shop, engine in try await shop.buy(engine) }
  /// A phone asks again while it has no payment parameters.
  private static let buyAgain: Deed = { shop, engine in
    for _ in 0..<3 {
      try await shop.buy(engine)
      try await shop.outside.dependencies.sleep(.seconds(5))
    }
  }
  private static let back: Deed = { shop, engine in
    _ = try await engine.checkWeChatPay(
      OrderName("N-1"), in: EngineFixture.appEnvironment, of: nil, for: shop.app)
  }
  private static let bought: Deed = { shop, engine in
    try await shop.buy(engine)
    try await shop.outside.dependencies.sleep(.seconds(1))
    try await back(shop, engine)
  }
  private static let refund: Deed = { shop, engine in
    _ = try await engine.refundOrder(
      OrderName("N-1"), in: EngineFixture.appEnvironment,
      RefundRequest(amount: 300, reason: "测试", idempotencyKey: "r-1", askedBy: "test"), for: shop.app)
  }
  private static let close: Deed = { shop, engine in
    _ = try await engine.closeOrder(
      OrderName("N-1"), in: EngineFixture.appEnvironment, of: nil, because: .customerGaveUp)
  }
  private static func visiting(_ action: CashierAction) -> Deed {
    { shop, engine in try await shop.buy(engine, action) }
  }
  private static func reconciling(_ shop: KillableEngineFixture, _ engine: PaymentEngine) async throws {
    _ = try await engine.reconcileWeChatPay(BeijingTime.day(SimulatedWorld.beginning), for: shop.app)
  }

  static let all: [WeChatKillPath] = [
    WeChatKillPath(
      name: "order, prepay, answer; the phone asks again, then its owner pays", act: buy, again: buyAgain, coins: 100),
    WeChatKillPath(
      name: "the same, and the answer to prepay is lost twice",
      faults: [PlannedFault(.loseAnswer, of: .prepay, count: 2)], act: buy, again: buyAgain, coins: 100),
    WeChatKillPath(
      name: "paid before the answer to prepay (S16)", faults: [PlannedFault(.payBeforeAnswer, of: .prepay)], act: buy,
      again: buyAgain),
    WeChatKillPath(name: "order, prepay, answer; and nobody comes back", act: visiting(.leave), coins: 0),
    WeChatKillPath(
      name: "I am back: asked, then granted", before: buy, notifies: false, act: back, span: .seconds(20), coins: 100),
    WeChatKillPath(
      name: "the schedule asks, then grants", before: buy, notifies: false, works: true, span: .minutes(2), coins: 100),
    WeChatKillPath(
      name: "notification, kept and granted at once, answered; repeated until it is",
      before: visiting(.payLater(.seconds(2), winsOverClose: false)), act: { _, _ in }, worksAgain: false,
      healing: .hours(30), coins: 100),
    WeChatKillPath(
      name: "the customer gives up: closed there, then here", before: visiting(.leave), act: close, works: true,
      again: close, coins: 0),
    WeChatKillPath(
      name: "the customer gives up and pays in the same moment (S17)",
      before: visiting(.payLater(.seconds(3), winsOverClose: true)), act: close, works: true, again: close, coins: 100),
    WeChatKillPath(
      name: "the time ends: closed there, then here", lifetime: .minutes(10), before: visiting(.leave),
      away: .minutes(9), works: true, span: .minutes(3), coins: 0),
    WeChatKillPath(
      name: "a refund, by its notification", before: bought, act: refund, works: true, again: refund, coins: 50),
    WeChatKillPath(
      name: "a refund, by question alone", before: bought, notifies: false, act: refund, works: true,
      span: .minutes(2), again: refund, coins: 50),
    WeChatKillPath(
      name: "a refund whose first answers are lost", before: bought,
      faults: [PlannedFault(.loseAnswer, of: .refund, count: 3)], act: refund, works: true, span: .minutes(2),
      again: refund, coins: 50),
    WeChatKillPath(
      name: "the bill alone tells of it", lifetime: .minutes(10), before: buy, away: .hours(36), notifies: false,
      act: reconciling, span: .minutes(1), coins: 100),
  ]
}
