/// How an offer is paid.
public enum OfferDiscountType: String, CaseIterable, Sendable {
  /// Nothing.
  case freeTrial = "FREE_TRIAL"
  /// A lower price each period.
  case payAsYouGo = "PAY_AS_YOU_GO"
  /// Once for several periods.
  case payUpFront = "PAY_UP_FRONT"
  /// A one-time purchase.
  case oneTime = "ONE_TIME"
}
