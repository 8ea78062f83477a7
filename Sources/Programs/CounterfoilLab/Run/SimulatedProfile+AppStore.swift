import AppStoreProtocol
import AppStoreSimulator
import CounterfoilCLI
import PaymentModel
import PaymentPrimitives

extension SimulatedProfile {
  /// The promotional offer of its subscription, which users may have signed for the asking.
  static let offer = SimulatedOffer(
    .promotionalOffer, "welcome-back", payment: .payAsYouGo, period: .month, count: 3, price: 3000)

  /// The shop's products as its simulated App Store sells them.
  static func stock(
    _ store: SimulatedAppStore, notificationURL: String
  ) async throws(CodedError<SimulatorErrorCode>) {
    try await store.catalog.setApp(
      SimulatedApp(
        bundleId: identity.bundleId, appAppleId: identity.appAppleId ?? 0,
        notificationURL: notificationURL))
    for product in products {
      let kind: SimulatedProduct.Kind =
        switch product.kind {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewing: .nonRenewing
        case .autoRenewable: .autoRenewable(group: "20000001", period: .month)
        }
      for storeProduct in product.appStoreProducts {
        var sold = SimulatedProduct(
          id: storeProduct, kind: kind, price: StatedPrice(milliunits: 6000, currency: "CNY"))
        if product.kind == .autoRenewable { sold.offers = [offer] }
        try await store.catalog.setProduct(sold, bundleId: identity.bundleId)
      }
    }
  }
}
