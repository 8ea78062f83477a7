/// How an Advanced Commerce refund was reckoned.
package enum AdvancedCommerceRefundType: String, CaseIterable, Sendable {
  case full = "FULL"
  case prorated = "PRORATED"
  case custom = "CUSTOM"
}
