import PaymentModel
import PaymentStore
import PaymentVocabulary

extension SQLiteTransaction {
  func notification(_ id: String, in realm: Realm) throws -> ReceivedNotification? {
    try first(
      NotificationSQL.byIdentifier,
      {
        $0.add(realm)
        $0.add(id)
      },
      { row in
        let type = row.text()
        let subtype = row.optionalText()
        let signedDate = row.timestamp()
        let transaction: TransactionIdentifier? = row.optionalIdentifier()
        let payload = row.text()
        return ReceivedNotification(
          realm: realm, id: id, type: type, subtype: subtype, signedDate: signedDate,
          transaction: transaction, signedPayload: payload, receivedAt: row.timestamp(),
          effect: try row.word())
      })
  }

  func countOfKeptNotifications(in realm: Realm) throws -> [(type: String, count: Int)] {
    try all(NotificationSQL.countKept, { $0.add(realm) }) { ($0.text(), $0.int()) }
  }

  func insert(_ notification: ReceivedNotification) throws {
    try write(NotificationSQL.insert) {
      $0.add(notification.realm)
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

/// The statements about notifications.
enum NotificationSQL {
  static let byIdentifier = SQL(
    """
    SELECT type, subtype, signed_date, transaction_id, signed_payload, received_at, effect
    FROM notifications WHERE app = ? AND environment = ? AND notification_id = ?
    """)
  static let countKept = SQL(
    """
    SELECT type, count(*) FROM notifications INDEXED BY notifications_kept
    WHERE effect = 'kept' AND app = ? AND environment = ? GROUP BY type ORDER BY type
    """)
  static let insert = SQL(
    """
    INSERT INTO notifications (
      app, environment, notification_id, type, subtype, signed_date, transaction_id, signed_payload,
      received_at, effect)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)

  static let all = [byIdentifier, countKept, insert]
}
