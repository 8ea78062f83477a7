import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// The products of every world, and its secrets, which are made for tests.
enum WorldShop {
  static let id: AppIdentifier = "shop"
  static let bundleId = "com.example.shop"
  static let appAppleId: Int64 = 1_000_000_001
  static let tokenKey: CredentialIdentifier = "world-1"
  static let tokenSecret = Secret(Array("user tokens of worlds, for tests".utf8))
  static let webhookSecret = Secret(Array("webhooks of worlds, made for tests".utf8))
  static let installationDigits = String(repeating: "5c", count: 32)
  static let installationBytes = [UInt8](repeating: 0x5C, count: 32)
  static let installationSecret = Secret(installationBytes)
  static let serverURL = "https://pay.example"
  static let backendURL = "https://backend.example/deliveries"

  /// The keys with which the App Store of all worlds signs receipts.
  static let receiptKeys = PreparedReceiptKeys(testKeySeed: Array(repeating: 0xA9, count: 48))

  /// The address of Apple's servers.
  static let appleURL = "http://apple.example"

  static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.coins100"], weChatPrice: Money(minorUnits: 600, currency: .cny)),
    Product(
      id: "coins.7", kind: .consumable, grant: .units("coin", perPiece: 7),
      appStoreProducts: ["com.example.coins7"], weChatPrice: Money(minorUnits: 101, currency: .cny)),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.premium"], weChatPrice: Money(minorUnits: 9900, currency: .cny)),
    Product(
      id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
      appStoreProducts: ["com.example.season"], weChatPrice: Money(minorUnits: 3000, currency: .cny)),
  ]

  /// The subscriptions, in worlds that sell them: the monthly plan in two levels.
  static let subscriptions: [Product] = [
    Product(
      id: "plus", kind: .autoRenewable, grant: .entitlement("plus", period: nil),
      appStoreProducts: ["com.example.plus"]),
    Product(
      id: "basic", kind: .autoRenewable, grant: .entitlement("plus", period: nil),
      appStoreProducts: ["com.example.basic"]),
  ]
  static let subscriptionGroup = "21752814"

  /// The product that is sold only after a change of the configuration.
  static let newest = Product(
    id: "gems.50", kind: .consumable, grant: .units("gem", perPiece: 50), appStoreProducts: ["com.example.gems50"],
    weChatPrice: Money(minorUnits: 300, currency: .cny))

  /// Whether a product is sold in quantities above one.
  static func mayBuySeveral(_ product: ProductIdentifier) -> Bool { product != "premium" }

  /// The catalog at the beginning.
  static var catalog: Catalog {
    do { return try Catalog(products + subscriptions) } catch {
      preconditionFailure("the catalog of the world is wrong: \(error)")
    }
  }

  /// The app as the server is configured for it.
  static func app(_ plan: LifecyclePlan, selling catalog: Catalog) -> AppSettings {
    var app = AppSettings(
      id: id, home: .simulated, identity: AppIdentity(bundleId: bundleId, appAppleId: appAppleId),
      catalog: catalog)
    app.policy.restore = plan.restore
    app.policy.endpoints = [
      DeliveryEndpoint(name: "backend", url: backendURL, environments: [.simulated], secrets: [webhookSecret])
    ]
    return app
  }

  /// A user token as the app's backend makes it.
  static func userToken(
    for user: UserIdentifier, of app: AppIdentifier = id, by key: CredentialIdentifier = tokenKey, at now: Timestamp
  ) -> String {
    let header = JSONValue.members([("alg", "HS256"), ("typ", "JWT"), ("kid", .string(key.text))])
    let claims = JSONValue.members([
      ("sub", .string(user.text)), ("aud", .string(app.text)), ("iat", .integer(now.seconds)),
      ("exp", .integer((now + .minutes(30)).seconds)),
    ])
    let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
    return signed + "." + Base64URL.encode(HMACSHA256.code(for: signed.utf8, key: tokenSecret))
  }

  /// Registers the app and its products at the simulated App Store. Repeating it with the same values changes nothing.
  ///
  /// - Parameters:
  ///   - sellsSubscriptions: whether subscriptions are sold, too.
  ///   - further: products in addition to the usual ones.
  ///   - sellsElsewhere: whether the team's other app is sold, too.
  ///   - graceDays: the days for which a subscriber keeps access when the card cannot be charged.
  static func stock(
    _ store: SimulatedAppStore, accounts: [String], sellsSubscriptions: Bool = false, further: [Product] = [],
    sellsElsewhere: Bool = false,
    graceDays: Int = 0
  ) async throws(CodedError<SimulatorErrorCode>) {
    var app = SimulatedApp(
      bundleId: bundleId, appAppleId: appAppleId, notificationURL: serverURL + "/notifications/app-store")
    app.gracePeriodDays = graceDays
    try await store.catalog.setApp(app)
    if sellsElsewhere { try await OtherShop.stock(store) }
    let renamed = further.filter { $0.kind == .autoRenewable }
    for product in products + further where product.kind != .autoRenewable {
      let kind: SimulatedProduct.Kind =
        switch product.kind {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewing, .autoRenewable: .nonRenewing
        }
      for storeProduct in product.appStoreProducts {
        try await store.catalog.setProduct(
          SimulatedProduct(id: storeProduct, kind: kind, price: StatedPrice(milliunits: 6000, currency: "CNY")),
          bundleId: bundleId)
      }
    }
    for product in subscriptions + renamed where sellsSubscriptions {
      let level = product.id == "plus" ? 0 : 1
      var sold = SimulatedProduct(
        id: product.appStoreProducts[0], kind: .autoRenewable(group: subscriptionGroup, period: .month),
        price: StatedPrice(milliunits: level == 0 ? 30_000 : 18_000, currency: "CNY"))
      sold.level = level + 1
      let isKnown = await store.products(of: bundleId).contains { $0.id == sold.id }
      if !isKnown { try await store.catalog.setProduct(sold, bundleId: bundleId) }
    }
    // A card that was declined before the App Store was killed is still declined afterwards.
    let known = Set(await store.accounts().map(\.id))
    for account in accounts.map({ AppleAccountIdentifier($0) }) where !known.contains(account) {
      try await store.catalog.setAccount(SimulatedAppleAccount(id: account, environment: .production))
    }
  }
}
