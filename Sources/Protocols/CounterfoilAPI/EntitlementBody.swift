public import PaymentPrimitives
public import StrictJSON

/// An entitlement of a user, computed from signed facts only: an element of the answer to `GET /v1/entitlements`.
public struct EntitlementBody: Hashable, Sendable {
  /// The name of the entitlement.
  public var entitlement: EntitlementName
  /// Its state now.
  public var state: State
  /// Its end; nil if it lasts.
  public var expiresAt: Timestamp?
  /// The store of the payment that gives it (of several: that gives it longest); nil if no payment gives it.
  public var store: Store?
  /// Whether payments give it, or it was given without one.
  public var source: Source
  /// The environment of the entitlement.
  public var environment: StoreEnvironment
  /// Whether a subscription renews at its end; nil for anything else, and if the store has not said.
  public var willRenew: Bool?
  /// The product of the next renewal, by our own id.
  public var renewsTo: ProductIdentifier?
  /// Until when the buyer keeps access although the renewal failed.
  public var gracePeriodExpiresAt: Timestamp?
  /// Why it ended, if the store has said.
  public var reason: Reason?

  /// Where an entitlement comes from. A value that this version does not know is kept as received.
  public struct Source: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// The value as received.
    public let rawValue: String

    /// A source from any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Payments give it.
    public static let payment = Source(rawValue: "payment")
    /// It was given until a date, without a payment.
    public static let promotional = Source(rawValue: "promotional")
    /// The sources that this version knows.
    public static let allCases = [payment, promotional]
  }

  /// The state of an entitlement. The first two give access. A value that this version does not know is kept as
  /// received and gives no access: unknown is never success.
  public struct State: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// The value as received.
    public let rawValue: String

    /// A state from any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The entitlement holds.
    public static let active = State(rawValue: "active")
    /// The charge for the renewal failed; access continues for a limited time.
    public static let gracePeriod = State(rawValue: "gracePeriod")
    /// The charge for the renewal failed, and the store still retries; no access.
    public static let billingRetry = State(rawValue: "billingRetry")
    /// Its time is over.
    public static let expired = State(rawValue: "expired")
    /// The store took it back.
    public static let revoked = State(rawValue: "revoked")
    /// The states that this version knows.
    public static let allCases = [active, gracePeriod, billingRetry, expired, revoked]

    /// Whether the user may use what it gives.
    public var givesAccess: Bool { self == .active || self == .gracePeriod }
  }

  /// Why an entitlement ended. A value that this version does not know is kept as received.
  public struct Reason: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// The value as received.
    public let rawValue: String

    /// A reason from any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The buyer cancelled the subscription.
    public static let cancelled = Reason(rawValue: "cancelled")
    /// The charge for the renewal failed.
    public static let billingError = Reason(rawValue: "billingError")
    /// The buyer did not agree to a higher price.
    public static let priceIncrease = Reason(rawValue: "priceIncrease")
    /// The product was no longer available.
    public static let productUnavailable = Reason(rawValue: "productUnavailable")
    /// Another reason of the store.
    public static let other = Reason(rawValue: "other")
    /// The buyer changed to another product of the subscription.
    public static let upgraded = Reason(rawValue: "upgraded")
    /// The store refunded the money.
    public static let refunded = Reason(rawValue: "refunded")
    /// The family no longer shares it.
    public static let familySharingEnded = Reason(rawValue: "familySharingEnded")
    /// The reasons that this version knows.
    public static let allCases = [
      cancelled, billingError, priceIncrease, productUnavailable, other, upgraded, refunded, familySharingEnded,
    ]
  }

  /// An entitlement with its required fields.
  public init(
    entitlement: EntitlementName, state: State, expiresAt: Timestamp?, store: Store?,
    environment: StoreEnvironment, source: Source = .payment
  ) {
    self.entitlement = entitlement
    self.state = state
    self.expiresAt = expiresAt
    self.store = store
    self.environment = environment
    self.source = source
  }

  /// Reads an entitlement.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    entitlement = EntitlementName(try fields.string("entitlement", bytesMax: 255))
    state = State(rawValue: try fields.string("state", bytesMax: 64))
    expiresAt = try fields.optionallyConverted("expiresAt", "a date", { Timestamp(iso8601: $0) })
    source = try fields.optionalString("source", bytesMax: 64).map { Source(rawValue: $0) } ?? .payment
    store =
      source == .payment
      ? try fields.converted("store", "a store", Store.init(rawValue:))
      : try fields.optionallyConverted("store", "a store", Store.init(rawValue:))
    environment = try fields.converted(
      "environment", "an environment", StoreEnvironment.init(rawValue:))
    willRenew = try fields.optionalBool("willRenew")
    renewsTo = try fields.optionalString("renewsTo", bytesMax: 255).map { ProductIdentifier($0) }
    gracePeriodExpiresAt = try fields.optionallyConverted("gracePeriodExpiresAt", "a date", { Timestamp(iso8601: $0) })
    reason = try fields.optionalString("reason", bytesMax: 64).map { Reason(rawValue: $0) }
  }

  /// The entitlement as in an answer.
  public var json: JSONValue {
    .members([
      ("entitlement", .string(entitlement.text)), ("state", .string(state.rawValue)),
      ("expiresAt", expiresAt.map { .string($0.iso8601) }), ("store", store.map { .string($0.rawValue) }),
      ("source", source == .payment ? nil : .string(source.rawValue)),
      ("environment", .string(environment.rawValue)), ("willRenew", willRenew.map { .bool($0) }),
      ("renewsTo", renewsTo.map { .string($0.text) }),
      ("gracePeriodExpiresAt", gracePeriodExpiresAt.map { .string($0.iso8601) }),
      ("reason", reason.map { .string($0.rawValue) }),
    ])
  }
}

/// A balance of a user: an element of the answer to `GET /v1/balances`.
public struct BalanceBody: Hashable, Sendable {
  /// The unit that is counted.
  public var unit: UnitName
  /// The number of units; negative after a refund of spent units.
  public var amount: Int64
  /// The environment of the balance.
  public var environment: StoreEnvironment
  /// Since when the user cannot spend from it, because a refund took more than there was; nil if it is not frozen.
  public var frozenSince: Timestamp?
  /// How many of all units that came to it were given without a payment; nil if none were.
  public var credited: Int64?

  /// A balance of a unit.
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
    credited = try fields.optionalInteger("credited", in: 1 ... .max)
  }

  /// The balance as in an answer.
  public var json: JSONValue {
    .members([
      ("unit", .string(unit.text)), ("amount", .integer(amount)),
      ("environment", .string(environment.rawValue)),
      ("frozenSince", frozenSince.map { .string($0.iso8601) }), ("credited", credited.map { .integer($0) }),
    ])
  }
}
