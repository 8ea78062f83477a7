import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// The team's other app: sold by the same server to the same Apple accounts, with users and products of its own.
enum OtherShop {
  static let id: AppIdentifier = "other"
  static let bundleId = "com.example.other"
  static let tokenKey: CredentialIdentifier = "other-1"
  /// Its only user.
  static let user: UserIdentifier = "zoe"
  static let product = Product(
    id: "stars.30", kind: .consumable, grant: .units("star", perPiece: 30), appStoreProducts: ["com.example.stars30"])

  /// How the configuration speaks of it.
  enum Standing: Hashable, Sendable {
    case sells
    /// It sells nothing (`retired = true`), and what was bought goes on.
    case retired
    case absent
  }

  /// It as the server is configured for it; nil where the configuration does not name it.
  static func app(standing: Standing) -> AppSettings? {
    guard standing != .absent else { return nil }
    var app = app
    app.isRetired = standing == .retired
    return app
  }

  private static var app: AppSettings {
    let catalog: Catalog
    do { catalog = try Catalog([product]) } catch { preconditionFailure("the other catalog is wrong: \(error)") }
    var app = AppSettings(
      id: id, home: .simulated, identity: AppIdentity(bundleId: bundleId, appAppleId: WorldShop.appAppleId + 1),
      catalog: catalog)
    app.endpoints = [
      DeliveryEndpoint(
        name: "backend", url: WorldShop.backendURL, environments: [.simulated], secrets: [WorldShop.webhookSecret])
    ]
    return app
  }

  /// It as the simulated App Store sells it.
  static func stock(_ store: SimulatedAppStore) async throws(CodedError<SimulatorErrorCode>) {
    try await store.setApp(
      SimulatedApp(
        bundleId: bundleId, appAppleId: WorldShop.appAppleId + 1,
        notificationURL: WorldShop.serverURL + "/notifications/app-store"))
    for storeProduct in product.appStoreProducts {
      try await store.setProduct(
        SimulatedProduct(id: storeProduct, kind: .consumable, price: StatedPrice(milliunits: 3000, currency: "CNY")),
        bundleId: bundleId)
    }
  }
}
