/// How long a period of an Advanced Commerce offer is.
public enum AdvancedCommerceOfferPeriod: String, CaseIterable, Sendable {
  /// Three days.
  case p3d = "P3D"
  /// A week.
  case p1w = "P1W"
  /// Two weeks.
  case p2w = "P2W"
  /// A month.
  case p1m = "P1M"
  /// Two months.
  case p2m = "P2M"
  /// Three months.
  case p3m = "P3M"
  /// Six months.
  case p6m = "P6M"
  /// Nine months.
  case p9m = "P9M"
  /// A year.
  case p1y = "P1Y"
}
