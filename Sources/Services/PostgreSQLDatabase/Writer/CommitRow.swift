import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// The row that a lane counts up with each commit. It tells whether a commit took whose answer never came.
struct CommitRow {
  let node: Int64
  let lane: Int64
  /// The number of the last commit that is known to have taken.
  var number: Int64 = 0

  enum Truth: Hashable {
    case committed
    case notCommitted
    case unknown
  }

  /// Queues the counting; it becomes durable with the commit.
  func count(on connection: Connection) throws {
    try connection.queue(CommitRowSQL.countOne) {
      $0.add(node)
      $0.add(lane)
      $0.add(number)
    }
  }

  /// Whether the commit after `number` took, asked on another connection.
  ///
  /// The row is locked, so the answer waits for the server's process that may still be committing. Without the lock the
  /// answer could be the old number while the commit still comes. Then the row is counted up once more: this later
  /// commit is durable wherever the earlier one is.
  mutating func findOut(on connection: Connection) -> Truth {
    do {
      try connection.run(.begin)
      let found = try connection.first(
        CommitRowSQL.lock,
        {
          $0.add(node)
          $0.add(lane)
        }, { $0.integer() })
      guard let found else { return .unknown }
      try connection.queue(CommitRowSQL.count) {
        $0.add(node)
        $0.add(lane)
        $0.add(found)
      }
      try connection.commit()
      defer { number = found + 1 }
      switch found {
      case number + 1: return .committed
      case number: return .notCommitted
      default: return .unknown
      }
    } catch {
      connection.close()
      return .unknown
    }
  }
}

/// The statements about nodes and commit rows.
enum CommitRowSQL {
  static let makeNode = SQL("INSERT INTO nodes (started_at, seen_at) VALUES (?, ?) RETURNING number")
  static let make = SQL("INSERT INTO commit_rows (node, lane, number) VALUES (?, ?, 0)")
  static let count = SQL("UPDATE commit_rows SET number = number + 1 WHERE node = ? AND lane = ? AND number = ?")
  /// The same; a division by zero ends the transaction if there is no such row, before the COMMIT that follows.
  static let countOne = SQL(
    """
    WITH counted AS (
      UPDATE commit_rows SET number = number + 1 WHERE node = ? AND lane = ? AND number = ? RETURNING 1)
    SELECT 1 / count(*) FROM counted
    """)
  static let lock = SQL("SELECT number FROM commit_rows WHERE node = ? AND lane = ? FOR UPDATE")
  static let clock = SQL("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")

  static let all = [makeNode, make, count, countOne, lock, clock]
}
