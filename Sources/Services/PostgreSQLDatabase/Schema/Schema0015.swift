/// What reports read of credits by time: SQLite's step 34 (record 314). The step only adds.
enum Schema0015 {
  static let statements = [
    """
    CREATE INDEX bookings_credited_at ON bookings ((app || ' ' || environment), at) WHERE kind = 'credit'
    """
  ]
}
