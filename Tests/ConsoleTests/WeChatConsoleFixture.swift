import Console
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import WeChatPaySimulator

/// A console over a shop that sells through WeChat Pay, with a WeChat Pay beside it, in a simulated world.
final class WeChatConsoleFixture: Sendable {
  private let simulator: SimulatorFixture
  let weChatPay: SimulatedWeChatPay
  let fixture: ConsoleFixture

  var shop: EngineFixture { fixture.shop }
  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }

  init(seed: UInt64 = 1, approvals: ApprovalRules? = nil) throws {
    simulator = SimulatorFixture(seed: seed)
    let dependencies = simulator.dependencies
    let route = NotificationRoute(from: .weChatPay)
    let (weChatPay, access) = try simulator.perform {
      let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: route.exchange)
      return (weChatPay, try await TestMerchant().access(to: weChatPay))
    }
    var app = AppSettings(
      id: "shop", home: .simulated, identity: EngineFixture.identity, catalog: try Catalog(TestCatalog.weChatPay))
    app.weChatPay = access
    var setup = EngineFixture.Setup()
    (setup.dependencies, setup.anywhere) = (dependencies, weChatPay.api.network)
    let shop = try EngineFixture(serving: [app], setup)
    route.open(to: shop.engine)
    self.weChatPay = weChatPay
    fixture = ConsoleFixture(over: shop, approvals: approvals)
  }

  /// Runs something in the shop's process.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (WeChatConsoleFixture) async throws -> Value
  ) throws -> Value {
    try simulator.perform { try await body(self) }
  }

  /// A payment of 600 fen for each piece that alice bought.
  func paid(quantity: Int = 1) async throws -> PaymentKey {
    var request = OrderRequest(user: "alice", product: "coins.100", quantity: quantity, store: .weChatPay)
    request.platform = "android"
    let order = try await shop.engine.createOrder(request, for: shop.app, by: .user("alice")).order
    guard let visit = try order.handOff.map(CashierVisit.init(handedOver:)) else { throw NotPaid() }
    _ = try await weChatPay.cashier.visit(visit, openid: "o-alice", .pay)
    _ = try await shop.engine.askStoreNow(about: order.order.key)
    let story = try await shop.engine.tellOrder(.id(order.order.key.id), in: shop.app.userEnvironments)
    guard let payment = story.details.payment else { throw NotPaid() }
    return payment.key
  }

  struct NotPaid: Error {}
}
