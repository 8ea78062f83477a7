package import PaymentModel
import PaymentPrimitives

/// The products that test shops sell.
package enum TestCatalog {
  package static let coins100 = Product(
    id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
    appStoreProducts: ["com.example.coins100"])
  package static let coins1000 = Product(
    id: "coins.1000", kind: .consumable, grant: .units("coin", perPiece: 1000),
    appStoreProducts: ["com.example.coins1000"])
  package static let coin = Product(
    id: "coin", kind: .consumable, grant: .units("coin", perPiece: 1), appStoreProducts: ["com.example.coin"])
  package static let premium = Product(
    id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
    appStoreProducts: ["com.example.premium"])
  package static let monthly = Product(
    id: "monthly", kind: .autoRenewable, grant: .entitlement("club", period: nil),
    appStoreProducts: ["com.example.monthly"])
  package static let season = Product(
    id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
    appStoreProducts: ["com.example.season"])
  package static let androidOnly = Product(
    id: "android.only", kind: .consumable, grant: .units("coin", perPiece: 1), weChatPrice: yuan(1))
  package static let mug = Product(
    id: "mug", kind: .consumable, grant: .units("mug", perPiece: 1), weChatPrice: yuan(35), isPhysical: true)
  package static let appleOnly = Product(
    id: "apple.only", kind: .consumable, grant: .units("coin", perPiece: 1), appStoreProducts: ["com.example.apple"])

  /// What a shop sells through the App Store.
  package static let appStore = [coins100, coins1000, coin, premium, monthly, season]
  /// What a shop sells through the App Store, and one product for other phones.
  package static let server = [coins100, coins1000, coin, premium, season, androidOnly]
  /// What a shop sells through both stores.
  package static let weChatPay = [sold(coins100, for: 6), sold(premium, for: 99), mug, appleOnly]

  private static func sold(_ product: Product, for price: Int64) -> Product {
    var product = product
    product.weChatPrice = yuan(price)
    return product
  }

  private static func yuan(_ amount: Int64) -> Money { Money(minorUnits: amount * 100, currency: .cny) }
}
