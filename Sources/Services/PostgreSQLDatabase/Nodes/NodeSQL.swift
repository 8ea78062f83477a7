import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// The statements about nodes.
enum NodeSQL {
  static let beat = SQL(
    "UPDATE nodes SET seen_at = ?, state = CASE state WHEN 'gone' THEN 'active' ELSE state END WHERE number = ?")
  static let all = SQL("SELECT number, started_at, seen_at, state FROM nodes ORDER BY number")
  static let silent = SQL(
    "SELECT number FROM nodes WHERE state IN ('active', 'draining') AND seen_at < ? ORDER BY number")
  static let markGone = SQL(
    "UPDATE nodes SET state = 'gone' WHERE number = ? AND state IN ('active', 'draining') AND seen_at < ?")
  static let setState = SQL("UPDATE nodes SET state = ?, seen_at = ? WHERE number = ?")
  static let endDeliveries = SQL(
    """
    UPDATE deliveries SET lease_until = ?
    WHERE state = 'pending' AND lease_node IS NOT NULL AND lease_node = ? AND lease_until > ?
    """)
  static let endForwards = SQL(
    """
    UPDATE notification_forwards SET lease_until = ?
    WHERE state = 'pending' AND lease_node IS NOT NULL AND lease_node = ? AND lease_until > ?
    """)
  static let forgetCommitRows = SQL(
    """
    DELETE FROM commit_rows USING nodes
    WHERE commit_rows.node = nodes.number AND nodes.state IN ('left', 'gone') AND nodes.seen_at < ?
    """)
  static let forget = SQL("DELETE FROM nodes WHERE state IN ('left', 'gone') AND seen_at < ?")
  static let removeCommitRows = SQL("DELETE FROM commit_rows WHERE node = ?")
  static let remove = SQL("DELETE FROM nodes WHERE number = ?")
  /// A time in the future was written by a clock that was ahead.
  static let ask = SQL(
    """
    UPDATE wechat_pay_orders SET asked_at = ?
    WHERE app = ? AND environment = ? AND order_id = ? AND (asked_at IS NULL OR asked_at <= ? OR asked_at > ?)
    """)
  static let notify = SQL("SELECT pg_notify(?::text, ?::text)::text")
  static let doNotWait = SQL("SELECT set_config('synchronous_commit', 'off', true)")

  /// The statements that use tables with many rows, whose plans are checked.
  static let checked = [endDeliveries, endForwards, ask]

  static func read(_ row: inout Columns) throws -> NodeRecord {
    NodeRecord(
      number: row.integer(), startedAt: row.timestamp(), seenAt: row.timestamp(), state: try row.rawValue())
  }
}
