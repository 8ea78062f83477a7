import PaymentEngine
import PaymentPrimitives

/// What a seed decides of where a world is at home: among simulated things, or in production as on a real server, with
/// testers who buy in the sandbox beside it. It is drawn apart, so that it changes nothing of other worlds.
struct SandboxPlan: Hashable, Sendable {
  /// Where the orders of all apps are made.
  var home = StoreEnvironment.simulated
  var policy = AppSettings.SandboxPolicy.separate
  var purchases = 0
  var refunds = 0
  /// Whether the backend takes deliveries of the sandbox, too, at an address of its own.
  var delivers = false

  static let account = "tester"
  /// A user who has nothing but what was bought in the sandbox.
  static let tester: UserIdentifier = "tess"
  /// Where the backend takes what the sandbox gives.
  static let backendURL = WorldShop.backendURL + "/sandbox"

  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    // Only a test build takes the simulated App Store's root for Apple's.
    #if DEBUG
      var chance = SeededChance(seed: seed, purpose: "plan of the sandbox")
      guard hazards.contains(.sandbox), chance.happens(perMille: 300) else { return }
      home = .production
      purchases = 2 + chance.number(below: 5)
      refunds = chance.number(below: 3)
      delivers = chance.happens(perMille: 500)
      let later = SimulatedWorld.beginning + .days(20)
      let all: [AppSettings.SandboxPolicy] = [
        .separate, .separate, .testers([Self.tester, "ann"]), .review(until: later), .refuse,
      ]
      policy = chance.pick(all) ?? .separate
    #endif
  }

  /// An app as it is configured where this world is at home.
  func settings(_ app: AppSettings) -> AppSettings {
    guard home == .production else { return app }
    var app = app
    app.home = home
    app.sandboxPurchases = policy
    for index in app.endpoints.indices { app.endpoints[index].environments = [home] }
    guard delivers else { return app }
    app.endpoints.append(
      DeliveryEndpoint(
        name: "sandbox", url: Self.backendURL, environments: [.sandbox], secrets: [WorldShop.webhookSecret]))
    return app
  }
}
