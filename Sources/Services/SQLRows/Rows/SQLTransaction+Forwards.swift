import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func forward(of notification: String, in appEnvironment: AppEnvironment) throws -> NotificationForward? {
    try first(
      ForwardSQL.byNotification,
      {
        $0.add(appEnvironment)
        $0.add(notification)
      }, ForwardSQL.read)
  }

  func dueForwards(at now: Timestamp, of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try all(
      ForwardSQL.due,
      {
        $0.add(app)
        $0.add(now)
        $0.add(max(0, limit))
      }, ForwardSQL.read)
  }

  func nextForwardTime(of app: AppIdentifier) throws -> Timestamp? {
    try first(ForwardSQL.nextTime, { $0.add(app) }, { $0.timestamp() })
  }

  func openForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try all(
      ForwardSQL.open,
      {
        $0.add(app)
        $0.add(max(0, limit))
      }, ForwardSQL.read)
  }

  func forwardBacklog(of app: AppIdentifier) throws -> DeliveryBacklog {
    let pending = try first(ForwardSQL.pending, { $0.add(app) }, { ($0.int(), $0.optionalTimestamp()) })
    let parked = try first(ForwardSQL.parked, { $0.add(app) }, { $0.int() })
    return DeliveryBacklog(pending: pending?.0 ?? 0, parked: parked ?? 0, oldestPending: pending?.1)
  }

  // MARK: Writes

  func insert(_ forward: NotificationForward) throws {
    try write(ForwardSQL.insert) { row in
      ForwardSQL.bind(forward, &row)
      row.add(forward.appEnvironment)
      row.add(forward.notification)
      row.add(forward.createdAt)
    }
  }

  func update(_ forward: NotificationForward) throws {
    try write(ForwardSQL.update) { row in
      ForwardSQL.bind(forward, &row)
      row.add(forward.appEnvironment)
      row.add(forward.notification)
      row.add(forward.createdAt)
      row.add(forward.body)
    }
    try requireOneRowChanged("A notification to be passed on is missing or is another.")
  }
}

/// The statements for forwarded notifications.
enum ForwardSQL {
  static let columns = """
    app, environment, notification_id, body, created_at, state, state_at, attempts, next_attempt_at, lease_until,
    lease_fence, last_problem
    """
  static let byNotification = SQL(
    "SELECT \(columns) FROM notification_forwards WHERE app = ? AND environment = ? AND notification_id = ?")
  static let due = SQL(
    """
    SELECT \(columns) FROM notification_forwards \(hint: "notification_forwards_ready")
    WHERE state = 'pending' AND app = ? AND ready_at <= ? ORDER BY ready_at, environment, notification_id LIMIT ?
    """)
  static let nextTime = SQL(
    """
    SELECT ready_at FROM notification_forwards \(hint: "notification_forwards_ready")
    WHERE state = 'pending' AND app = ? ORDER BY ready_at LIMIT 1
    """)
  static let open = SQL(
    """
    SELECT \(columns) FROM notification_forwards \(hint: "notification_forwards_open")
    WHERE state <> 'acknowledged' AND app = ? ORDER BY created_at, environment, notification_id LIMIT ?
    """)
  static let pending = SQL(
    """
    SELECT count(*), min(created_at) FROM notification_forwards \(hint: "notification_forwards_ready")
    WHERE state = 'pending' AND app = ?
    """)
  static let parked = SQL(
    """
    SELECT count(*) FROM notification_forwards \(hint: "notification_forwards_open")
    WHERE state <> 'acknowledged' AND state = 'parked' AND app = ?
    """)
  static let insert = SQL(
    """
    INSERT INTO notification_forwards (
      body, state, state_at, attempts, next_attempt_at, lease_until, lease_fence, last_problem, app, environment,
      notification_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  /// A body is removed, never changed.
  static let update = SQL(
    """
    UPDATE notification_forwards SET
      body = ?, state = ?, state_at = ?, attempts = ?, next_attempt_at = ?, lease_until = ?, lease_fence = ?,
      last_problem = ?
    WHERE app = ? AND environment = ? AND notification_id = ? AND created_at = ? AND coalesce(?, body) \(.isSame) body
    """)

  static let all = [byNotification, due, nextTime, open, pending, parked, insert, update]

  /// The mutable columns, in the order of `insert` and `update`.
  static func bind(_ forward: NotificationForward, _ row: inout Parameters) {
    row.add(forward.body)
    switch forward.state {
    case .pending:
      row.add("pending")
      row.addNull()
    case .acknowledged(let moment):
      row.add("acknowledged")
      row.add(moment)
    case .parked(let moment):
      row.add("parked")
      row.add(moment)
    }
    row.add(forward.attempts)
    row.add(forward.nextAttemptAt)
    row.add(forward.lease?.until)
    row.add(forward.lease?.fence)
    row.add(forward.lastProblem)
  }

  static func read(_ row: inout Columns) throws -> NotificationForward {
    let app: AppIdentifier = row.identifier()
    let appEnvironment = AppEnvironment(app: app, environment: try row.rawValue())
    let notification = row.text()
    let body = row.optionalText()
    let createdAt = row.timestamp()
    let state = try DeliveryRow.state(&row)
    let attempts = row.int()
    let made = NotificationForward(
      appEnvironment: appEnvironment, notification: notification, body: body, createdAt: createdAt, state: state,
      attempts: attempts,
      nextAttemptAt: row.timestamp())
    guard var forward = made else { throw row.damage("a body that fits its state") }
    let until = row.optionalTimestamp()
    let fence = row.optionalInteger()
    if let until, let fence { forward.lease = Lease(until: until, fence: fence) }
    forward.lastProblem = row.optionalText()
    return forward
  }
}
