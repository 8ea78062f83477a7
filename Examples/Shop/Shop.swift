public import Counterfoil
public import CounterfoilSwiftUI
public import PaymentPrimitives

/// A product of this app. Prices come from the store; the server's catalog says what is granted.
public struct ShopItem: Identifiable, Hashable, Sendable {
  /// Counterfoil's product id, as in the server's catalog.
  public let id: ProductIdentifier
  /// Apple's product id.
  public let storeProduct: StoreProductIdentifier
  /// The title that the customer reads.
  public let title: String
  /// The price as the store formats it; empty until it has answered.
  public var price = ""
}

/// The shop of the example: two packs of coins and a permanent entitlement.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor public struct Shop {
  /// The model that a view observes.
  public let model: ShopModel
  /// The products in the order of the page.
  public static let items = [
    ShopItem(id: "coins60", storeProduct: "com.example.coins60", title: "60 coins"),
    ShopItem(id: "coins300", storeProduct: "com.example.coins300", title: "300 coins"),
    ShopItem(id: "premium", storeProduct: "com.example.premium", title: "Premium"),
  ]

  /// A shop on top of a payment service: `Purchasing` in the app, a scripted one in its tests.
  public init(_ service: any PaymentService, language: Language) {
    var messages = CustomerMessages()
    messages[.outcome(.fulfilled)] = BilingualText("Enjoy your coins!", "金币已到账，祝您玩得开心！")
    model = ShopModel(service, messages: messages, language: language)
  }

  /// The products with the prices that the store has named; products that it does not sell are left out. Without an
  /// answer they are sold without a price, because the payment sheet shows it (1A.22).
  public static func items(priced listing: ProductListing) -> [ShopItem] {
    guard case .answered(let answer) = listing else { return items }
    return items.compactMap { item in
      guard let product = answer.products.first(where: { $0.id == item.storeProduct }) else { return nil }
      var item = item
      item.price = product.displayPrice
      return item
    }
  }

  /// The entitlements and balances of the customer, one line each, as the server says. If the server could not be
  /// asked, the page says so, and not that the customer has nothing.
  public static func belongings(_ rights: ShopModel.Rights, language: Language) -> [String] {
    switch rights {
    case .unread: return []
    case .unreadable(let error): return [error.message(language)]
    case .read(let entitlements, let balances):
      let coins = balances.map { balance in
        BilingualText("\(balance.amount) \(balance.unit)", "\(balance.unit)：\(balance.amount)")
      }
      let open = entitlements.filter(\.state.givesAccess).map { entitlement in
        guard let end = entitlement.expiresAt else {
          return BilingualText("\(entitlement.entitlement), yours for good", "\(entitlement.entitlement)：永久有效")
        }
        let date = end.iso8601.prefix(10)
        return entitlement.willRenew == true
          ? BilingualText("\(entitlement.entitlement), renews on \(date)", "\(entitlement.entitlement)：\(date) 续订")
          : BilingualText("\(entitlement.entitlement), until \(date)", "\(entitlement.entitlement)：有效期至 \(date)")
      }
      return (coins + open).map { $0[language] }
    }
  }

  /// The settings of the client: the server's address, the app's name there, and the source of user tokens.
  public static func configuration(
    server: String, language: Language, userToken: @escaping @Sendable (UserTokenRequest) async throws -> String
  ) -> PurchasingConfiguration {
    var configuration = PurchasingConfiguration(server: server, app: "shop", userToken: userToken)
    configuration.platform = "ios"
    configuration.language = language
    configuration.storeProducts = items.map(\.storeProduct)
    return configuration
  }
}
