#if canImport(SwiftUI) && !os(macOS) && !os(tvOS) && !os(watchOS)
  package import CounterfoilApp
  package import SwiftUI

  @available(iOS 17, visionOS 1, *)
  package struct ShopPage: View {
    let shop: ShopModel
    let language: Language

    package init(_ shop: ShopModel, language: Language) { (self.shop, self.language) = (shop, language) }

    package var body: some View {
      List {
        ForEach(shop.obstacles, id: \.self) { Text(verbatim: $0) }
        if case .unreadable(let error) = shop.products {
          Button(error.message(language)) { Task { await shop.readProducts() } }
        }
        ForEach(shop.products.items) { item in
          PayButton(item, language: language, in: shop)
          ForEach(item.appStore?.promotionalOffers ?? [], id: \.id) { offer in
            Button(offer.words[language]) { Task { await shop.buy(item, offer: offer) } }
          }
        }
        ForEach(shop.promoted, id: \.handle) { payment in
          Button("Buy what you chose in the App Store") { Task { await shop.buy(payment) } }
        }
        Section {
          if case .unreadable(let error) = shop.rights { Text(verbatim: error.message(language)) }
          if case .read(let entitlements, let balances) = shop.rights {
            ForEach(balances, id: \.self) { Text(verbatim: "\($0.amount) \($0.unit)") }
            ForEach(entitlements, id: \.self) { entitlement in
              Text(verbatim: "\(entitlement.entitlement): \(shop.words(for: entitlement))")
            }
          }
        }
        Section {
          ForEach(shop.openOrders, id: \.order.id) { order in
            Text(verbatim: "\(order.product): \(shop.words(for: order)) \(order.order.id.supportCode)")
          }
        }
        Section {
          ForEach(shop.purchases) { purchase in
            Button("Refund \(purchase.product)") {
              Task { _ = try? await StoreSheets.requestRefund(ofOrder: purchase.id) }
            }
          }
          Button("Restore purchases") { Task { await shop.restore() } }
          Button("Redeem a code") { Task { try? await StoreSheets.redeemOfferCode() } }
          Button("Manage subscriptions") { Task { try? await StoreSheets.manageSubscriptions() } }
        }
      }
      .shop(shop)
      .task { await shop.check() }
      .task { await shop.readProducts() }
      .task(id: shop.grants) { await shop.readPossessions() }
    }
  }
#endif
