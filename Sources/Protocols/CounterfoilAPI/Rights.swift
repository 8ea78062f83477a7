public import PaymentPrimitives
public import StrictJSON

/// What a user has a right to, computed from signed facts only: one of the answers to `GET /v1/entitlements`.
public struct EntitlementBody: Hashable, Sendable {
  /// The right.
  public var entitlement: EntitlementName
  /// Whether it holds now.
  public var state: State
  /// Its end; nil when it lasts.
  public var expiresAt: Timestamp?
  /// The store whose payment gives it (the one that gives it longest).
  public var store: Store
  /// The world it belongs to.
  public var environment: StoreEnvironment
  /// Whether a subscription renews at its end; nil for anything else, and where the store has not said.
  public var willRenew: Bool?
  /// The product that it renews to, by our own id.
  public var renewsTo: ProductIdentifier?
  /// Until when the buyer keeps his access although the renewal failed.
  public var gracePeriodExpiresAt: Timestamp?
  /// Why it ended, where the store has said.
  public var reason: Reason?

  /// How a right stands. The first two give access. A word that this version does not know is kept as it came, and
  /// gives none: unknown is never success.
  public struct State: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// The word as it came.
    public let rawValue: String

    /// A word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It holds.
    public static let active = State(rawValue: "active")
    /// It holds although the renewal could not be charged, for a while.
    public static let gracePeriod = State(rawValue: "gracePeriod")
    /// The renewal could not be charged, and the store still tries; no access.
    public static let billingRetry = State(rawValue: "billingRetry")
    /// Its time is over.
    public static let expired = State(rawValue: "expired")
    /// The store took it back.
    public static let revoked = State(rawValue: "revoked")
    /// Those that this version knows.
    public static let allCases = [active, gracePeriod, billingRetry, expired, revoked]

    /// Whether the user may use what it gives.
    public var givesAccess: Bool { self == .active || self == .gracePeriod }
  }

  /// Why a right ended. A word that this version does not know is kept as it came.
  public struct Reason: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// The word as it came.
    public let rawValue: String

    /// A word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The buyer cancelled the subscription.
    public static let cancelled = Reason(rawValue: "cancelled")
    /// The renewal could not be charged.
    public static let billingError = Reason(rawValue: "billingError")
    /// The buyer did not agree to a higher price.
    public static let priceIncrease = Reason(rawValue: "priceIncrease")
    /// The product could not be sold any more.
    public static let productUnavailable = Reason(rawValue: "productUnavailable")
    /// Another reason of the store's.
    public static let other = Reason(rawValue: "other")
    /// The buyer went over to another product of the subscription.
    public static let upgraded = Reason(rawValue: "upgraded")
    /// The store gave the money back.
    public static let refunded = Reason(rawValue: "refunded")
    /// The family does not share it any more.
    public static let familySharingEnded = Reason(rawValue: "familySharingEnded")
    /// Those that this version knows.
    public static let allCases = [
      cancelled, billingError, priceIncrease, productUnavailable, other, upgraded, refunded, familySharingEnded,
    ]
  }

  /// A right.
  public init(
    entitlement: EntitlementName, state: State, expiresAt: Timestamp?, store: Store,
    environment: StoreEnvironment
  ) {
    self.entitlement = entitlement
    self.state = state
    self.expiresAt = expiresAt
    self.store = store
    self.environment = environment
  }

  /// Reads a right.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    entitlement = EntitlementName(try fields.string("entitlement", bytesMax: 255))
    state = State(rawValue: try fields.string("state", bytesMax: 64))
    expiresAt = try fields.optionallyConverted("expiresAt", "a date", { Timestamp(iso8601: $0) })
    store = try fields.converted("store", "a store", Store.init(rawValue:))
    environment = try fields.converted(
      "environment", "an environment", StoreEnvironment.init(rawValue:))
    willRenew = try fields.optionalBool("willRenew")
    renewsTo = try fields.optionalString("renewsTo", bytesMax: 255).map { ProductIdentifier($0) }
    gracePeriodExpiresAt = try fields.optionallyConverted("gracePeriodExpiresAt", "a date", { Timestamp(iso8601: $0) })
    reason = try fields.optionalString("reason", bytesMax: 64).map { Reason(rawValue: $0) }
  }

  /// The right as it is answered.
  public var json: JSONValue {
    .members([
      ("entitlement", .string(entitlement.text)), ("state", .string(state.rawValue)),
      ("expiresAt", expiresAt.map { .string($0.iso8601) }), ("store", .string(store.rawValue)),
      ("environment", .string(environment.rawValue)), ("willRenew", willRenew.map { .bool($0) }),
      ("renewsTo", renewsTo.map { .string($0.text) }),
      ("gracePeriodExpiresAt", gracePeriodExpiresAt.map { .string($0.iso8601) }),
      ("reason", reason.map { .string($0.rawValue) }),
    ])
  }
}

/// How many units a user has: one of the answers to `GET /v1/balances`.
public struct BalanceBody: Hashable, Sendable {
  /// What is counted.
  public var unit: UnitName
  /// How many; negative after a refund of what was spent.
  public var amount: Int64
  /// The world it belongs to.
  public var environment: StoreEnvironment
  /// Since when nothing may be spent of it, because a refund took back more than there was; nil where it may.
  public var frozenSince: Timestamp?

  /// A balance.
  public init(unit: UnitName, amount: Int64, environment: StoreEnvironment) {
    self.unit = unit
    self.amount = amount
    self.environment = environment
  }

  /// Reads a balance.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    unit = UnitName(try fields.string("unit", bytesMax: 255))
    amount = try fields.integer("amount")
    environment = try fields.converted(
      "environment", "an environment", StoreEnvironment.init(rawValue:))
    frozenSince = try fields.optionallyConverted("frozenSince", "a date", { Timestamp(iso8601: $0) })
  }

  /// The balance as it is answered.
  public var json: JSONValue {
    .members([
      ("unit", .string(unit.text)), ("amount", .integer(amount)),
      ("environment", .string(environment.rawValue)),
      ("frozenSince", frozenSince.map { .string($0.iso8601) }),
    ])
  }
}
