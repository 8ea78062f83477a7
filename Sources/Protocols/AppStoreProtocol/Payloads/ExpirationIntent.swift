package enum ExpirationIntent: Int64, CaseIterable, Sendable {
  case customerCancelled = 1
  case billingError = 2
  /// The customer did not agree to a higher price.
  case customerDidNotConsentToPriceIncrease = 3
  /// The product was no longer for sale.
  case productNotAvailable = 4
  case other = 5
}
