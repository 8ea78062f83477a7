#if canImport(SwiftUI)
  import Counterfoil
  import PaymentPrimitives
  public import SwiftUI

  /// The customer's orders that are not complete yet, each with its support number, and a button that completes them.
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  public struct OpenOrdersSheet: View {
    private let shop: ShopModel

    /// A sheet with the open orders of a shop.
    public init(_ shop: ShopModel) { self.shop = shop }

    /// The list of orders.
    public var body: some View {
      List {
        ForEach(shop.openOrders, id: \.order.id) { order in
          VStack(alignment: .leading) {
            Text(verbatim: "\(order.product.text) × \(order.quantity)")
            Text(shop.words(for: order)).font(.footnote).foregroundStyle(.secondary)
            Text(verbatim: order.order.id.appAccountToken).font(.caption2.monospaced())
          }
        }
      }
      .overlay { if shop.openOrders.isEmpty { Image(systemName: "checkmark.circle").font(.largeTitle) } }
      .refreshable { await shop.recover(.userAsked) }
      .task { await shop.recover(.userAsked) }
    }
  }
#endif
