/// Why a subscription expired.
public enum ExpirationIntent: Int64, CaseIterable, Sendable {
  /// The customer turned renewal off.
  case customerCancelled = 1
  /// It could not be charged.
  case billingError = 2
  /// The customer did not agree to a higher price.
  case customerDidNotConsentToPriceIncrease = 3
  /// The product was no longer for sale.
  case productNotAvailable = 4
  /// Another reason.
  case other = 5
}
