/// What kind of offer a subscription was bought with.
public enum OfferType: Int64, CaseIterable, Sendable {
  /// Introductory.
  case introductoryOffer = 1
  /// Promotional.
  case promotionalOffer = 2
  /// By an offer code.
  case offerCode = 3
  /// For customers who had left.
  case winBackOffer = 4
}
