import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Users who are erased, and where they are named.
extension SQLTransaction {
  // MARK: Queries

  func erasure(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserErasure? {
    try first(
      ErasureSQL.ofUser,
      {
        $0.add(appEnvironment.app)
        $0.add(user)
      }, Self.erasure)
  }

  func erasure(as alias: UserIdentifier, of app: AppIdentifier) throws -> UserErasure? {
    try first(
      ErasureSQL.byAlias,
      {
        $0.add(app)
        $0.add(alias)
      }, Self.erasure)
  }

  func erasuresUnderWay(limit: Int) throws -> [UserErasure] {
    try all(ErasureSQL.underWay, { $0.add(max(0, limit)) }, Self.erasure)
  }

  func erasures(after last: UserErasure?, limit: Int) throws -> [UserErasure] {
    try all(
      ErasureSQL.page,
      {
        $0.add(last?.app.text ?? "")
        $0.add(last?.alias.text ?? "")
        $0.add(max(0, limit))
      }, Self.erasure)
  }

  private static func erasure(_ row: inout Columns) throws -> UserErasure {
    let app: AppIdentifier = row.identifier()
    let alias: UserIdentifier = row.identifier()
    let user: UserIdentifier? = row.optionalIdentifier()
    var erasure = UserErasure(app: app, alias: alias, user: user, begunAt: row.timestamp())
    erasure.doneAt = row.optionalTimestamp()
    erasure.orders = row.int()
    erasure.payments = row.int()
    return erasure
  }

  func users(mergedInto user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [UserIdentifier] {
    try all(
      ErasureSQL.mergedInto,
      {
        $0.add(appEnvironment)
        $0.add(user)
      }, { $0.identifier() })
  }

  func users(
    after user: UserIdentifier?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [UserIdentifier] {
    var (found, reach): (Set<UserIdentifier>, UserIdentifier?) = ([], nil)
    for sql in ErasureSQL.users {
      let users: [UserIdentifier] = try all(
        sql,
        {
          $0.add(appEnvironment)
          $0.add(user?.text ?? "")
          $0.add(max(0, limit))
        }, { $0.identifier() })
      found.formUnion(users)
      // A full page of one table says nothing about users behind its last one.
      if users.count >= limit, let last = users.last { reach = min(reach ?? last, last) }
    }
    return found.filter { one in reach.map { one <= $0 } ?? true }.sorted()
  }

  func rows(
    naming user: UserIdentifier, writtenAs text: String, in table: NamingTable, of appEnvironment: AppEnvironment,
    after number: Int64, count: Int
  ) throws -> NamingRows {
    let sql = NamingSQL.of(table)
    var found = NamingRows()
    let last = try first(sql.last, { _ in }, { $0.optionalInteger() }) ?? nil
    let end = number + Int64(max(1, count))
    found.hasMore = last.map { $0 > end } ?? false
    func bind(_ parameters: inout Parameters) {
      parameters.add(number)
      parameters.add(end)
      parameters.add(appEnvironment)
      let name = table.hasUsers ? user.text : text
      parameters.add(name)
      parameters.add(name)
    }
    if table == .journal {
      found.entries = try all(sql.naming, bind) { $0.integer() }
    } else {
      found.payments = try all(sql.naming, bind) { try $0.paymentKey() }
    }
    return found
  }

  // MARK: Writes

  func insert(_ erasure: UserErasure) throws {
    try write(ErasureSQL.insert) {
      $0.add(erasure.app)
      $0.add(erasure.alias)
      $0.add(erasure.user)
      $0.add(erasure.begunAt)
      $0.add(erasure.doneAt)
      $0.add(erasure.orders)
      $0.add(erasure.payments)
    }
  }

  func update(_ erasure: UserErasure) throws {
    try write(ErasureSQL.update) {
      $0.add(erasure.user)
      $0.add(erasure.doneAt)
      $0.add(erasure.orders)
      $0.add(erasure.payments)
      $0.add(erasure.app)
      $0.add(erasure.alias)
    }
    try requireOneRowChanged("An erasure to be updated is missing.")
  }
}

enum ErasureSQL {
  private static let columns = "app, alias, user_id, begun_at, done_at, orders, payments"

  static let ofUser = SQL("SELECT \(columns) FROM erasures WHERE app = ? AND user_id = ?")
  static let byAlias = SQL("SELECT \(columns) FROM erasures WHERE app = ? AND alias = ?")
  static let underWay = SQL(
    """
    SELECT \(columns) FROM erasures \(hint: "erasures_under_way") WHERE done_at IS NULL ORDER BY app, alias LIMIT ?
    """)
  static let page = SQL(
    "SELECT \(columns) FROM erasures WHERE (app, alias) > (?, ?) ORDER BY app, alias LIMIT ?")
  static let mergedInto = SQL(
    """
    SELECT user_id FROM merged_users \(hint: "merged_users_into")
    WHERE \(listed: "merged_users") AND merged_into = ? ORDER BY user_id
    """)
  static let users =
    [
      SQL(
        """
        SELECT DISTINCT user_id FROM orders AS o \(hint: "orders_of_user")
        WHERE \(listed: "o") AND user_id > ? ORDER BY user_id LIMIT ?
        """),
      SQL(
        """
        SELECT DISTINCT user_id FROM grants \(hint: "grants_of_user")
        WHERE app = ? AND environment = ? AND user_id > ? ORDER BY user_id LIMIT ?
        """),
    ]
    + ["balances", "consumption_consents", "spending_limits", "shared_rights", "promotional_entitlements"].map {
      SQL(
        """
        SELECT DISTINCT user_id FROM \($0)
        WHERE app = ? AND environment = ? AND user_id > ? ORDER BY user_id LIMIT ?
        """)
    }
  static let insert = SQL("INSERT INTO erasures (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
  static let update = SQL(
    "UPDATE erasures SET user_id = ?, done_at = ?, orders = ?, payments = ? WHERE app = ? AND alias = ?")

  static let all =
    [ofUser, byAlias, underWay, page, mergedInto, insert, update] + users
}

/// Where a table names a user, by its numbers: an erasure reads all of it, a part at a time.
struct NamingSQL {
  let naming: SQL
  let last: SQL

  private init(payments condition: SQLText, from table: String, number: String) {
    naming = SQL(
      """
      SELECT DISTINCT \(PaymentRow.keyColumns) FROM \(table) AS t JOIN payment_keys AS k ON k.id = t.\(number)
      WHERE t.\(number) > ? AND t.\(number) <= ? AND k.app = ? AND k.environment = ? AND \(condition)
      """)
    last = SQL("SELECT max(\(number)) FROM \(table)")
  }

  private init(journal condition: SQLText) {
    naming = SQL(
      """
      SELECT id FROM journal WHERE id > ? AND id <= ? AND app = ? AND environment = ? AND \(condition) ORDER BY id
      """)
    last = SQL("SELECT max(id) FROM journal")
  }

  static func of(_ table: NamingTable) -> NamingSQL {
    switch table {
    case .payments: payments
    case .subscriptions: subscriptions
    case .deliveries: deliveries
    case .keptClaims: keptClaims
    case .stoppedChanges: stoppedChanges
    case .appStoreTasks: appStoreTasks
    case .journal: journal
    }
  }

  private static let payments = NamingSQL(
    payments: "(? IN (t.owner, t.presenter) OR \(.position)(t.set_aside, ?) > 0)", from: "payments", number: "id")
  private static let subscriptions = NamingSQL(
    payments: "(t.claimant = ? OR t.transferred_to = ?)", from: "lines", number: "id")
  private static let deliveries = NamingSQL(
    payments: "(\(.position)(t.body, ?) > 0 OR \(.position)(t.last_problem, ?) > 0)", from: "deliveries",
    number: "payment")
  private static let keptClaims = text("claim", of: "kept_claims")
  private static let stoppedChanges = NamingSQL(
    payments: "(\(.position)(t.presentations, ?) > 0 OR \(.position)(t.found, ?) > 0)", from: "stopped_changes",
    number: "payment")
  private static let appStoreTasks = text("claim", of: "app_store_errands")
  private static let journal = NamingSQL(
    journal: "(\(.position)(details, ?) > 0 OR \(.position)(event, ?) > 0)")

  private static func text(_ column: String, of table: String) -> NamingSQL {
    NamingSQL(
      payments: "(\(.position)(t.\(column), ?) > 0 OR t.\(column) = ?)", from: table, number: "payment")
  }

  static let all = NamingTable.allCases.flatMap { [of($0).naming, of($0).last] }
}
