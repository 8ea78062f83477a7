package enum Subtype: String, CaseIterable, Sendable {
  case initialBuy = "INITIAL_BUY"
  case resubscribe = "RESUBSCRIBE"
  /// A change to a lower plan, at the next renewal.
  case downgrade = "DOWNGRADE"
  /// A change to a higher plan, at once.
  case upgrade = "UPGRADE"
  case autoRenewEnabled = "AUTO_RENEW_ENABLED"
  case autoRenewDisabled = "AUTO_RENEW_DISABLED"
  /// The customer had turned off renewal.
  case voluntary = "VOLUNTARY"
  case billingRetry = "BILLING_RETRY"
  /// The customer did not agree to a higher price.
  case priceIncrease = "PRICE_INCREASE"
  case gracePeriod = "GRACE_PERIOD"
  /// The customer has not answered yet.
  case pending = "PENDING"
  case accepted = "ACCEPTED"
  /// A payment succeeded after a failure.
  case billingRecovery = "BILLING_RECOVERY"
  /// The product was no longer for sale.
  case productNotForSale = "PRODUCT_NOT_FOR_SALE"
  case summary = "SUMMARY"
  case failure = "FAILURE"
  /// A token was created but not reported.
  case unreported = "UNREPORTED"
  case created = "CREATED"
  /// A token is still active.
  case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
  /// Only some of the seats; the transaction stays valid (2.23).
  case seats = "SEATS"
}
