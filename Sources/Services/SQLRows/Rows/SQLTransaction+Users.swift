import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Merges of users, and their spending limits.
extension SQLTransaction {
  func merge(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserMerge? {
    try first(
      UserSQL.merge,
      {
        $0.add(appEnvironment)
        $0.add(user)
      },
      { row in
        UserMerge(
          appEnvironment: appEnvironment, user: user, into: row.identifier(), at: row.timestamp(), orders: row.int(),
          payments: row.int())
      })
  }

  func foresee(mergeOf user: UserIdentifier, in appEnvironment: AppEnvironment) {
    foresee(UserSQL.merge) {
      $0.add(appEnvironment)
      $0.add(user)
    }
  }

  func foresee(limitsOf user: UserIdentifier, in appEnvironment: AppEnvironment) {
    foresee(UserSQL.limits) {
      $0.add(appEnvironment)
      $0.add(user)
    }
  }

  func foresee(erasureOf user: UserIdentifier, in appEnvironment: AppEnvironment) {
    foresee(ErasureSQL.ofUser) {
      $0.add(appEnvironment.app)
      $0.add(user)
    }
  }

  private func foresee(_ sql: SQL, _ bind: (inout Parameters) -> Void) {
    guard connection.asksTogether, failure == nil else { return }
    // The answer is not read here. If it is not there yet, the closure runs again.
    try? connection.rows(sql, bind, { _ in false })
  }

  func spendingLimits(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [SpendingLimit] {
    try all(
      UserSQL.limits,
      {
        $0.add(appEnvironment)
        $0.add(user)
      },
      { row in
        let code = row.text()
        guard let currency = CurrencyCode(code) else { throw row.damage("a currency") }
        return SpendingLimit(
          appEnvironment: appEnvironment, user: user, currency: currency, minorUnits: row.optionalInteger(),
          setAt: row.timestamp())
      })
  }

  func insert(_ merge: UserMerge) throws {
    try write(UserSQL.insertMerge) {
      $0.add(merge.appEnvironment)
      $0.add(merge.user)
      $0.add(merge.into)
      $0.add(merge.at)
      $0.add(merge.orders)
      $0.add(merge.payments)
    }
  }

  func put(_ limit: SpendingLimit) throws {
    try write(UserSQL.putLimit) {
      $0.add(limit.appEnvironment)
      $0.add(limit.user)
      $0.add(limit.currency.code)
      $0.add(limit.minorUnits)
      $0.add(limit.setAt)
    }
  }
}

enum UserSQL {
  static let merge = SQL(
    """
    SELECT merged_into, at, orders, payments FROM merged_users WHERE app = ? AND environment = ? AND user_id = ?
    """)
  static let insertMerge = SQL(
    """
    INSERT INTO merged_users (app, environment, user_id, merged_into, at, orders, payments)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """)
  static let limits = SQL(
    """
    SELECT currency, minor_units, set_at FROM spending_limits
    WHERE app = ? AND environment = ? AND user_id = ? ORDER BY currency
    """)
  static let putLimit = SQL(
    """
    INSERT INTO spending_limits (app, environment, user_id, currency, minor_units, set_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, user_id, currency) DO UPDATE SET
      minor_units = excluded.minor_units, set_at = excluded.set_at
    """)

  static let all = [merge, insertMerge, limits, putLimit]
}
