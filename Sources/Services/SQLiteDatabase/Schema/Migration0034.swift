/// What reports read of credits by time (record 314). Bookings of another kind are not in the index. It has all columns
/// that a report needs.
enum Migration0034 {
  static let statements = [
    """
    CREATE INDEX bookings_credited_at ON bookings (app, environment, at, unit, amount, kind) WHERE kind = 'credit'
    """
  ]
}
