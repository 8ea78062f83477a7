/// The length of one period of an Advanced Commerce offer.
package enum AdvancedCommerceOfferPeriod: String, CaseIterable, Sendable {
  case p3d = "P3D"
  case p1w = "P1W"
  case p2w = "P2W"
  case p1m = "P1M"
  case p2m = "P2M"
  case p3m = "P3M"
  case p6m = "P6M"
  case p9m = "P9M"
  case p1y = "P1Y"
}
