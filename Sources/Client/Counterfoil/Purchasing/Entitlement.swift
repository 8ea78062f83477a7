public import PaymentPrimitives
import CounterfoilAPI

/// What a user has a right to, as the server computed it from what the stores signed.
///
/// It is a word of one moment: an end that has passed since, a renewal or a refund is the next answer's to tell.
public struct Entitlement: Hashable, Sendable {
  /// The right, by its name in the catalog.
  public var entitlement: EntitlementName
  /// How it stands; `state.givesAccess` says whether the user may use it.
  public var state: State
  /// Its end; nil when it lasts.
  public var expiresAt: Timestamp?
  /// Whether a subscription renews at its end; nil for anything else, and where the store has not said.
  public var willRenew: Bool?
  /// The product that it renews to, by our own id.
  public var renewsTo: ProductIdentifier?
  /// Until when he keeps his access although the renewal failed.
  public var gracePeriodExpiresAt: Timestamp?
  /// Why it ended, where the store has said.
  public var reason: Reason?
  /// The store whose payment gives it: subscriptions are managed there.
  public var store: Store
  /// The world it belongs to. Rights of the sandbox are shown beside others only where the app's policy says so.
  public var environment: StoreEnvironment

  /// A right that lasts, for the tests of an app.
  public init(_ entitlement: EntitlementName, state: State, store: Store, environment: StoreEnvironment) {
    self.entitlement = entitlement
    self.state = state
    self.store = store
    self.environment = environment
  }

  init(_ body: EntitlementBody) {
    self.init(
      body.entitlement, state: State(rawValue: body.state.rawValue), store: body.store, environment: body.environment)
    expiresAt = body.expiresAt
    willRenew = body.willRenew
    renewsTo = body.renewsTo
    gracePeriodExpiresAt = body.gracePeriodExpiresAt
    reason = body.reason.map { Reason(rawValue: $0.rawValue) }
  }

  /// How a right stands: an open list. A word that this version does not know is kept as it came and gives no access:
  /// unknown is never success.
  public struct State: RawRepresentable, Hashable, Sendable {
    /// The server's word.
    public let rawValue: String

    /// A word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It holds.
    public static let active = State(rawValue: EntitlementBody.State.active.rawValue)
    /// It holds although the renewal could not be charged, for a while: ask the customer to look at how he pays.
    public static let gracePeriod = State(rawValue: EntitlementBody.State.gracePeriod.rawValue)
    /// The renewal could not be charged, and the store still tries; no access.
    public static let billingRetry = State(rawValue: EntitlementBody.State.billingRetry.rawValue)
    /// Its time is over.
    public static let expired = State(rawValue: EntitlementBody.State.expired.rawValue)
    /// The store took it back.
    public static let revoked = State(rawValue: EntitlementBody.State.revoked.rawValue)

    /// Whether the user may use what it gives.
    public var givesAccess: Bool { EntitlementBody.State(rawValue: rawValue).givesAccess }
  }

  /// Why a right ended: an open list. A word that this version does not know is kept as it came.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The server's word.
    public let rawValue: String

    /// A word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The buyer cancelled the subscription.
    public static let cancelled = Reason(rawValue: EntitlementBody.Reason.cancelled.rawValue)
    /// The renewal could not be charged.
    public static let billingError = Reason(rawValue: EntitlementBody.Reason.billingError.rawValue)
    /// The buyer did not agree to a higher price.
    public static let priceIncrease = Reason(rawValue: EntitlementBody.Reason.priceIncrease.rawValue)
    /// The product could not be sold any more.
    public static let productUnavailable = Reason(rawValue: EntitlementBody.Reason.productUnavailable.rawValue)
    /// Another reason of the store's.
    public static let other = Reason(rawValue: EntitlementBody.Reason.other.rawValue)
    /// The buyer went over to another product of the subscription.
    public static let upgraded = Reason(rawValue: EntitlementBody.Reason.upgraded.rawValue)
    /// The store gave the money back.
    public static let refunded = Reason(rawValue: EntitlementBody.Reason.refunded.rawValue)
    /// The family does not share it any more.
    public static let familySharingEnded = Reason(rawValue: EntitlementBody.Reason.familySharingEnded.rawValue)
  }
}
