import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Due work, taken by row locks: another node passes over what is taken here.
extension PostgreSQLTransaction {
  func takeDeliveries(in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    let taken = try take(
      TakingSQL.deliveries,
      {
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(max(0, limit))
      }, { (row: try DeliveryRow.read(&$0), number: $0.integer()) }, by: { .message(.updateDelivery($0.row)) })
    try noteHolder(TakingSQL.noteHolderOfDeliveries, of: taken.map(\.number))
    return taken.map(\.row)
  }

  func takeForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    let taken = try take(
      TakingSQL.forwards,
      {
        $0.add(app)
        $0.add(now)
        $0.add(max(0, limit))
      }, { (row: try ForwardSQL.read(&$0), number: $0.integer()) }, by: { .message(.updateForward($0.row)) })
    try noteHolder(TakingSQL.noteHolderOfForwards, of: taken.map(\.number))
    return taken.map(\.row)
  }

  func takeOrdersToExpire(limit: Int) throws -> [Order] {
    let taken = try take(TakingSQL.orders, { bindDue(limit, &$0) }, OrderRow.read, by: { .order(.update($0)) })
    for order in taken { note(order) }
    return taken
  }

  func takeWeChatPayOrders(limit: Int) throws -> [WeChatPayOrder] {
    try take(
      TakingSQL.weChatPayOrders, { bindDue(limit, &$0) }, WeChatPayOrderSQL.read, by: { .order(.updateWeChatPay($0)) })
  }

  func takeRefunds(limit: Int) throws -> [Refund] {
    try take(TakingSQL.refunds, { bindDue(limit, &$0) }, RefundSQL.read, by: { .order(.updateRefund($0)) })
  }

  func takeAppStoreTasks(limit: Int) throws -> [AppStoreTask] {
    try take(
      TakingSQL.appStoreTasks, { bindDue(limit, &$0) }, AppStoreSQL.readAppStoreTask, by: { .appStore(.putTask($0)) })
  }

  private func bindDue(_ limit: Int, _ parameters: inout Parameters) {
    parameters.add(now)
    parameters.add(max(0, limit))
  }

  /// Locks rows that are due and free, then their keys. Rows with a key that another transaction holds stay behind: to
  /// wait for it here could be a deadlock, for that transaction may want the row.
  private func take<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Row,
    by update: (Row) -> DatabaseWrite
  ) throws -> [Row] {
    try refuseIfReading()
    let found = try all(sql, bind, read).map { row in
      (row: row, keys: Set(update(row).keys.map { LockNumber($0) }))
    }
    guard !found.isEmpty else { return [] }
    try hold(found.reduce(into: []) { $0.formUnion($1.keys) })
    return found.filter { $0.keys.isSubset(of: heldKeys) }.map(\.row)
  }

  /// Keeps who holds the leases, so that they end with the node.
  private func noteHolder(_ sql: SQL, of numbers: [Int64]) throws {
    guard let node, !numbers.isEmpty else { return }
    try write(sql) {
      $0.add(node)
      $0.add(numbers)
    }
  }
}

/// The statements that take due work: those of the reads, with locks that do not wait.
enum TakingSQL {
  private static func locking(_ sql: SQL, _ table: String = "") -> SQL {
    SQL("\(sql.text) FOR NO KEY UPDATE \(table)SKIP LOCKED")
  }

  static let deliveries = SQL(
    """
    SELECT \(DeliveryRow.columns), d.id FROM \(DeliveryRow.source)
    WHERE d.state = 'pending' AND d.app = ? AND d.environment = ? AND d.ready_at <= ?
      AND \(DeliverySQL.isNext)
    ORDER BY d.ready_at, d.delivery_id LIMIT ? FOR NO KEY UPDATE OF d SKIP LOCKED
    """)
  static let forwards = SQL(
    """
    SELECT \(ForwardSQL.columns), id FROM notification_forwards
    WHERE state = 'pending' AND app = ? AND ready_at <= ?
    ORDER BY ready_at, environment, notification_id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED
    """)
  static let orders = locking(OrderSQL.toExpire, "OF o ")
  static let weChatPayOrders = locking(WeChatPayOrderSQL.toAsk)
  static let refunds = locking(RefundSQL.toAsk, "OF r ")
  static let appStoreTasks = locking(AppStoreSQL.appStoreTasksDue, "OF e ")
  static let noteHolderOfDeliveries = noteHolder("deliveries")
  static let noteHolderOfForwards = noteHolder("notification_forwards")

  private static func noteHolder(_ table: String) -> SQL {
    SQL(
      """
      UPDATE \(table) AS held SET lease_node = ?
      FROM unnest(?::bigint[]) AS taken (id) WHERE held.id = taken.id
      """)
  }

  static let all = [
    deliveries, forwards, orders, weChatPayOrders, refunds, appStoreTasks, noteHolderOfDeliveries,
    noteHolderOfForwards,
  ]
}
