/// What a customer said to a higher price.
public enum PriceIncreaseStatus: Int64, CaseIterable, Sendable {
  /// Nothing yet.
  case customerHasNotResponded = 0
  /// Agreed, or was told where no agreement is needed.
  case customerConsentedOrWasNotifiedWithoutNeedingConsent = 1
}
