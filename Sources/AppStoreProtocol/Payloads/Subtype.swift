/// The particular of a notification.
public enum Subtype: String, CaseIterable, Sendable {
  /// For the first time.
  case initialBuy = "INITIAL_BUY"
  /// Again.
  case resubscribe = "RESUBSCRIBE"
  /// To a lower plan, at the next renewal.
  case downgrade = "DOWNGRADE"
  /// To a higher plan, at once.
  case upgrade = "UPGRADE"
  /// Renewal on.
  case autoRenewEnabled = "AUTO_RENEW_ENABLED"
  /// Renewal off.
  case autoRenewDisabled = "AUTO_RENEW_DISABLED"
  /// The customer had turned renewal off.
  case voluntary = "VOLUNTARY"
  /// It could not be charged.
  case billingRetry = "BILLING_RETRY"
  /// The customer did not agree to a higher price.
  case priceIncrease = "PRICE_INCREASE"
  /// The customer keeps access meanwhile.
  case gracePeriod = "GRACE_PERIOD"
  /// The customer has not answered yet.
  case pending = "PENDING"
  /// The customer agreed.
  case accepted = "ACCEPTED"
  /// A payment that had failed was made.
  case billingRecovery = "BILLING_RECOVERY"
  /// The product was no longer for sale.
  case productNotForSale = "PRODUCT_NOT_FOR_SALE"
  /// All done.
  case summary = "SUMMARY"
  /// One failed.
  case failure = "FAILURE"
  /// A token was made and not reported.
  case unreported = "UNREPORTED"
  /// A token was made.
  case created = "CREATED"
  /// A token is still in force.
  case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
  /// Some seats; the transaction stays valid (2.23).
  case seats = "SEATS"
}
