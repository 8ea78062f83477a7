import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import SigningAuthorities
import SimulationKit
import SimulatorCore
import StrictJSON
import Synchronization
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A shop that sells through WeChat Pay, and a WeChat Pay beside it, in a simulated world: the test moves time, and
/// notifications arrive.
final class WeChatPayEngineFixture: Sendable {
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  static let merchantKey = RSAPrivateKey(randomBytes: Array("a merchant key made for tests, 48 bytes of nothing".utf8))
  static let platformKeys = PreparedPlatformKeys(testKeySeed: Array(1...48))
  static let apiV3Key = "an APIv3 key made for tests 32 b"

  static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.coins100"], weChatPrice: Money(minorUnits: 600, currency: .cny)),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.premium"], weChatPrice: Money(minorUnits: 9900, currency: .cny)),
    Product(
      id: "mug", kind: .consumable, grant: .units("mug", perPiece: 1),
      weChatPrice: Money(minorUnits: 3500, currency: .cny), isPhysical: true),
    Product(
      id: "apple.only", kind: .consumable, grant: .units("coin", perPiece: 1),
      appStoreProducts: ["com.example.apple"]),
  ]

  let world: SimulatedWorld
  let process: SimulatedProcess
  let storage: InMemoryStorage
  let engine: PaymentEngine
  let app: AppPolicy
  let access: WeChatPayAccess
  let weChatPay: SimulatedWeChatPay
  let now: @Sendable () -> Timestamp
  let logged: LoggedEvents

  init(
    seed: UInt64 = 1, limits: EngineLimits = EngineLimits(), platformKey: PlatformKeys = .publicKey,
    _ change: (inout WeChatPayAccess) -> Void = { _ in }
  ) throws {
    let world = SimulatedWorld(seed: seed)
    let process = SimulatedProcess("server", number: 1, in: world)
    let dependencies = process.dependencies()
    let way = NotificationRoute(from: .weChatPay)
    let weChatPay = try world.perform(in: process) {
      try await SimulatedWeChatPay.open(
        log: VolatileSimulatorLog().log, dependencies: dependencies, exchange: way.exchange,
        keys: Self.platformKeys)
    }
    var settings = try Self.settings(of: weChatPay, in: process, world, platformKey)
    change(&settings)
    var app = AppSettings(
      id: "shop", home: .simulated, identity: EngineFixture.identity, catalog: try Catalog(Self.products))
    app.weChatPay = settings
    let logged = LoggedEvents()
    let storage = InMemoryStorage.simulated()
    let engine = PaymentEngine.simulated(
      [app], database: InMemoryDatabase(storage, now: dependencies.now),
      verifier: try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: [Self.anchor])),
      dependencies: dependencies, anywhere: weChatPay.api.network, limits: limits, log: { logged.note($0) })
    way.open(to: engine)
    self.world = world
    self.process = process
    self.storage = storage
    self.engine = engine
    self.app = app.servedPolicy
    access = settings
    self.weChatPay = weChatPay
    self.logged = logged
    now = dependencies.now
  }

  /// Registers the merchant, and returns the settings of the shop.
  static func settings(
    of weChatPay: SimulatedWeChatPay, in process: SimulatedProcess, _ world: SimulatedWorld,
    _ platformKey: PlatformKeys = .publicKey
  ) throws -> WeChatPayAccess {
    let (identifier, key) = try world.perform(in: process) { await weChatPay.platformPublicKey() }
    let merchant = try MerchantCredentials(
      mchid: "1900000001", certificateSerial: "5157F09EFDC096DE15EBE81A47057A7200000001",
      privateKey: Self.merchantKey, apiV3Key: try APIv3Key(Secret(Self.apiV3Key.utf8)))
    var ring = PlatformKeyRing(merchantKey: Self.merchantKey.publicKey)
    if platformKey != .certificates { try ring.add(publicKey: key, identifier: identifier) }
    var settings = WeChatPayAccess(
      merchant: merchant, platformKeys: ring,
      appids: [
        .app: "wx0000000000000001", .jsapi: "wx0000000000000002", .h5: "wx0000000000000001",
        .native: "wx0000000000000001",
      ], notifyOrigin: "https://pay.example.com")
    settings.downloadsCertificates = platformKey != .publicKey
    settings.hosts = [WeChatPayHost("http://wechat.one"), WeChatPayHost("http://wechat.two")].compactMap(\.self)
    let certificate = SimulatedMerchant.Certificate(
      serial: "5157F09EFDC096DE15EBE81A47057A7200000001", key: Self.merchantKey.publicKey)
    let registered = SimulatedMerchant(
      mchid: "1900000001", certificates: certificate.map { [$0] } ?? [], testAPIv3Key: Self.apiV3Key,
      appids: ["wx0000000000000001", "wx0000000000000002"])
    try world.perform(in: process) { try await weChatPay.control.setMerchant(registered) }
    return settings
  }

  /// The platform's keys that the shop knows at the start.
  enum PlatformKeys { case publicKey, certificates, both }

  static let anchor = AppleShapedAuthority(
    name: "WeChat Tests", randomBytes: Array(repeating: 7, count: 48),
    notBefore: EngineFixture.noon - .days(365), notAfter: EngineFixture.noon + .days(3650)
  ).root

  /// Runs something in the shop's process.
  func perform<Value: Sendable>(_ body: @escaping @Sendable (WeChatPayEngineFixture) async throws -> Value) throws
    -> Value
  {
    try world.perform(in: process) { try await body(self) }
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
    try await engine.readOrder(.id(details.order.key.id), in: [Self.appEnvironment], of: nil)
  }

  func row(_ details: OrderDetails) async throws -> WeChatPayOrder? {
    let key = details.order.key
    return try await database.read { try $0.weChatPayOrder(key) }
  }

  var database: InMemoryDatabase { InMemoryDatabase(storage, now: now) }

  func coins(of user: UserIdentifier = "alice") async throws -> Int64 {
    try await engine.readBalances(of: user, in: Self.appEnvironment).first { $0.unit == "coin" }?.amount ?? 0
  }

  func violations() async throws -> [Violation] { try await engine.auditInvariants(atRest: true).violations }

  func truth(of details: OrderDetails) async -> TradeState? {
    await weChatPay.order(.init(mchid: "1900000001", outTradeNo: details.order.key.id.outTradeNo))?.state
  }
}

/// What the shop logged.
final class LoggedEvents: Sendable {
  private let events = Mutex<[LogEvent]>([])

  func note(_ event: LogEvent) { events.withLock { $0.append(event) } }
  var all: [LogEvent] { events.withLock { $0 } }
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
