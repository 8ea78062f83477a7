/// The length of one period of an Advanced Commerce subscription.
package enum AdvancedCommercePeriod: String, CaseIterable, Sendable {
  case p1w = "P1W"
  case p1m = "P1M"
  case p2m = "P2M"
  case p3m = "P3M"
  case p6m = "P6M"
  case p1y = "P1Y"
}
