package import AppStoreProtocol
package import Cryptography
package import PaymentModel
package import PaymentPrimitives

/// The configured apps; the same on every node.
package struct AppDirectory: Sendable {
  package let all: [AppSettings]
  /// What the database has promised and they do not provide for, as found at the start.
  package let gaps: [ConfigurationGap]
  private let byIdentifier: [AppIdentifier: AppSettings]
  private let byBundle: [String: AppSettings]

  /// A directory of apps; of two with the same id or bundle id the first stands.
  package init(_ apps: [AppSettings], gaps: [ConfigurationGap] = []) {
    self.gaps = gaps
    all = apps.sorted { $0.id < $1.id }
    byIdentifier = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
    byBundle = Dictionary(
      apps.compactMap { app in app.identity.map { ($0.bundleId, app) } }
    ) { first, _ in first }
  }

  package subscript(_ id: AppIdentifier) -> AppSettings? { byIdentifier[id] }

  /// The app with that bundle id.
  package func app(bundleId: String) -> AppSettings? { byBundle[bundleId] }
}

/// What the configuration says of one app.
package struct AppSettings: Sendable {
  /// Our id of the app; part of every key.
  package var id: AppIdentifier
  /// The environment of its orders: `production`, or `simulated` in a simulated profile.
  package var home: StoreEnvironment
  /// Its names at Apple; nil when it sells nothing through the App Store.
  package var identity: AppIdentity?
  /// Its access to Apple's servers; nil where no key is configured: then only what is presented is known.
  package var appStore: AppStoreSettings?
  /// How receipts are asked about at `verifyReceipt` as a last resort; nil where that is never done.
  package var verifyReceipt: VerifyReceiptSettings?
  /// Its merchant account at WeChat Pay; nil when it sells nothing there.
  package var weChatPay: WeChatPaySettings?
  /// What it sells, and what it sold.
  package var catalog: Catalog
  /// Whether it sells nothing any more (`retired = true`). What was bought goes on.
  package var isRetired: Bool
  /// How its users claim payments that name no order.
  package var claims: ClaimPolicy
  /// What the tokens of its purchases name.
  package var tokenMeaning: TokenMeaning
  /// Whether it delivers, or only watches an earlier system deliver.
  package var mode: Mode
  /// Since when Counterfoil delivers; what was bought before, the earlier system delivered.
  package var deliverFrom: Timestamp?
  /// What becomes of sandbox purchases on a production server.
  package var sandboxPurchases: SandboxPolicy
  /// When a phone may finish what it has handed in.
  package var finishWhen: FinishPolicy
  /// What becomes of a right that another user presents.
  package var restore: RestorePolicy
  /// Whether the phone may give an order its `reference` and `metadata`.
  package var referenceFromApp: Bool
  /// Where deliveries go; at most one endpoint per environment.
  package var endpoints: [DeliveryEndpoint]

  /// Where the store's notifications are passed on to as they came; nil when nowhere.
  package var forwardNotificationsTo: ForwardTarget?

  /// What Counterfoil is for an app.
  package enum Mode: String, CaseIterable, Sendable {
    case deliver
    /// It verifies, matches and journals beside an earlier system, and grants nothing.
    case observe
  }

  /// What becomes of sandbox purchases on a production server (TestFlight, App Review; docs/specification/http.md, rule
  /// 24).
  ///
  /// Unless they are refused they pay sandbox twins of orders and live in their own balances. Where they are shown,
  /// they stand beside production's, marked with their environment, and are never added to it.
  package enum SandboxPolicy: Hashable, Sendable {
    /// They are shown to nobody but a backend that asks for the sandbox.
    case separate
    /// These users are shown their own.
    case testers(Set<UserIdentifier>)
    /// Everybody is shown his own before that moment; from then on it is as with `separate`.
    case review(until: Timestamp)
    case refuse

    /// How far ahead a review may last: App Review takes days, and what it opens must not stay open by oversight.
    package static let reviewMax = TimeSpan.days(30)
  }

  /// When a phone may finish a transaction at the store (docs/specification/states.md, “Verdicts”).
  package enum FinishPolicy: String, CaseIterable, Sendable {
    /// When its verdict is final. Until then the store shows the transaction again at each start, and the client opens
    /// no second order for a product whose first one is still unknown.
    case granted
    /// Already when the payment, or the question to Apple about it, is durably kept: `pending` and `unclaimed` too.
    ///
    /// Nothing of the money is lost; what is lost is the one-to-one pairing. With nothing unfinished the customer can
    /// buy the product again while the first purchase is still unknown; and if neither transaction carries a token, two
    /// equal orders of one user are told apart by time alone. Both are paid, but perhaps each by the other's
    /// transaction (flag `severalCandidates`): `reference` and `metadata` may change places. What nobody has claimed is
    /// not shown again by the phone either: then an operator finds its owner.
    case kept
  }

  /// What becomes of a right when another user than its holder presents it from the buyer's device: two users of an app
  /// on one Apple account. Units never move.
  package enum RestorePolicy: String, CaseIterable, Sendable {
    /// It stays where it is, and the presenter learns nothing of its holder.
    case keepOwner
    /// It moves to the presenter, at most once a day; the backend is told of one reversal and one grant.
    case transfer
    /// The presenter has it too. Deliveries go on speaking of its owner alone.
    case share
  }

  /// An app with what every app has.
  package init(
    id: AppIdentifier, home: StoreEnvironment, identity: AppIdentity?, catalog: Catalog
  ) {
    self.id = id
    self.home = home
    self.identity = identity
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
  }

  /// What can be ordered.
  package var sold: [Product] { isRetired ? [] : catalog.sold }

  /// Whether a product cannot be ordered any more.
  func isRetired(_ product: ProductIdentifier) -> Bool { isRetired || catalog.retired.contains(product) }

  /// Whether it only watches: nothing is granted or delivered, and no client may finish anything on its word.
  package var isObserving: Bool { mode == .observe }

  /// Whether a phone may finish what is kept and not yet decided. While only watched, it may finish nothing at all.
  var finishesWhatIsKept: Bool { finishWhen == .kept && !isObserving }

  /// Where its orders are made.
  package var homeRealm: AppEnvironment { AppEnvironment(app: id, environment: home) }

  /// Environments whose payments pay *twins* of its orders: sandbox beside production, Xcode's beside simulated.
  package var twinEnvironments: [StoreEnvironment] {
    switch home {
    case .production: sandboxPurchases == .refuse ? [] : [.sandbox]
    case .simulated, .sandbox, .xcode, .localTesting, .undetermined: [.localTesting, .xcode]
    }
  }

  /// Whose rights and balances a user is shown beside those of the app's home.
  package func environmentsShown(to user: UserIdentifier, at now: Timestamp) -> [StoreEnvironment] {
    guard home == .production else { return [] }
    switch sandboxPurchases {
    case .separate, .refuse: return []
    case .testers(let users): return users.contains(user) ? [.sandbox] : []
    case .review(let until): return now < until ? [.sandbox] : []
    }
  }

  /// Environments whose signed data is taken for it. What Apple signed without a word on the environment is kept, and
  /// held.
  var acceptedEnvironments: Set<StoreEnvironment> {
    var accepted = Set(twinEnvironments + [home])
    if home == .production { accepted.insert(.undetermined) }
    return accepted
  }

  /// Where a user's own order is looked for: a twin stands before its order.
  package var userRealms: [AppEnvironment] {
    twinEnvironments.map { AppEnvironment(app: id, environment: $0) } + [homeRealm]
  }

  /// The endpoint that takes deliveries of an environment.
  package func endpoint(for environment: StoreEnvironment) -> DeliveryEndpoint? {
    endpoints.first { $0.environments.contains(environment) }
  }
}

/// A backend's address for signed webhooks (Standard Webhooks).
package struct DeliveryEndpoint: Sendable {
  /// Names it in logs and metrics.
  package var name: String
  /// An `https` (or, where allowed, `http`) URL.
  package var url: String
  /// Which worlds' deliveries it takes; an app's home unless it lists others.
  package var environments: Set<StoreEnvironment>
  /// The signing secrets, the newest first; during a rotation the message carries a signature by each.
  package var secrets: [Secret]
  /// Whether it may lie inside: in a private network or on this machine. Otherwise such an address is refused.
  package var mayBeInside: Bool

  package init(
    name: String, url: String, environments: Set<StoreEnvironment>, secrets: [Secret]
  ) {
    self.name = name
    self.url = url
    self.environments = environments
    self.secrets = secrets
    self.mayBeInside = false
  }
}

/// Another system's address for the store's notifications as they came.
package struct ForwardTarget: Hashable, Sendable {
  /// An `https` (or, where allowed, `http`) URL.
  package var url: String
  /// Whether it may lie inside: in a private network or on this machine. Otherwise such an address is refused.
  package var mayBeInside: Bool

  package init(url: String, mayBeInside: Bool = false) {
    self.url = url
    self.mayBeInside = mayBeInside
  }
}
