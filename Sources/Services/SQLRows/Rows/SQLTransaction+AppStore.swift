import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Scheduled calls to Apple, receipts, and how far histories are read.
extension SQLTransaction {
  // MARK: Queries

  func appStoreTask(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws -> AppStoreTask? {
    guard let identifier = try identifier(of: payment) else { return nil }
    return try first(
      AppStoreSQL.appStoreTask,
      {
        $0.add(identifier)
        $0.add(purpose.rawValue)
      }, AppStoreSQL.readAppStoreTask)
  }

  func appStoreTasks(dueAt now: Timestamp, limit: Int) throws -> [AppStoreTask] {
    try all(
      AppStoreSQL.appStoreTasksDue,
      {
        $0.add(now)
        $0.add(max(0, limit))
      }, AppStoreSQL.readAppStoreTask)
  }

  func nextAppStoreTask() throws -> Timestamp? {
    try first(AppStoreSQL.nextAppStoreTask, { _ in }, { $0.optionalTimestamp() }) ?? nil
  }

  func receipt(digest: String) throws -> String? {
    try first(AppStoreSQL.receipt, { $0.add(digest) }, { $0.text() })
  }

  func appStoreHistory(of customer: PaymentKey) throws -> AppStoreHistory? {
    guard let identifier = try identifier(of: customer) else { return nil }
    return try first(AppStoreSQL.history, { $0.add(identifier) }, AppStoreSQL.readHistory)
  }

  func appStoreHistories(dueAt now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [AppStoreHistory]
  {
    try all(
      AppStoreSQL.historiesDue,
      {
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(max(0, limit))
      }, AppStoreSQL.readHistory)
  }

  // MARK: Writes

  func put(_ appStoreTask: AppStoreTask) throws {
    let identifier = try identifierForWriting(of: appStoreTask.payment)
    try write(AppStoreSQL.putAppStoreTask) {
      $0.add(identifier)
      $0.add(appStoreTask.purpose.rawValue)
      $0.add(appStoreTask.createdAt)
      $0.add(appStoreTask.dueAt)
      $0.add(appStoreTask.tries)
      $0.add(appStoreTask.claim)
      $0.add(appStoreTask.shown)
    }
  }

  func remove(_ purpose: AppStoreTask.Purpose, about payment: PaymentKey) throws {
    guard let identifier = try identifier(of: payment) else { return }
    try write(AppStoreSQL.removeAppStoreTask) {
      $0.add(identifier)
      $0.add(purpose.rawValue)
    }
  }

  func keepReceipt(_ text: String, digest: String, at moment: Timestamp) throws {
    guard digest.utf8.count == 64 else { throw inconsistent("A receipt's digest has 64 digits.") }
    try write(AppStoreSQL.keepReceipt) {
      $0.add(digest)
      $0.add(text)
      $0.add(moment)
    }
  }

  func put(_ history: AppStoreHistory) throws {
    let identifier = try identifierForWriting(of: history.customer)
    try write(AppStoreSQL.putHistory) {
      $0.add(identifier)
      $0.add(history.customer.appEnvironment)
      $0.add(history.revision)
      $0.add(history.readAt)
      $0.add(history.dueAt)
    }
  }
}

/// The statements for Apple only.
enum AppStoreSQL {
  private static func appStoreTasks(_ index: String?, _ rest: String) -> SQL {
    SQL(
      """
      SELECT k.app, k.store, k.environment, k.transaction_id, e.purpose, e.created_at, e.due_at, e.tries, e.claim,
        e.shown
      FROM app_store_errands AS e \(hint: index) JOIN payment_keys AS k ON k.id = e.payment \(rest)
      """)
  }

  private static func histories(_ index: String?, _ rest: String) -> SQL {
    SQL(
      """
      SELECT k.app, k.store, k.environment, k.transaction_id, h.revision, h.read_at, h.due_at
      FROM app_store_histories AS h \(hint: index) JOIN payment_keys AS k ON k.id = h.customer \(rest)
      """)
  }

  static let appStoreTask = appStoreTasks(nil, "WHERE e.payment = ? AND e.purpose = ?")
  static let appStoreTasksDue = appStoreTasks(
    "app_store_errands_due",
    """
    WHERE e.due_at <= ? ORDER BY e.due_at, k.app, k.store, k.environment, k.transaction_id, e.purpose LIMIT ?
    """)
  static let consumptionRequests = appStoreTasks(
    "app_store_errands_consumption",
    """
    WHERE e.purpose = 'consumption' AND k.app = ? AND k.environment = ?
    ORDER BY e.created_at, k.transaction_id, k.store LIMIT ?
    """)
  static let nextAppStoreTask = SQL("SELECT min(due_at) FROM app_store_errands \(hint: "app_store_errands_due")")
  static let putAppStoreTask = SQL(
    """
    INSERT INTO app_store_errands (payment, purpose, created_at, due_at, tries, claim, shown)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (payment, purpose) DO UPDATE SET
      created_at = excluded.created_at, due_at = excluded.due_at, tries = excluded.tries, claim = excluded.claim,
      shown = excluded.shown
    """)
  static let removeAppStoreTask = SQL("DELETE FROM app_store_errands WHERE payment = ? AND purpose = ?")
  static let receipt = SQL("SELECT text FROM receipts WHERE digest = ?")
  /// A receipt that is shown again counts as new, to the day (`DatabaseLimits.receiptShownAgain`).
  static let keepReceipt = SQL(
    """
    INSERT INTO receipts (digest, text, received_at) VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE
    SET received_at = excluded.received_at WHERE receipts.received_at < excluded.received_at - 86400000
    """)
  static let history = histories(nil, "WHERE h.customer = ?")
  static let historiesDue = histories(
    "app_store_histories_due",
    """
    WHERE h.app = ? AND h.environment = ? AND h.due_at <= ?
    ORDER BY h.due_at, k.app, k.store, k.environment, k.transaction_id LIMIT ?
    """)
  static let putHistory = SQL(
    """
    INSERT INTO app_store_histories (customer, app, environment, revision, read_at, due_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (customer) DO UPDATE SET
      revision = excluded.revision, read_at = excluded.read_at, due_at = excluded.due_at
    """)

  static let all = [
    appStoreTask, appStoreTasksDue, consumptionRequests, nextAppStoreTask, putAppStoreTask, removeAppStoreTask, receipt,
    keepReceipt,
    history, historiesDue, putHistory,
  ]

  static func readAppStoreTask(_ row: inout Columns) throws -> AppStoreTask {
    let payment = try row.paymentKey()
    var appStoreTask = AppStoreTask(
      payment: payment, purpose: try row.rawValue(), createdAt: row.timestamp(), dueAt: row.timestamp())
    appStoreTask.tries = row.int()
    appStoreTask.claim = row.optionalText()
    appStoreTask.shown = row.optionalText()
    return appStoreTask
  }

  static func readHistory(_ row: inout Columns) throws -> AppStoreHistory {
    let customer = try row.paymentKey()
    let revision = row.optionalText()
    let readAt = row.optionalTimestamp()
    var history = AppStoreHistory(customer: customer, dueAt: row.timestamp())
    history.revision = revision
    history.readAt = readAt
    return history
  }
}
