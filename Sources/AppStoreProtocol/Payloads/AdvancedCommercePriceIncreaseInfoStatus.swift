/// How far a higher price of an Advanced Commerce item is.
public enum AdvancedCommercePriceIncreaseInfoStatus: String, CaseIterable, Sendable {
  /// Planned.
  case scheduled = "SCHEDULED"
  /// Waiting for the customer.
  case pending = "PENDING"
  /// Agreed.
  case accepted = "ACCEPTED"
}
