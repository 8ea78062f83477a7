import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Due work. A database with several writers takes it by row locks: another node passes over what is taken here.
extension SQLTransaction {
  func takeDeliveries(in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    guard let workLocks else { return try dueDeliveries(at: now, in: appEnvironment, limit: limit) }
    let taken = try take(
      TakingSQL.deliveries, with: workLocks,
      {
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(max(0, limit))
      }, { (row: try DeliveryRow.read(&$0), number: $0.integer()) }, by: { .message(.updateDelivery($0.row)) })
    try attempt { try workLocks.noteHolder(of: .deliveries, taken.map(\.number)) }
    return taken.map(\.row)
  }

  func takeForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    guard let workLocks else { return try dueForwards(at: now, of: app, limit: limit) }
    let taken = try take(
      TakingSQL.forwards, with: workLocks,
      {
        $0.add(app)
        $0.add(now)
        $0.add(max(0, limit))
      }, { (row: try ForwardSQL.read(&$0), number: $0.integer()) }, by: { .message(.updateForward($0.row)) })
    try attempt { try workLocks.noteHolder(of: .forwards, taken.map(\.number)) }
    return taken.map(\.row)
  }

  func takeOrdersToExpire(limit: Int) throws -> [Order] {
    guard let workLocks else { return try ordersToExpire(at: now, limit: limit) }
    let taken = try take(
      TakingSQL.orders, with: workLocks, { bindDue(limit, &$0) }, OrderRow.read, by: { .order(.update($0)) })
    for order in taken { note(order) }
    return taken
  }

  func takeWeChatPayOrders(limit: Int) throws -> [WeChatPayOrder] {
    guard let workLocks else { return try weChatPayOrdersToAsk(at: now, limit: limit) }
    return try take(
      TakingSQL.weChatPayOrders, with: workLocks, { bindDue(limit, &$0) }, WeChatPayOrderSQL.read,
      by: { .order(.updateWeChatPay($0)) })
  }

  func takeRefunds(limit: Int) throws -> [Refund] {
    guard let workLocks else { return try refundsToAsk(at: now, limit: limit) }
    return try take(
      TakingSQL.refunds, with: workLocks, { bindDue(limit, &$0) }, RefundSQL.read, by: { .order(.updateRefund($0)) })
  }

  func takeAppStoreTasks(limit: Int) throws -> [AppStoreTask] {
    guard let workLocks else { return try appStoreTasks(dueAt: now, limit: limit) }
    return try take(
      TakingSQL.appStoreTasks, with: workLocks, { bindDue(limit, &$0) }, AppStoreSQL.readAppStoreTask,
      by: { .appStore(.putTask($0)) })
  }

  private func bindDue(_ limit: Int, _ parameters: inout Parameters) {
    parameters.add(now)
    parameters.add(max(0, limit))
  }

  /// Locks rows that are due and free, then their keys. Rows with a key that another transaction holds stay behind: to
  /// wait for it here could be a deadlock, for that transaction may want the row.
  private func take<Row>(
    _ sql: SQL, with locks: any WorkLocks, _ bind: (inout Parameters) -> Void,
    _ read: (inout Columns) throws -> Row, by update: (Row) -> DatabaseWrite
  ) throws -> [Row] {
    let found = try all(sql, bind, read)
    guard !found.isEmpty else { return [] }
    let isHeld = try attempt { try locks.hold(found.map { update($0).keys }) }
    return zip(found, isHeld).filter(\.1).map(\.0)
  }
}

/// The statements that take due work: those of the reads, with locks that do not wait.
enum TakingSQL {
  private static func locking(_ sql: SQL, _ table: String = "") -> SQL {
    SQL("\(sql.text) FOR NO KEY UPDATE \(table)SKIP LOCKED")
  }

  static let deliveries = SQL(
    """
    SELECT \(DeliveryRow.columns), d.id FROM \(DeliveryRow.source())
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

  static let all = [deliveries, forwards, orders, weChatPayOrders, refunds, appStoreTasks]
}
