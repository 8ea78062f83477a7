import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON

/// The products for sale, and secrets that are made for tests.
enum TestShop {
  static let id: AppIdentifier = "shop"
  static let bundleId = "com.example.shop"
  static let appEnvironment = EngineFixture.appEnvironment
  static let address = "https://pay.example.com"

  static let products: [PaymentModel.Product] = [
    Product(
      id: "coins6", kind: .consumable, grant: .units("coin", perPiece: 6), appStoreProducts: ["com.example.coins6"]),
    Product(
      id: "coins12", kind: .consumable, grant: .units("coin", perPiece: 12), appStoreProducts: ["com.example.coins12"]),
    // The product of the recorded messages of the plug-in for Flutter.
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.coins100"]),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.premium"]),
    Product(
      id: "vip", kind: .autoRenewable, grant: .entitlement("vip", period: nil), appStoreProducts: ["com.example.vip"]),
    Product(
      id: "vipBasic", kind: .autoRenewable, grant: .entitlement("vipBasic", period: nil),
      appStoreProducts: ["com.example.vip.basic"]),
    Product(
      id: "vipYear", kind: .autoRenewable, grant: .entitlement("vip", period: nil),
      appStoreProducts: ["com.example.vip.year"]),
    Product(
      id: "vipTwin", kind: .autoRenewable, grant: .entitlement("vipTwin", period: nil),
      appStoreProducts: ["com.example.vip.twin"]),
    Product(
      id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
      appStoreProducts: ["com.example.season"]),
    // Known to us and not to Apple (1A.20).
    Product(
      id: "ghost", kind: .consumable, grant: .units("coin", perPiece: 1), appStoreProducts: ["com.example.ghost"]),
  ]

  static func token(for user: UserIdentifier, at now: Timestamp) -> String {
    TokenMaker(at: now).token([
      ("sub", .string(user.text)), ("aud", .string(id.text)), ("iat", .integer(now.seconds)),
      ("exp", .integer((now + .minutes(30)).seconds)),
    ])
  }

  /// Settings with a key that signs offers, and without any call to Apple.
  static func appStore(by key: SimulatedTestAPIKey) throws -> AppStoreServerAccess {
    var settings = AppStoreServerAccess(
      credentials: try AppStoreServerCredentials(
        issuerId: key.key.issuerId.text, keyId: key.key.keyId, bundleId: bundleId, privateKey: key.testPrivateKey))
    settings.userOffers = ["loyal"]
    settings.finishesTransactions = false
    settings.setsAppAccountToken = false
    settings.confirmsOldSignatures = false
    return settings
  }

  static func stock(_ store: SimulatedAppStore, notifies: Bool) async throws(CodedError<SimulatorErrorCode>) {
    try await store.catalog.setApp(
      SimulatedApp(
        bundleId: bundleId, appAppleId: 1_000_000_001,
        notificationURL: notifies ? address + "/notifications/app-store" : nil))
    // In the group of subscriptions `vip.basic` is the lesser level.
    for (id, kind) in [
      ("com.example.coins6", SimulatedProduct.Kind.consumable), ("com.example.coins12", .consumable),
      ("com.example.coins100", .consumable), ("com.example.premium", .nonConsumable),
      ("com.example.season", .nonRenewing), ("com.example.vip", .autoRenewable(group: "20000001", period: .month)),
      ("com.example.vip.basic", .autoRenewable(group: "20000001", period: .month)),
      ("com.example.vip.twin", .autoRenewable(group: "20000001", period: .month)),
      ("com.example.vip.year", .autoRenewable(group: "20000001", period: .year)),
    ] {
      var product = SimulatedProduct(
        id: StoreProductIdentifier(id), kind: kind, price: StatedPrice(milliunits: 6000, currency: "CNY"))
      if id == "com.example.vip.basic" { product.level = 2 }
      if id == "com.example.vip" {
        product.offers = [SimulatedOffer(.promotionalOffer, "loyal", payment: .payAsYouGo, period: .month, price: 3000)]
      }
      try await store.catalog.setProduct(product, bundleId: bundleId)
    }
  }
}
