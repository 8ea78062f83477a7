/// How long a period of an Advanced Commerce subscription is.
public enum AdvancedCommercePeriod: String, CaseIterable, Sendable {
  /// A week.
  case p1w = "P1W"
  /// A month.
  case p1m = "P1M"
  /// Two months.
  case p2m = "P2M"
  /// Three months.
  case p3m = "P3M"
  /// Six months.
  case p6m = "P6M"
  /// A year.
  case p1y = "P1Y"
}
