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

  /// Whether a right holds.
  public enum State: String, CaseIterable, Sendable {
    /// It holds.
    case active
    /// Its time is over.
    case expired
    /// The store took it back.
    case revoked
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
  }

  /// The right as it is answered.
  public var json: JSONValue {
    .members([
      ("entitlement", .string(entitlement.text)), ("state", .string(state.rawValue)),
      ("expiresAt", expiresAt.map { .string($0.iso8601) }), ("store", .string(store.rawValue)),
      ("environment", .string(environment.rawValue)),
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
