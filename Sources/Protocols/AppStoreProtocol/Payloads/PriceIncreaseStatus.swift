/// The customer's answer to a price increase.
package enum PriceIncreaseStatus: Int64, CaseIterable, Sendable {
  case customerHasNotResponded = 0
  /// The customer agreed, or was informed of an increase that needs no consent.
  case customerConsentedOrWasNotifiedWithoutNeedingConsent = 1
}
