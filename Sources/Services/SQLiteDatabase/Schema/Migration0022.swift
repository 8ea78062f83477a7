/// Deliveries are listed in the order of their numbers: a reader who goes on after one misses none that was committed
/// later. Every index ends with the number of the row.
enum Migration0022 {
  static let statements = [
    "CREATE INDEX deliveries_in_order ON deliveries (app, environment)",
    "DROP INDEX deliveries_by_time",
  ]
}
