import PaymentDatabase
import PaymentModel
import PaymentPrimitives

// Payments by a time that the store states, for reports.
extension SQLTransaction {
  func payments(_ query: StatedTimeQuery) throws -> [Payment] {
    let last = query.last.flatMap { payment in query.time.time(of: payment).map { (at: $0, key: payment.key) } }
    return try all(
      StatedTimeSQL.payments(by: query.time, isContinued: last != nil),
      {
        $0.add(query.appEnvironment)
        $0.add(max(query.range.lowerBound, last?.at ?? query.range.lowerBound))
        $0.add(query.range.upperBound)
        if let last {
          $0.add(last.at)
          $0.add(last.key.transaction)
          $0.add(last.key.store.rawValue)
        }
        $0.add(max(0, query.limit))
      }, PaymentRow.readWithKey)
  }
}

enum StatedTimeSQL {
  static func payments(by time: StatedTime, isContinued: Bool) -> SQL {
    switch time {
    case .takenBack: isContinued ? takenBackAfter : takenBack
    case .periodEnd: isContinued ? periodsAfter : periods
    }
  }

  private static let takenBack = stated("payments_taken_back", "revocation_date")
  private static let takenBackAfter = stated("payments_taken_back", "revocation_date", isContinued: true)
  private static let periods = stated("payments_period_end", "expires_date")
  private static let periodsAfter = stated("payments_period_end", "expires_date", isContinued: true)

  private static func stated(_ index: String, _ column: String, isContinued: Bool = false) -> SQL {
    let after = isContinued ? "AND (p.\(column), k.transaction_id, k.store) > (?, ?, ?)" : ""
    return SQL(
      """
      SELECT \(PaymentRow.keyColumns), \(PaymentRow.columns)
      FROM payments AS p \(hint: index) JOIN payment_keys AS k ON k.id = p.id
      WHERE p.app = ? AND p.environment = ? AND p.\(column) >= ? AND p.\(column) < ? \(after)
      ORDER BY p.\(column), k.transaction_id, k.store LIMIT ?
      """)
  }

  static let all = [takenBack, takenBackAfter, periods, periodsAfter]
}
