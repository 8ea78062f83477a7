/// How the amount of an Advanced Commerce refund was calculated.
package enum AdvancedCommerceRefundType: String, CaseIterable, Sendable {
  case full = "FULL"
  case prorated = "PRORATED"
  case custom = "CUSTOM"
}
