/// The state of a price increase of an Advanced Commerce item.
package enum AdvancedCommercePriceIncreaseInfoStatus: String, CaseIterable, Sendable {
  case scheduled = "SCHEDULED"
  case pending = "PENDING"
  case accepted = "ACCEPTED"
}
