import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func notification(_ id: String, in appEnvironment: AppEnvironment) throws -> ReceivedNotification? {
    try first(
      NotificationSQL.byIdentifier,
      {
        $0.add(appEnvironment)
        $0.add(id)
      }, { try NotificationSQL.read(appEnvironment, &$0) })
  }

  func keptNotifications(
    of type: String, after id: String?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReceivedNotification] {
    try all(
      NotificationSQL.kept,
      {
        $0.add(appEnvironment)
        $0.add(type)
        $0.add(id)
        $0.add(id)
        $0.add(max(0, limit))
      }, { try NotificationSQL.read(appEnvironment, &$0) })
  }

  func notifications(_ query: NotificationQuery) throws -> NotificationPage {
    guard let top = try first(NotificationSQL.newest, { $0.add(query.before ?? .max) }, { $0.integer() }) else {
      return NotificationPage(notifications: [], next: nil)
    }
    let low = max(1, top - NotificationQuery.scanMax + 1)
    let limit = max(0, query.limit)
    let found = try all(
      NotificationSQL.list,
      {
        $0.add(low)
        $0.add(top)
        $0.add(query.appEnvironment)
        $0.add(query.effect?.rawValue)
        $0.add(query.effect?.rawValue)
        $0.add(query.type)
        $0.add(query.type)
        $0.add(query.store?.rawValue)
        $0.add(query.store?.rawValue)
        $0.add(limit)
      }, { row in (number: row.integer(), notification: try NotificationSQL.read(query.appEnvironment, &row)) })
    let last = found.count == limit ? found.last?.number ?? top + 1 : low
    return NotificationPage(notifications: found.map(\.notification), next: last > 1 ? last : nil)
  }

  func noteEffect(of notification: String, in appEnvironment: AppEnvironment) throws {
    try write(NotificationSQL.noteEffect) {
      $0.add(appEnvironment)
      $0.add(notification)
    }
    try requireOneRowChanged("A notification that took effect is missing.")
  }

  func countOfKeptNotifications(in appEnvironment: AppEnvironment) throws -> [(type: String, count: Int)] {
    try all(NotificationSQL.countKept, { $0.add(appEnvironment) }) { ($0.text(), $0.int()) }
  }

  func insert(_ notification: ReceivedNotification) throws {
    try write(NotificationSQL.insert) {
      $0.add(notification.appEnvironment)
      $0.add(notification.id)
      $0.add(notification.type)
      $0.add(notification.subtype)
      $0.add(notification.signedDate)
      $0.add(notification.transaction)
      $0.add(notification.signedPayload)
      $0.add(notification.receivedAt)
      $0.add(notification.effect.rawValue)
    }
  }
}

enum NotificationSQL {
  private static let columns =
    "notification_id, type, subtype, signed_date, transaction_id, signed_payload, received_at, effect"

  static func read(_ appEnvironment: AppEnvironment, _ row: inout Columns) throws -> ReceivedNotification {
    let id = row.text()
    let type = row.text()
    let subtype = row.optionalText()
    let signedDate = row.timestamp()
    let transaction: TransactionIdentifier? = row.optionalIdentifier()
    let payload = row.text()
    return ReceivedNotification(
      appEnvironment: appEnvironment, id: id, type: type, subtype: subtype, signedDate: signedDate,
      transaction: transaction,
      signedPayload: payload, receivedAt: row.timestamp(), effect: try row.rawValue())
  }

  static let byIdentifier = SQL(
    """
    SELECT \(columns) FROM notifications WHERE app = ? AND environment = ? AND notification_id = ?
    """)
  static let countKept = SQL(
    """
    SELECT type, count(*) FROM notifications \(hint: "notifications_kept")
    WHERE effect = 'kept' AND app = ? AND environment = ? GROUP BY type ORDER BY type
    """)
  static let kept = SQL(
    """
    SELECT \(columns) FROM notifications \(hint: "notifications_kept")
    WHERE effect = 'kept' AND app = ? AND environment = ? AND type = ?
      AND (CAST(? AS text) IS NULL OR notification_id > ?)
    ORDER BY notification_id LIMIT ?
    """)
  static let newest = SQL("SELECT id FROM notifications WHERE id < ? ORDER BY id DESC LIMIT 1")
  /// A walk by number, which is bounded. The columns of the app environment are spelled so that no index of theirs is
  /// chosen: it would sort all notifications of the app.
  static let list = SQL(
    """
    SELECT id, \(columns) FROM notifications
    WHERE id >= ? AND id <= ? AND app || '' = ? AND environment || '' = ?
      AND (CAST(? AS text) IS NULL OR effect = ?) AND (CAST(? AS text) IS NULL OR type = ?)
      AND (CAST(? AS text) IS NULL
        OR CASE WHEN substr(signed_payload, 1, 1) = '{' THEN 'weChatPay' ELSE 'appStore' END = ?)
    ORDER BY id DESC LIMIT ?
    """)
  static let noteEffect = SQL(
    "UPDATE notifications SET effect = 'applied' WHERE app = ? AND environment = ? AND notification_id = ?")
  static let insert = SQL(
    """
    INSERT INTO notifications (
      app, environment, notification_id, type, subtype, signed_date, transaction_id, signed_payload,
      received_at, effect)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)

  static let all = [byIdentifier, kept, newest, list, noteEffect, countKept, insert]
}
