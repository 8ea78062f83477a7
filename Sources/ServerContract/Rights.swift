public import PaymentVocabulary
public import StrictJSON

/// `GET /v1/entitlements`: what a user has a right to, computed from signed facts only.
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

  /// How a right stands. The first two give access.
  public enum State: String, CaseIterable, Sendable {
    /// It holds.
    case active
    /// It holds although the renewal could not be charged, for a while.
    case gracePeriod
    /// The renewal could not be charged, and the store still tries; no access.
    case billingRetry
    /// Its time is over.
    case expired
    /// The store took it back.
    case revoked

    /// Whether the user may use what it gives.
    public var givesAccess: Bool { self == .active || self == .gracePeriod }
  }

  /// Why a right ended.
  public enum Reason: String, CaseIterable, Sendable {
    /// The buyer cancelled the subscription.
    case cancelled
    /// The renewal could not be charged.
    case billingError
    /// The buyer did not agree to a higher price.
    case priceIncrease
    /// The product could not be sold any more.
    case productUnavailable
    /// Another reason of the store's.
    case other
    /// The buyer went over to another product of the subscription.
    case upgraded
    /// The store gave the money back.
    case refunded
    /// The family does not share it any more.
    case familySharingEnded
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
    state = try fields.converted("state", "a state", State.init(rawValue:))
    expiresAt = try fields.optionallyConverted("expiresAt", "a date", { Timestamp(iso8601: $0) })
    store = try fields.converted("store", "a store", Store.init(rawValue:))
    environment = try fields.converted(
      "environment", "an environment", StoreEnvironment.init(rawValue:))
    willRenew = try fields.optionalBool("willRenew")
    renewsTo = try fields.optionalString("renewsTo", bytesMax: 255).map { ProductIdentifier($0) }
    gracePeriodExpiresAt = try fields.optionallyConverted("gracePeriodExpiresAt", "a date", { Timestamp(iso8601: $0) })
    reason = try fields.optionalString("reason", bytesMax: 64).flatMap { Reason(rawValue: $0) }
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

/// `GET /v1/balances`: how many units a user has.
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
