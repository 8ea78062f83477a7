package import PaymentModel
package import PaymentPrimitives

/// What the operator decides about one app: its catalog, how payments find their owner, where deliveries go.
///
/// The access to the stores is with their integrations.
package struct AppPolicy: Sendable {
  /// Our id of the app; part of every key.
  package var id: AppIdentifier
  /// The environment of its orders: `production`, or `simulated` in a simulated profile.
  package var home: StoreEnvironment
  /// The products that it sells now and sold earlier.
  package var catalog: Catalog
  /// Whether it sells nothing any more (`retired = true`). Existing purchases continue.
  package var isRetired: Bool
  /// How its users claim payments that name no order.
  package var claims: ClaimPolicy
  /// What the tokens of its purchases refer to.
  package var tokenMeaning: TokenMeaning
  /// Whether it delivers, or only observes an earlier system that delivers.
  package var mode: Mode
  /// The time from which Counterfoil delivers; the earlier system delivered older purchases.
  package var deliverFrom: Timestamp?
  /// How a production server treats sandbox purchases.
  package var sandboxPurchases: SandboxPolicy
  /// When a client may finish a transaction that it submitted.
  package var finishWhen: FinishPolicy
  /// What happens when another user presents an entitlement.
  package var restore: RestorePolicy
  /// Whether the client may give an order its `reference` and `metadata`.
  package var referenceFromApp: Bool
  /// Where deliveries go; at most one endpoint per environment.
  package var endpoints: [DeliveryEndpoint]

  /// What its backend may give to users without a payment; nothing by default.
  package var credits: [CreditCeiling]
  /// Whether events are made for backends that read the feed, also where no endpoint names one.
  package var events: Bool
  /// Apple's part of each sale in percent, for reports; nil if it is not configured.
  package var commissionPercent: Int?

  /// The text for the payer for each product, at a store where orders are opened; without an entry, its id.
  package var descriptions: [ProductIdentifier: String]
  /// What the App Store is asked and told about a purchase; nil without a key for its servers.
  package var appStoreTasks: AppStoreTaskPolicy?
  /// The account that is paid by charges for orders; nil if there is none.
  package var chargeAccount: ChargeAccount?

  /// Where the store's notifications are forwarded unchanged; nil if nowhere.
  package var forwardNotificationsTo: ForwardTarget?

  /// The links that open the app on an Apple device; nil if the server names none.
  package var universalLinks: UniversalLinks?

  /// What Apple's devices must know so that links to this server open the app.
  package struct UniversalLinks: Hashable, Sendable {
    /// The team's and the bundle's id, joined by a dot.
    package let application: String
    /// Patterns of paths, such as `/app/*`.
    package let paths: [String]

    package init(teamId: String, bundleId: String, paths: [String]) {
      application = teamId + "." + bundleId
      self.paths = paths
    }
  }

  /// The role of Counterfoil for an app.
  package enum Mode: String, CaseIterable, Sendable {
    case deliver
    /// It verifies, matches and journals beside an earlier system, and grants nothing.
    case observe
  }

  /// How a production server treats sandbox purchases (TestFlight, App Review; docs/specification/http.md, rule 24).
  ///
  /// Unless they are refused, they pay the sandbox counterparts of orders and have balances of their own. Where they
  /// are shown, they appear beside those of production, marked with their environment. They are never added together.
  package enum SandboxPolicy: Hashable, Sendable {
    /// Only a backend that asks for the sandbox sees them.
    case separate
    /// These users see their own.
    case testers(Set<UserIdentifier>)
    /// Each user sees their own before this time; afterwards as with `separate`.
    case review(until: Timestamp)
    case refuse

    /// The longest review period: App Review takes days, and the exception must not stay active by mistake.
    package static let reviewMax = TimeSpan.days(30)
  }

  /// When a client may finish a transaction at the store (docs/specification/states.md, “Verdicts”).
  package enum FinishPolicy: String, CaseIterable, Sendable {
    /// When its verdict is final. Until then the store shows the transaction again at each start. The client opens no
    /// second order for a product while the outcome of the first one is unknown.
    case granted
    /// Already when the payment, or the question to Apple about it, is stored durably. This includes `pending` and
    /// `unclaimed`.
    ///
    /// No money is lost, but the one-to-one pairing is. With nothing unfinished, the customer can buy the product
    /// again while the outcome of the first purchase is unknown. If neither transaction carries a token, only time
    /// tells two equal orders of one user apart. Both are paid, but perhaps each by the transaction of the other
    /// (flag `severalCandidates`): `reference` and `metadata` may be swapped. The client does not present an
    /// unclaimed transaction again either; then an operator finds its owner.
    case kept
  }

  /// An app with the required settings and defaults for the rest.
  package init(
    id: AppIdentifier, home: StoreEnvironment, catalog: Catalog
  ) {
    self.id = id
    self.home = home
    self.catalog = catalog
    self.isRetired = false
    self.claims = ClaimPolicy()
    self.tokenMeaning = .order
    self.mode = .deliver
    self.sandboxPurchases = .separate
    self.finishWhen = .granted
    self.restore = .keepOwner
    self.referenceFromApp = false
    self.endpoints = []
    self.credits = []
    self.events = false
    self.descriptions = [:]
  }

  /// Whether what happens is also told as events (`EventBody`). Nothing is made that nobody reads.
  package var makesEvents: Bool { events || endpoints.contains { !$0.types.isEmpty } }

  /// The products that can be ordered.
  package var sold: [Product] { isRetired ? [] : catalog.sold }

  /// Whether a product can no longer be ordered.
  package func isRetired(_ product: ProductIdentifier) -> Bool { isRetired || catalog.retired.contains(product) }

  /// Whether it only observes. Then nothing is granted or delivered, and no client may finish a transaction because
  /// of it.
  package var isObserving: Bool { mode == .observe }

  /// Whether a client may finish a transaction that is stored but not decided; never while the app only observes.
  package var finishesWhatIsKept: Bool { finishWhen == .kept && !isObserving }

  /// The app environment in which its orders are created.
  package var homeEnvironment: AppEnvironment { AppEnvironment(app: id, environment: home) }

  /// Environments with payments that pay *counterparts* of its orders: sandbox beside production, Xcode beside
  /// simulated.
  package var counterpartEnvironments: [StoreEnvironment] {
    switch home {
    case .production: sandboxPurchases == .refuse ? [] : [.sandbox]
    case .simulated, .sandbox, .xcode, .localTesting, .undetermined: [.localTesting, .xcode]
    }
  }

  /// The further environments from which a user sees entitlements and balances, beside the home environment.
  package func environmentsShown(to user: UserIdentifier, at now: Timestamp) -> [StoreEnvironment] {
    guard home == .production else { return [] }
    switch sandboxPurchases {
    case .separate, .refuse: return []
    case .testers(let users): return users.contains(user) ? [.sandbox] : []
    case .review(let until): return now < until ? [.sandbox] : []
    }
  }

  /// Environments from which signed data is accepted. Data that Apple signed without naming an environment is stored
  /// and held.
  package var acceptedEnvironments: Set<StoreEnvironment> {
    var accepted = Set(counterpartEnvironments + [home])
    if home == .production { accepted.insert(.undetermined) }
    return accepted
  }

  /// The app environments in which a user's order is looked up: a counterpart comes before its order.
  package var userEnvironments: [AppEnvironment] {
    counterpartEnvironments.map { AppEnvironment(app: id, environment: $0) } + [homeEnvironment]
  }

  /// The endpoint that receives the deliveries of an environment.
  package func endpoint(for environment: StoreEnvironment) -> DeliveryEndpoint? {
    endpoints.first { $0.environments.contains(environment) }
  }
}

/// What the App Store is told after a purchase was granted. The engine writes tasks; the integration runs them.
package struct AppStoreTaskPolicy: Hashable, Sendable {
  /// Whether the server finishes a granted consumable that no client finished.
  package var finishesTransactions: Bool
  /// Whether the server sets the order's token for a payment that paid a presented order.
  package var setsAppAccountToken: Bool

  package init(finishesTransactions: Bool = true, setsAppAccountToken: Bool = true) {
    self.finishesTransactions = finishesTransactions
    self.setsAppAccountToken = setsAppAccountToken
  }
}

/// An account that charges pay: an operator's claim of a charge must be for this account.
package struct ChargeAccount: Hashable, Sendable {
  /// The store's id of the merchant.
  package var merchant: String
  /// The store's app id for each way to pay (trade type).
  package var storeApps: [String: String]

  package init(merchant: String, storeApps: [String: String]) {
    self.merchant = merchant
    self.storeApps = storeApps
  }
}
