/// A signed statement of the store on how a subscription continues: Apple's `JWSRenewalInfoDecodedPayload` in terms
/// that need no store. It does not contain money; a renewal is a separate payment.
public struct VerifiedRenewal: Hashable, Sendable {
  /// The subscription: (app, store, environment, `originalTransactionId`).
  public var subscription: PaymentKey
  /// When the store signed this; decides which of two statements is newer.
  public var signedDate: Timestamp
  /// Apple's `autoRenewStatus`: whether it renews at the end of its period.
  public var willRenew: Bool
  /// Apple's `autoRenewProductId`: the product of the next renewal.
  public var renewsTo: StoreProductIdentifier?
  /// Apple's `expirationIntent`: why it ended.
  public var expiration: Expiration?
  /// Apple's `isInBillingRetryPeriod`: whether the store still retries the charge of a failed renewal.
  public var isInBillingRetry: Bool
  /// Until when the buyer keeps access although the renewal failed.
  public var gracePeriodExpiresDate: Timestamp?
  /// When it renews next.
  public var renewalDate: Timestamp?
  /// Apple's `priceIncreaseStatus`: whether the buyer agreed to a higher price.
  public var priceIncrease: PriceIncrease?
  /// The price of the next renewal.
  public var renewalPrice: StatedPrice?

  /// Why a subscription ended.
  public enum Expiration: String, Hashable, CaseIterable, Sendable {
    /// The buyer cancelled it.
    case cancelled
    /// The charge for the renewal failed.
    case billingError
    /// The buyer did not agree to a higher price.
    case priceIncrease
    /// The product was no longer available.
    case productUnavailable
    /// Another reason, or one that this version does not know.
    case other
  }

  /// Whether the buyer agreed to a higher price.
  public enum PriceIncrease: String, Hashable, CaseIterable, Sendable {
    /// The buyer was asked and has not answered.
    case pending
    /// The buyer agreed, or only had to be informed.
    case accepted
  }

  /// A statement with the facts that it always has.
  public init(subscription: PaymentKey, signedDate: Timestamp, willRenew: Bool) {
    self.subscription = subscription
    self.signedDate = signedDate
    self.willRenew = willRenew
    self.isInBillingRetry = false
  }
}
