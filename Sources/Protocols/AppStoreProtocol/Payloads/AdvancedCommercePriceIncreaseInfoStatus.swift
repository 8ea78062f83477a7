/// How far a higher price of an Advanced Commerce item is.
package enum AdvancedCommercePriceIncreaseInfoStatus: String, CaseIterable, Sendable {
  case scheduled = "SCHEDULED"
  case pending = "PENDING"
  case accepted = "ACCEPTED"
}
