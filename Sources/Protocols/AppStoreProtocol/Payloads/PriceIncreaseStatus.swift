/// What a customer said to a higher price.
package enum PriceIncreaseStatus: Int64, CaseIterable, Sendable {
  case customerHasNotResponded = 0
  /// Agreed, or was told where no agreement is needed.
  case customerConsentedOrWasNotifiedWithoutNeedingConsent = 1
}
