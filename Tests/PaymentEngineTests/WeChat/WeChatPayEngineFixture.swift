import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SigningAuthorities
import SimulationKit
import SimulatorCore
import StrictJSON
import TestDoubles
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A shop that sells through WeChat Pay, and a WeChat Pay beside it, in a simulated world: the test moves time, and
/// notifications arrive.
final class WeChatPayEngineFixture: ShopUnderTest {
  private let simulator: SimulatorFixture
  private let shop: EngineFixture
  let access: WeChatPayAccess
  let weChatPay: SimulatedWeChatPay
  let eventLog: EventLog

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }
  var storage: InMemoryStorage { shop.storage }
  var engine: PaymentEngine { shop.engine }
  var app: AppPolicy { shop.app }
  var now: @Sendable () -> Timestamp { shop.now }

  init(
    seed: UInt64 = 1, limits: EngineLimits = EngineLimits(), platformKey: TestMerchant.PlatformKeys = .publicKey,
    events: Bool = false, _ change: (inout WeChatPayAccess) -> Void = { _ in }
  ) throws {
    simulator = SimulatorFixture(seed: seed)
    let dependencies = simulator.dependencies
    let route = NotificationRoute(from: .weChatPay)
    let (weChatPay, known) = try simulator.perform {
      let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: route.exchange)
      return (weChatPay, try await TestMerchant().access(to: weChatPay, knowing: platformKey))
    }
    var access = known
    change(&access)
    eventLog = EventLog()
    var setup = EngineFixture.Setup()
    (setup.dependencies, setup.anywhere, setup.limits) = (dependencies, weChatPay.api.network, limits)
    setup.log = eventLog.log
    var settings = try Self.settings(access)
    settings.policy.events = events
    shop = try EngineFixture(serving: [settings], setup)
    route.open(to: shop.engine)
    self.access = access
    self.weChatPay = weChatPay
  }

  /// The app's settings with this access to WeChat Pay.
  static func settings(_ access: WeChatPayAccess) throws -> AppSettings {
    var app = AppSettings(
      id: "shop", home: .simulated, identity: EngineFixture.identity, catalog: try Catalog(TestCatalog.weChatPay))
    app.weChatPay = access
    return app
  }

  /// Runs something in the shop's process.
  func perform<Value: Sendable>(_ body: @escaping @Sendable (WeChatPayEngineFixture) async throws -> Value) throws
    -> Value
  {
    try simulator.perform { try await body(self) }
  }

  /// Starts the shop's background tasks.
  func startBackgroundTasks() { process.spawn { [engine] in await engine.run() } }

  /// Starts WeChat Pay's notifications.
  func startNotifications() { process.spawn { [weChatPay] in await NotificationSender(weChatPay).run() } }

  // MARK: actions of people

  /// A user orders.
  func order(
    _ product: ProductIdentifier = "coins.100", of user: UserIdentifier = "alice", quantity: Int = 1,
    _ change: (inout OrderRequest) -> Void = { _ in }
  ) async throws -> OrderDetails {
    var request = OrderRequest(user: user, product: product, quantity: quantity, store: .weChatPay)
    request.platform = "android"
    change(&request)
    return try await engine.createOrder(request, for: app, by: .user(user)).order
  }

  /// Opens WeChat with the app's parameters, and the payer does something there.
  @discardableResult
  func visit(
    _ details: OrderDetails, _ action: CashierAction = .pay, openid: String = "o-alice"
  ) async throws -> CashierResult {
    guard let visit = try details.handOff.map(CashierVisit.init(handedOver:)) else { throw NothingHandedOver() }
    return try await weChatPay.cashier.visit(visit, openid: openid, action)
  }

  struct NothingHandedOver: Error {}

  // MARK: what tests see

  func state(of details: OrderDetails) async throws -> OrderState { try await read(details).order.state }

  func read(_ details: OrderDetails) async throws -> OrderDetails {
    try await engine.readOrder(.id(details.order.key.id), in: [EngineFixture.appEnvironment], of: nil)
  }

  func row(_ details: OrderDetails) async throws -> WeChatPayOrder? {
    let key = details.order.key
    return try await database.read { try $0.weChatPayOrder(key) }
  }

  func truth(of details: OrderDetails) async -> TradeState? {
    await weChatPay.order(.init(mchid: TestMerchant.mchid, outTradeNo: details.order.key.id.outTradeNo))?.state
  }
}

extension WeChatPayEngineFixture {
  /// Refunds an order in the merchant platform: with the merchant's keys, without the shop.
  ///
  /// - Parameter shop: the app that is notified; by default none.
  func refundElsewhere(_ details: OrderDetails, number: String, notifying shop: AppPolicy? = nil) async throws {
    let notified = shop.map { access.notifyURL(of: $0.id) } ?? "https://elsewhere.example.com/none"
    let refund = RefundOrder(
      charge: .outTradeNo(details.order.key.id.outTradeNo), outRefundNo: number, notifyURL: notified, refund: 600,
      total: 600)
    let request = try WeChatPayCall<RefundFacts>.refund(refund).request(
      by: access.merchant, to: access.hosts[0], platformKey: access.platformKeys.preferred(at: now())?.identifier,
      at: now(), nonce: Nonce.text(randomBytes: Array(repeating: 5, count: 32)))
    let answer = try await weChatPay.api.network.send(request, .seconds(10))
    guard answer.status == 200 else { throw NothingHandedOver() }
  }
}
