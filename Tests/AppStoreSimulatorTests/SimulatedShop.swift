import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

/// A simulated App Store with one app, a product of each kind and two accounts, in time that a test moves.
struct SimulatedShop: Sendable {
  static let noon = Timestamp(iso8601: "2026-11-20T12:00:00.250Z") ?? Timestamp(milliseconds: 0)
  static let app = SimulatedApp(
    bundleId: "com.example.shop", appAppleId: 123_456_789,
    notificationURL: "https://shop.example/notifications/app-store")
  static let alice = AppOwner(account: "alice@example.com", bundleId: app.bundleId)
  static let bob = AppOwner(account: "bob@example.com", bundleId: app.bundleId)
  static let device =
    AppStoreUUID("0c1e6d9a-7d1f-4a43-9c2b-3a7f2b6f0d11") ?? AppStoreUUID(OrderIdentifier(high: 0, low: 0))
  static let token =
    AppStoreUUID("01990c77-4e6b-7c1d-9a43-0123456789ab") ?? AppStoreUUID(OrderIdentifier(high: 0, low: 0))

  static let coins = product("com.example.coins60", .consumable, price: 6000)
  static let theme = product("com.example.theme", .nonConsumable, price: 18_000)
  static let season = product("com.example.season", .nonRenewing, price: 30_000)
  static let month = product("com.example.month", .autoRenewable(group: "21752814", period: .month), price: 25_000)
  static let year = product("com.example.year", .autoRenewable(group: "21752814", period: .year), price: 198_000)
  static let products = [coins, theme, season, month, year]

  private static func product(
    _ id: StoreProductIdentifier, _ kind: SimulatedProduct.Kind, price: Int64
  ) -> SimulatedProduct {
    SimulatedProduct(id: id, kind: kind, price: StatedPrice(milliunits: price, currency: "CNY"))
  }

  let time: ManualTime
  let chance: SeededBytes
  let server: StandInServer
  let lines: VolatileSimulatorLog
  let store: SimulatedAppStore

  /// - Parameters:
  ///   - environment: the environment of the two accounts.
  ///   - isEmpty: whether app, products and accounts are missing.
  init(
    _ environment: SimulatedEnvironment = .production, isEmpty: Bool = false, seed: UInt64 = 1,
    time: ManualTime = ManualTime(noon), lines: VolatileSimulatorLog = VolatileSimulatorLog(),
    server: StandInServer = StandInServer(), log: SimulatorLog? = nil
  ) async throws {
    self.time = time
    self.server = server
    self.lines = lines
    chance = SeededBytes(seed: seed)
    let chance = chance
    store = try await SimulatedAppStore.open(
      log: log ?? lines.log,
      dependencies: Dependencies(
        now: { time.now }, randomBytes: { chance.bytes($0) }, sleep: { try await time.sleep($0) }),
      exchange: server.exchange, settings: SimulatorSettings(environment: environment))
    if !isEmpty { try await furnish(environment) }
  }

  func furnish(_ environment: SimulatedEnvironment) async throws {
    try await store.catalog.setApp(Self.app)
    for product in Self.products { try await store.catalog.setProduct(product, bundleId: Self.app.bundleId) }
    for owner in [Self.alice, Self.bob] {
      try await store.catalog.setAccount(SimulatedAppleAccount(id: owner.account, environment: environment))
    }
  }

  /// The same simulator after a restart of its process. Its randomness begins again, as a bad source might: no number
  /// or UUID may repeat itself because of that.
  func restarted() async throws -> SimulatedShop {
    try await SimulatedShop(isEmpty: true, seed: 99, time: time, lines: lines, server: server)
  }

  var sender: NotificationSender<SimulatedAppStore> { NotificationSender(store) }

  /// Buys as a device does.
  @discardableResult func buy(
    _ product: SimulatedProduct, by owner: AppOwner = alice,
    _ change: (inout SimulatedPurchaseRequest) -> Void = { _ in }
  ) async throws -> SimulatedPurchase {
    var request = SimulatedPurchaseRequest(owner: owner, product: product.id)
    request.appAccountToken = Self.token
    request.deviceVerificationId = Self.device
    change(&request)
    return try await store.purchases.purchase(request)
  }

  // MARK: what a server verifies

  static let identity = AppIdentity(bundleId: app.bundleId, appAppleId: app.appAppleId)
  static let expectations = SignedDataExpectations(apps: [identity], environments: [.simulated])

  /// A verifier that trusts this simulator, configured as in a server.
  func verifier() throws -> SignedDataVerifier {
    try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: [store.authority.root]))
  }

  /// The payload of a signed transaction, after verification.
  func verified(_ token: String) async throws -> JWSTransactionDecodedPayload {
    let verdict = try verifier().verifyTransaction(token, expecting: Self.expectations, at: await store.now())
    return try #require(verdict.verified, "\(verdict.failure?.description ?? "")").payload
  }

  /// The content of a notification, after verification of all its parts.
  func verified(notification token: String) async throws -> NotificationVerdict {
    let verdict = try verifier().verifyNotification(token, expecting: Self.expectations, at: await store.now())
    #expect(verdict.isValid, "\(verdict.notification.failure?.description ?? "")")
    return verdict
  }

  /// The notifications that arrived, verified, in the order of arrival.
  func received() async throws -> [NotificationVerdict] {
    var verdicts: [NotificationVerdict] = []
    for payload in await server.payloads { verdicts.append(try await verified(notification: payload)) }
    return verdicts
  }
}

extension NotificationVerdict {
  /// Type and subtype, as `SUBSCRIBED INITIAL_BUY`.
  var title: String {
    let payload = notification.verified?.payload
    return [payload?.notificationType?.rawValue, payload?.subtype?.rawValue].compactMap { $0 }.joined(separator: " ")
  }

  var uuid: String? { notification.verified?.payload.notificationUUID }
}
