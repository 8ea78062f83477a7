/// The kind of offer that a subscription was bought with.
package enum OfferType: Int64, CaseIterable, Sendable {
  case introductoryOffer = 1
  case promotionalOffer = 2
  case offerCode = 3
  case winBackOffer = 4
}
