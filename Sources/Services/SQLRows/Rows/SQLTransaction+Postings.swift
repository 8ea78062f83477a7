import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func postings(of payment: PaymentKey) throws -> [Posting] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(PostingSQL.ofPayment, { $0.add(identifier) }) { row in
      let appEnvironment = try row.appEnvironment()
      let unit: UnitName = row.identifier()
      let debit = try Self.account(&row)
      let credit = try Self.account(&row)
      return Posting(
        appEnvironment: appEnvironment, unit: unit, debit: debit, credit: credit, amount: row.integer(),
        payment: payment, cause: row.text(), at: row.timestamp())
    }
  }

  static func account(_ row: inout Columns) throws -> LedgerAccount {
    let user: UserIdentifier? = row.optionalIdentifier()
    let name = row.optionalText()
    if let user { return .user(user) }
    guard let account = name.flatMap({ LedgerAccount(named: $0) }) else { throw row.damage("an account") }
    return account
  }

  func balance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Balance? {
    try first(
      PostingSQL.balance,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(unit)
      }, Self.balance)
  }

  func balances(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Balance] {
    try all(
      PostingSQL.balancesOfUser,
      {
        $0.add(appEnvironment)
        $0.add(user)
      }, Self.balance)
  }

  func balances(after balance: Balance?, limit: Int) throws -> [Balance] {
    try all(
      balance == nil ? PostingSQL.balancesFromStart : PostingSQL.balancesAfter,
      {
        if let balance {
          $0.add(balance.appEnvironment)
          $0.add(balance.user)
          $0.add(balance.unit)
        }
        $0.add(max(0, limit))
      }, Self.balance)
  }

  static func balance(_ row: inout Columns) throws -> Balance {
    let appEnvironment = try row.appEnvironment()
    let user: UserIdentifier = row.identifier()
    return Balance(
      appEnvironment: appEnvironment, user: user, unit: row.identifier(), amount: row.integer(),
      frozenSince: row.optionalTimestamp())
  }

  func sumOfPostings(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws -> Int64 {
    func sum(_ sql: SQL) throws -> Int64 {
      let halves = try first(
        sql,
        {
          $0.add(appEnvironment)
          $0.add(user)
          $0.add(unit)
        }, { (high: $0.integer(), low: $0.integer()) })
      guard let halves else { return 0 }
      return halves.high << 32 &+ halves.low
    }
    return try sum(PostingSQL.sumReceived) &- sum(PostingSQL.sumGiven)
  }

  // MARK: Writes

  func insert(_ posting: Posting) throws {
    guard case .payment(let payment, _) = posting.source else {
      throw inconsistent("A booking's posting is written with the booking.")
    }
    try insert(posting, payment: try identifierForWriting(of: payment), booking: nil)
  }

  func insert(_ posting: Posting, payment: Int64?, booking: Int64?) throws {
    try write(PostingSQL.insert) {
      $0.add(posting.appEnvironment)
      $0.add(posting.unit)
      Self.bind(posting.debit, &$0)
      Self.bind(posting.credit, &$0)
      $0.add(posting.amount)
      $0.add(payment)
      $0.add(posting.cause)
      $0.add(booking)
      $0.add(posting.at)
    }
    if case .user(let user) = posting.debit { try move(0 &- posting.amount, to: user, posting) }
    if case .user(let user) = posting.credit { try move(posting.amount, to: user, posting) }
  }

  private static func bind(_ account: LedgerAccount, _ row: inout Parameters) {
    switch account {
    case .user(let user):
      row.add(user)
      row.addNull()
    case .issued, .spent, .credited, .writtenOff, .merged:
      row.addNull()
      row.add(account.text)
    }
  }

  /// A sum beyond 64 bits fails as `balanceOutOfRange`, when the write runs.
  private func move(_ amount: Int64, to user: UserIdentifier, _ posting: Posting) throws {
    try write(PostingSQL.moveBalance) {
      $0.add(posting.appEnvironment)
      $0.add(user)
      $0.add(posting.unit)
      $0.add(amount)
    }
  }
}

/// The statements for postings and balances.
enum PostingSQL {
  static let insert = SQL(
    """
    INSERT INTO postings (
      app, environment, unit, debit_user, debit_account, credit_user, credit_account, amount, payment,
      cause, booking, at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let moveBalance = SQL(
    """
    INSERT INTO balances (app, environment, user_id, unit, amount) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, user_id, unit) DO UPDATE SET
      amount = balances.amount + excluded.amount,
      frozen_since = CASE WHEN balances.amount + excluded.amount < 0 THEN balances.frozen_since END
    """)
  static let ofPayment = SQL(
    """
    SELECT app, environment, unit, debit_user, debit_account, credit_user, credit_account, amount, cause, at
    FROM postings WHERE payment = ? ORDER BY id
    """)
  static let balancesOfUser = SQL(
    """
    SELECT app, environment, user_id, unit, amount, frozen_since FROM balances
    WHERE app = ? AND environment = ? AND user_id = ? ORDER BY unit
    """)
  static let balance = SQL(
    """
    SELECT app, environment, user_id, unit, amount, frozen_since FROM balances
    WHERE app = ? AND environment = ? AND user_id = ? AND unit = ?
    """)
  static let balancesFromStart = SQL(
    """
    SELECT app, environment, user_id, unit, amount, frozen_since FROM balances
    ORDER BY app, environment, user_id, unit LIMIT ?
    """)
  static let balancesAfter = SQL(
    """
    SELECT app, environment, user_id, unit, amount, frozen_since FROM balances
    WHERE (app, environment, user_id, unit) > (?, ?, ?, ?)
    ORDER BY app, environment, user_id, unit LIMIT ?
    """)
  static let sumReceived = sum("postings_to_user", "credit_user")
  static let sumGiven = sum("postings_from_user", "debit_user")

  /// The two halves of each amount are summed separately, so that no sum leaves the range of 64 bits.
  private static func sum(_ index: String, _ account: String) -> SQL {
    SQL(
      """
      SELECT
        CAST(coalesce(sum(amount >> 32), 0) AS bigint), CAST(coalesce(sum(amount & 4294967295), 0) AS bigint)
      FROM postings \(hint: index)
      WHERE app = ? AND environment = ? AND \(account) = ? AND unit = ?
      """)
  }

  static let all = [
    insert, moveBalance, ofPayment, balancesOfUser, balance, balancesFromStart, balancesAfter, sumReceived,
    sumGiven,
  ]
}
