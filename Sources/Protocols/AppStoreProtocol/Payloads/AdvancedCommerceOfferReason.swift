/// Why an Advanced Commerce offer was made.
package enum AdvancedCommerceOfferReason: String, CaseIterable, Sendable {
  case acquisition = "ACQUISITION"
  case winBack = "WIN_BACK"
  case retention = "RETENTION"
}
