/// What the store signed about how a subscription goes on: Apple's `JWSRenewalInfoDecodedPayload` in words that need no
/// store. It says nothing of money; a renewal is a payment of its own.
public struct VerifiedRenewal: Hashable, Sendable {
  /// The line: (app, store, environment, `originalTransactionId`).
  public var line: PaymentKey
  /// When the store signed this; decides which of two statements is newer.
  public var signedDate: Timestamp
  /// Apple's `autoRenewStatus`: whether it renews at the end of its period.
  public var willRenew: Bool
  /// Apple's `autoRenewProductId`: what it renews to.
  public var renewsTo: StoreProductIdentifier?
  /// Apple's `expirationIntent`: why it ended.
  public var expiration: Expiration?
  /// Apple's `isInBillingRetryPeriod`: whether the store still tries to charge a renewal that failed.
  public var isInBillingRetry: Bool
  /// Until when the buyer keeps his access although the renewal failed.
  public var gracePeriodExpiresDate: Timestamp?
  /// When it renews next.
  public var renewalDate: Timestamp?
  /// Apple's `priceIncreaseStatus`: whether the buyer has agreed to a higher price.
  public var priceIncrease: PriceIncrease?

  /// Why a subscription ended.
  public enum Expiration: String, Hashable, CaseIterable, Sendable {
    /// The buyer cancelled it.
    case cancelled
    /// The renewal could not be charged.
    case billingError
    /// The buyer did not agree to a higher price.
    case priceIncrease
    /// The product could not be sold any more.
    case productUnavailable
    /// Another reason, or one that this version does not know.
    case other
  }

  /// Whether the buyer has agreed to a higher price.
  public enum PriceIncrease: String, Hashable, CaseIterable, Sendable {
    /// He was asked and has not answered.
    case pending
    /// He has agreed, or needed only be told.
    case accepted
  }

  /// A statement with what it always has.
  public init(line: PaymentKey, signedDate: Timestamp, willRenew: Bool) {
    self.line = line
    self.signedDate = signedDate
    self.willRenew = willRenew
    self.isInBillingRetry = false
  }
}
