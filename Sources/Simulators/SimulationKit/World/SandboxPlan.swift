import PaymentEngine
import PaymentPrimitives
import ServerConfiguration

/// The home environment of a world: simulated, or production as on a real server, with testers who also buy in the
/// sandbox. The plan has its own random stream, so it changes nothing in other worlds.
struct SandboxPlan: Hashable, Sendable {
  /// The environment in which the orders of all apps are made.
  var home = StoreEnvironment.simulated
  var policy = AppPolicy.SandboxPolicy.separate
  var purchases = 0
  var refunds = 0
  /// Whether the backend also takes sandbox deliveries, at a separate address.
  var delivers = false

  static let account = "tester"
  /// A user who has only sandbox purchases.
  static let tester: UserIdentifier = "tess"
  /// The backend's address for sandbox deliveries.
  static let backendURL = WorldShop.backendURL + "/sandbox"

  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    // Only a test build accepts the simulated App Store's root certificate as Apple's.
    #if DEBUG
      var chance = SeededChance(seed: seed, purpose: "plan of the sandbox")
      guard hazards.contains(.sandbox), chance.happens(perMille: 300) else { return }
      home = .production
      purchases = 2 + chance.number(below: 5)
      refunds = chance.number(below: 3)
      delivers = chance.happens(perMille: 500)
      let later = SimulatedWorld.beginning + .days(20)
      let all: [AppPolicy.SandboxPolicy] = [
        .separate, .separate, .testers([Self.tester, "ann"]), .review(until: later), .refuse,
      ]
      policy = chance.pick(all) ?? .separate
    #endif
  }

  /// The settings of an app with this world's home environment.
  func settings(_ app: AppSettings) -> AppSettings {
    guard home == .production else { return app }
    var app = app
    app.policy.home = home
    app.policy.sandboxPurchases = policy
    for index in app.policy.endpoints.indices { app.policy.endpoints[index].environments = [home] }
    guard delivers else { return app }
    app.policy.endpoints.append(
      DeliveryEndpoint(
        name: "sandbox", url: Self.backendURL, environments: [.sandbox], secrets: [WorldShop.webhookSecret]))
    return app
  }
}
