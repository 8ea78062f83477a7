#if canImport(SwiftUI)
  public import Counterfoil
  public import PaymentPrimitives
  public import SwiftUI

  /// A button that buys: it shows the price, and progress while the purchase runs.
  ///
  ///     PayButton("coins60", title: "60 coins", price: product.displayPrice, in: shop)
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  public struct PayButton: View {
    private let product: ProductIdentifier
    private let title: String
    private let price: String
    private let quantity: Int
    private let details: PurchaseDetails
    private let shop: ShopModel
    private var store: Store?

    /// A button for a product.
    ///
    /// - Parameters:
    ///   - product: the product's id in the server's catalog.
    ///   - title: the product's title in the customer's language.
    ///   - price: the price as the store formats it; empty while it is not known, which prevents no purchase.
    ///   - quantity: number of pieces.
    ///   - details: optional details of the purchase.
    ///   - shop: the page's model.
    public init(
      _ product: ProductIdentifier, title: String, price: String = "", quantity: Int = 1,
      details: PurchaseDetails = PurchaseDetails(), in shop: ShopModel
    ) {
      self.product = product
      self.title = title
      self.price = price
      self.quantity = quantity
      self.details = details
      self.shop = shop
    }

    /// A button for a product of the catalog, with the store's name, price and period, and with the introductory offer
    /// if this customer may have it.
    ///
    /// - Parameters:
    ///   - item: the product.
    ///   - details: optional details of the purchase.
    ///   - language: the language of period and offer.
    ///   - shop: the page's model.
    public init(
      _ item: CatalogItem, details: PurchaseDetails = PurchaseDetails(), language: Language = .english,
      in shop: ShopModel
    ) {
      self.init(item.id, title: item.name, price: item.priceWords(language), details: details, in: shop)
      store = item.store
    }

    /// The button itself.
    public var body: some View {
      Button {
        Task { await shop.buy(product, quantity: quantity, store: store, details: details) }
      } label: {
        HStack {
          Text(title)
          Spacer()
          if shop.isBusy(product) { ProgressView() } else { Text(price).monospacedDigit() }
        }
      }
      .disabled(shop.isBusy(product))
      .accessibilityIdentifier("pay-\(product.text)")
    }
  }
#endif
