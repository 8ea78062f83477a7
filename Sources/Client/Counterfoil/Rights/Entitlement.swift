import CounterfoilAPI
public import PaymentPrimitives

/// One entitlement of a user: the server computes it from the data that the stores signed, or the team gave it until a
/// date without a payment (`source`).
///
/// It is a snapshot. Only the next answer shows a later expiry, renewal or refund.
public struct Entitlement: Hashable, Sendable {
  /// The entitlement, by its name in the catalog.
  public var entitlement: EntitlementName
  /// The state; `state.givesAccess` says whether the user has access.
  public var state: State
  /// When it ends; nil if it does not end.
  public var expiresAt: Timestamp?
  /// Whether a subscription renews at its end; nil for anything else, and if the store has not said.
  public var willRenew: Bool?
  /// The product that it renews to, by Counterfoil's own id.
  public var renewsTo: ProductIdentifier?
  /// Until when the user keeps access although the renewal failed.
  public var gracePeriodExpiresAt: Timestamp?
  /// Why it ended, if the store has said.
  public var reason: Reason?
  /// The store that received the payment for it; subscriptions are managed there. Nil if no payment gives it.
  public var store: Store?
  /// Whether payments give it, or the team gave it. A user may have both under one name: neither replaces the other.
  public var source: Source
  /// The environment that it belongs to. Sandbox entitlements appear beside others only if the app's policy allows it.
  public var environment: StoreEnvironment

  /// An entitlement that does not end, for the tests of an app.
  public init(
    _ entitlement: EntitlementName, state: State, store: Store?, environment: StoreEnvironment,
    source: Source = .payment
  ) {
    self.entitlement = entitlement
    self.state = state
    self.store = store
    self.environment = environment
    self.source = source
  }

  init(_ body: EntitlementBody) {
    self.init(
      body.entitlement, state: State(rawValue: body.state.rawValue), store: body.store, environment: body.environment,
      source: Source(rawValue: body.source.rawValue))
    expiresAt = body.expiresAt
    willRenew = body.willRenew
    renewsTo = body.renewsTo
    gracePeriodExpiresAt = body.gracePeriodExpiresAt
    reason = body.reason.map { Reason(rawValue: $0.rawValue) }
  }

  /// Where an entitlement comes from: an open list. A value that this version does not know is kept as received.
  public struct Source: RawRepresentable, Hashable, Sendable {
    /// The server's value.
    public let rawValue: String

    /// A source from the server's value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Payments give it.
    public static let payment = Source(rawValue: EntitlementBody.Source.payment.rawValue)
    /// The team gave it until a date, without a payment.
    public static let promotional = Source(rawValue: EntitlementBody.Source.promotional.rawValue)
  }

  /// The state of an entitlement: an open list. A value that this version does not know is kept as received and gives
  /// no access: unknown is never success.
  public struct State: RawRepresentable, Hashable, Sendable {
    /// The server's value.
    public let rawValue: String

    /// A state from the server's value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The entitlement is valid.
    public static let active = State(rawValue: EntitlementBody.State.active.rawValue)
    /// Access continues for a while although the renewal could not be charged; ask the customer to check the payment
    /// method.
    public static let gracePeriod = State(rawValue: EntitlementBody.State.gracePeriod.rawValue)
    /// The renewal could not be charged, and the store still tries; no access.
    public static let billingRetry = State(rawValue: EntitlementBody.State.billingRetry.rawValue)
    /// The entitlement has ended.
    public static let expired = State(rawValue: EntitlementBody.State.expired.rawValue)
    /// The store revoked it.
    public static let revoked = State(rawValue: EntitlementBody.State.revoked.rawValue)

    /// Whether the user has access.
    public var givesAccess: Bool { EntitlementBody.State(rawValue: rawValue).givesAccess }
  }

  /// Why an entitlement ended: an open list. A value that this version does not know is kept as received.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The server's value.
    public let rawValue: String

    /// A reason from the server's value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The buyer cancelled the subscription.
    public static let cancelled = Reason(rawValue: EntitlementBody.Reason.cancelled.rawValue)
    /// The renewal could not be charged.
    public static let billingError = Reason(rawValue: EntitlementBody.Reason.billingError.rawValue)
    /// The buyer did not agree to a higher price.
    public static let priceIncrease = Reason(rawValue: EntitlementBody.Reason.priceIncrease.rawValue)
    /// The product is no longer for sale.
    public static let productUnavailable = Reason(rawValue: EntitlementBody.Reason.productUnavailable.rawValue)
    /// Another reason of the store.
    public static let other = Reason(rawValue: EntitlementBody.Reason.other.rawValue)
    /// The buyer changed to another product of the subscription.
    public static let upgraded = Reason(rawValue: EntitlementBody.Reason.upgraded.rawValue)
    /// The store refunded the money.
    public static let refunded = Reason(rawValue: EntitlementBody.Reason.refunded.rawValue)
    /// Family Sharing of it ended.
    public static let familySharingEnded = Reason(rawValue: EntitlementBody.Reason.familySharingEnded.rawValue)
  }
}
