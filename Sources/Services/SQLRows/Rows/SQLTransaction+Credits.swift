import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Sums of what bookings credited.
extension SQLTransaction {
  func creditedUnits(
    to user: UserIdentifier, unit: UnitName, since moment: Timestamp, in appEnvironment: AppEnvironment
  ) throws -> Int64 {
    try first(
      CreditSQL.ofUser,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(unit)
        $0.add(moment)
      }, CreditSQL.readSum) ?? 0
  }

  func sumsOfCredits(
    givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [CreditSum] {
    try all(
      CreditSQL.sums,
      {
        $0.add(appEnvironment)
        $0.add(range.lowerBound)
        $0.add(range.upperBound)
      }, { row in CreditSum(row.identifier(), count: row.int(), amount: CreditSQL.readSum(&row)) })
  }
}

/// The statements about credits.
enum CreditSQL {
  // The halves of each amount are summed separately, so that no sum leaves the range of 64 bits.
  private static let halves = """
    CAST(coalesce(sum(amount >> 32), 0) AS bigint), CAST(coalesce(sum(amount & 4294967295), 0) AS bigint)
    """
  static let ofUser = SQL(
    """
    SELECT \(halves) FROM bookings \(hint: "bookings_of_credits")
    WHERE app = ? AND environment = ? AND user_id = ? AND unit = ? AND at >= ? AND kind = 'credit'
    """)
  static let sums = SQL(
    """
    SELECT unit, count(*), \(halves) FROM bookings \(hint: "bookings_credited_at")
    WHERE \(listed: "bookings") AND at >= ? AND at < ? AND kind = 'credit' GROUP BY unit ORDER BY unit
    """)

  static let all = [ofUser, sums]

  static func readSum(_ row: inout Columns) -> Int64 {
    let (high, low) = (row.integer(), row.integer())
    let (sum, overflows) = (high << 32).addingReportingOverflow(low)
    return high >= 1 << 31 || overflows ? .max : sum
  }
}
