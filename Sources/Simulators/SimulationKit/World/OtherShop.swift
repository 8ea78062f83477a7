import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration

/// The team's other app: the same server sells it to the same Apple accounts, with its own users and products.
enum OtherShop {
  static let id: AppIdentifier = "other"
  static let bundleId = "com.example.other"
  static let tokenKey: CredentialIdentifier = "other-1"
  /// The only user of the other app.
  static let user: UserIdentifier = "zoe"
  static let product = Product(
    id: "stars.30", kind: .consumable, grant: .units("star", perPiece: 30), appStoreProducts: ["com.example.stars30"])

  /// How the configuration treats the other app.
  enum Standing: Hashable, Sendable {
    case sells
    /// It sells nothing (`retired = true`), and existing purchases stay valid.
    case retired
    case absent
  }

  /// The app as the server is configured for it; nil if the configuration does not name it.
  static func app(standing: Standing) -> AppSettings? {
    guard standing != .absent else { return nil }
    var app = app
    app.policy.isRetired = standing == .retired
    return app
  }

  private static var app: AppSettings {
    let catalog: Catalog
    do { catalog = try Catalog([product]) } catch { preconditionFailure("the other catalog is wrong: \(error)") }
    var app = AppSettings(
      id: id, home: .simulated, identity: AppIdentity(bundleId: bundleId, appAppleId: WorldShop.appAppleId + 1),
      catalog: catalog)
    app.policy.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: WorldShop.backendURL, environments: [.simulated], secrets: [WorldShop.webhookSecret])
    ]
    return app
  }

  /// Registers the app and its product at the simulated App Store.
  static func stock(_ store: SimulatedAppStore) async throws(CodedError<SimulatorErrorCode>) {
    try await store.catalog.setApp(
      SimulatedApp(
        bundleId: bundleId, appAppleId: WorldShop.appAppleId + 1,
        notificationURL: WorldShop.serverURL + "/notifications/app-store"))
    for storeProduct in product.appStoreProducts {
      try await store.catalog.setProduct(
        SimulatedProduct(id: storeProduct, kind: .consumable, price: StatedPrice(milliunits: 3000, currency: "CNY")),
        bundleId: bundleId)
    }
  }
}
