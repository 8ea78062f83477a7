import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import SimulatorCore
import WeChatPayIntegration
import WeChatPaySimulator

/// A shop that sells through both stores, with both of them simulated beside it: the App Store in three countries, each
/// with a currency of its own.
final class TwoStoreFixture: ShopUnderTest {
  static let china = owner("alice@example.com")
  static let japan = owner("kenji@example.com")
  static let america = owner("joe@example.com")

  private let simulator: SimulatorFixture
  private let shop: EngineFixture
  let apple: SimulatedAppStore
  let weChatPay: SimulatedWeChatPay

  var world: SimulatedWorld { simulator.world }
  var storage: InMemoryStorage { shop.storage }
  var engine: PaymentEngine { shop.engine }
  var app: AppPolicy { shop.app }
  var now: @Sendable () -> Timestamp { shop.now }

  init() throws {
    simulator = SimulatorFixture()
    let dependencies = simulator.dependencies
    let (appleRoute, weChatRoute) = (NotificationRoute(from: .appStore), NotificationRoute(from: .weChatPay))
    let (apple, weChatPay, account) = try simulator.perform {
      let apple = try await SimulatedAppStore.open(in: dependencies, notifying: appleRoute.exchange)
      try await Self.stock(apple)
      let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: weChatRoute.exchange)
      return (apple, weChatPay, try await TestMerchant().access(to: weChatPay))
    }
    (self.apple, self.weChatPay) = (apple, weChatPay)
    var policy = AppPolicy(
      id: "shop", home: .simulated,
      catalog: try Catalog(TestCatalog.weChatPay + [TestCatalog.coins1000, TestCatalog.monthly]))
    policy.commissionPercent = 15
    var access = AppStoreAccess(identity: EngineFixture.identity)
    access.server = try apple.access(of: EngineFixture.identity.bundleId)
    var setup = EngineFixture.Setup()
    setup.dependencies = dependencies
    // A comparison each half hour would be most of the work of a simulated month.
    setup.limits.reconciliationInterval = .hours(2)
    setup.verifier = try apple.verifier()
    setup.outside = Self.both(apple.serverAPI.network, weChatPay.api.network)
    shop = try EngineFixture(
      serving: [AppSettings(policy, appStore: access, weChatPay: account)], setup)
    appleRoute.open(to: shop.engine)
    weChatRoute.open(to: shop.engine)
  }

  private static func owner(_ account: AppleAccountIdentifier) -> AppOwner {
    AppOwner(account: account, bundleId: EngineFixture.identity.bundleId)
  }

  /// The servers of both stores, told apart by their addresses.
  private static func both(_ apple: HTTPExchange, _ weChatPay: HTTPExchange) -> HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in
      try await (request.target.contains("//wechat.") ? weChatPay : apple).send(request, limit)
    }
  }

  private static func stock(_ apple: SimulatedAppStore) async throws {
    let bundleId = EngineFixture.identity.bundleId
    try await apple.catalog.setApp(
      SimulatedApp(
        bundleId: bundleId, appAppleId: 1234, notificationURL: "https://pay.example.com/notifications/app-store"))
    let products: [SimulatedProduct] = [
      SimulatedProduct(
        id: "com.example.coins100", kind: .consumable, price: StatedPrice(milliunits: 6000, currency: "CNY")),
      // Yen have no smaller unit.
      SimulatedProduct(
        id: "com.example.coins1000", kind: .consumable, price: StatedPrice(milliunits: 120_000, currency: "JPY")),
      SimulatedProduct(
        id: "com.example.monthly", kind: .autoRenewable(group: "21752814", period: .week),
        price: StatedPrice(milliunits: 4990, currency: "USD")),
    ]
    for product in products { try await apple.catalog.setProduct(product, bundleId: bundleId) }
    for (owner, country) in [(china, "CHN"), (japan, "JPN"), (america, "USA")] {
      try await apple.catalog.setAccount(
        SimulatedAppleAccount(
          id: owner.account, storefront: Storefront(country: country) ?? .china, environment: .production))
    }
  }

  /// Starts the shop's background tasks, the notifications of both stores, and the renewals at the App Store.
  func start() {
    simulator.process.spawn { [engine] in await engine.run() }
    simulator.process.spawn { [apple] in await NotificationSender(apple).run() }
    simulator.process.spawn { [weChatPay] in await NotificationSender(weChatPay).run() }
    simulator.process.spawn { [apple] in await SubscriptionCalendar(apple).run() }
  }

  /// Runs something in the shop's process.
  func perform<Value: Sendable>(_ body: @escaping @Sendable (TwoStoreFixture) async throws -> Value) throws -> Value {
    try simulator.perform { try await body(self) }
  }

  // MARK: actions of people

  /// A user orders and pays at WeChat Pay, and comes back to the app.
  func charge(
    _ product: ProductIdentifier, of user: UserIdentifier, _ action: CashierAction = .pay
  ) async throws -> OrderDetails {
    var request = OrderRequest(user: user, product: product, quantity: 1, store: .weChatPay)
    request.platform = "android"
    let details = try await engine.createOrder(request, for: app, by: .user(user)).order
    guard let visit = try details.handOff.map(CashierVisit.init(handedOver:)) else { throw NothingHandedOver() }
    _ = try await weChatPay.cashier.visit(visit, openid: "o-\(user.text)", action)
    _ = try await engine.checkWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: user, for: app)
    return details
  }

  struct NothingHandedOver: Error {}

  /// The backend gives money back at WeChat Pay; nil is all that is left.
  func refund(_ details: OrderDetails, _ amount: Int64?) async throws {
    _ = try await engine.refundOrder(
      .id(details.order.key.id), in: EngineFixture.appEnvironment,
      RefundRequest(amount: amount, reason: nil, idempotencyKey: "r1", askedBy: "test"), for: app)
  }

  /// A user orders and pays in the App Store, and the app submits the signed transaction.
  func purchase(
    _ product: ProductIdentifier, _ storeProduct: StoreProductIdentifier, of user: UserIdentifier,
    as owner: AppOwner, quantity: Int = 1
  ) async throws -> TransactionIdentifier {
    let order = OrderRequest(user: user, product: product, quantity: quantity, store: .appStore)
    let token = try await engine.createOrder(order, for: app, by: .user(user)).order.order.key.id
    var request = SimulatedPurchaseRequest(owner: owner, product: storeProduct)
    request.quantity = quantity
    request.appAccountToken = AppStoreUUID(token)
    let id = try await apple.purchases.purchase(request).transaction.id
    var submission = SubmitAppStorePayment.Request(evidence: try await apple.signedTransaction(id).signedTransaction)
    submission.orders = [token]
    _ = try await engine.submitAppStorePayment(submission, from: user, for: app)
    return id
  }
}
