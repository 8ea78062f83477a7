/// The reason for an Advanced Commerce offer.
package enum AdvancedCommerceOfferReason: String, CaseIterable, Sendable {
  case acquisition = "ACQUISITION"
  case winBack = "WIN_BACK"
  case retention = "RETENTION"
}
