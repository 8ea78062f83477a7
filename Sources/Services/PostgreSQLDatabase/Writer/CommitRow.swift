import PaymentDatabase
import PaymentPrimitives
import SQLRows
import Synchronization

/// The row that a lane counts up with each commit. It tells whether a commit took whose answer never came.
struct CommitRow {
  let node: Int64
  let lane: Int64
  /// When the process began. After lost commits another process may have got the same number.
  let startedAt: Timestamp
  /// The number of the last commit that is known to have taken.
  var number: Int64 = 0
  /// Whether the row was found older, and that is not known to be noted.
  private var lacksNote = false

  init(node: Int64, lane: Int64, startedAt: Timestamp) {
    self.node = node
    self.lane = lane
    self.startedAt = startedAt
  }

  enum Truth: Hashable {
    case committed
    case notCommitted
    case unknown
  }

  /// The SQLSTATE with which `count` ends a transaction whose row is another.
  static let isAnotherState = "22012"

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
  /// answer could be the old number while the commit still comes. Then two is added to the row: this later commit is
  /// durable wherever the earlier one is. Its own answer may be lost, too, and the question is asked again. So the
  /// commit took if the row is ahead by an odd number.
  mutating func findOut(on connection: Connection, counting lost: LostCommits) -> Truth {
    let before = number
    do {
      guard let found = try goOn(on: connection, counting: lost) else { return .unknown }
      // An older row: earlier commits are lost, and so this one did not take either.
      return found > before && (found - before) % 2 == 1 ? .committed : .notCommitted
    } catch {
      connection.close()
      return .unknown
    }
  }

  /// Compares the row with what this process knows of it, on a new connection while no commit is open.
  ///
  /// After a fail-over to a server that had not received everything, the row is older: commits are gone whose callers
  /// have their answers. It is noted since when, so that the stores are asked about that time, and the lane goes on
  /// from what there is (record 311).
  ///
  /// - Throws: `inconsistent` if the database does not know this process any more.
  mutating func compare(on connection: Connection, counting lost: LostCommits) throws {
    let found = try connection.first(CommitRowSQL.read, identity, { $0.integer() })
    if let found, found >= number, !lacksNote {
      number = found
    } else if try goOn(on: connection, counting: lost) == nil {
      throw Self.forgotten
    }
  }

  /// Counts on from what the row says, in a commit of its own.
  ///
  /// - Returns: what it said; nil if there is none.
  private mutating func goOn(on connection: Connection, counting lost: LostCommits) throws -> Int64? {
    try connection.run(.begin)
    let row = try connection.first(CommitRowSQL.lock, identity, { ($0.integer(), $0.timestamp()) })
    guard let (found, seenAt) = row else {
      connection.rollback()
      return nil
    }
    if found < number { (number, lacksNote) = (found, true) }
    if lacksNote { try noteLoss(since: seenAt - Self.lossMargin, on: connection) }
    try connection.queue(CommitRowSQL.countTwo) {
      $0.add(node)
      $0.add(lane)
      $0.add(found)
    }
    try connection.commit()
    number = found + 2
    if lacksNote { lost.count() }
    lacksNote = false
    return found
  }

  /// Notes the time that the database knows nothing about, as after a restored backup. No other writes meanwhile: all
  /// plans over the lost commits are outdated.
  private func noteLoss(since moment: Timestamp, on connection: Connection) throws {
    let locks = LockTable(connection: connection)
    try locks.lockEverything()
    let run = connection.newRun(now: moment)
    defer { run.end() }
    let known = try run.setting(DatabaseSetting.logLostSince).flatMap { Int64($0) }
    // A millisecond earlier than before: whoever asks the stores meanwhile sees that they must be asked again.
    let since = min(known.map { $0 - 1 } ?? moment.milliseconds, moment.milliseconds)
    try run.set(DatabaseSetting.logLostSince, to: "\(since)")
    try locks.noteWritten([], everything: true)
    try connection.finish()
  }

  private func identity(_ values: inout Parameters) {
    values.add(node)
    values.add(lane)
    values.add(startedAt)
  }

  /// The last sign of life that the database has is older than what it has last; clocks may differ, too.
  private static let lossMargin = TimeSpan.minutes(10)
  private static let forgotten = CodedError<DatabaseErrorCode>(
    .inconsistent, "PostgreSQL does not know this process any more; it must be started again.")
}

/// How often a row was found older than what was answered.
final class LostCommits: Sendable {
  private let found = Atomic<Int>(0)

  func count() { found.add(1, ordering: .relaxed) }

  var sum: Int { found.load(ordering: .relaxed) }
}

/// The statements about nodes and commit rows.
enum CommitRowSQL {
  static let makeNode = SQL("INSERT INTO nodes (started_at, seen_at) VALUES (?, ?) RETURNING number")
  static let make = SQL("INSERT INTO commit_rows (node, lane, number) VALUES (?, ?, 0)")
  static let countTwo = SQL("UPDATE commit_rows SET number = number + 2 WHERE node = ? AND lane = ? AND number = ?")
  /// A division by zero ends the transaction if there is no such row, before the COMMIT that follows.
  static let countOne = SQL(
    """
    WITH counted AS (
      UPDATE commit_rows SET number = number + 1 WHERE node = ? AND lane = ? AND number = ? RETURNING 1)
    SELECT 1 / count(*) FROM counted
    """)
  /// The row of a process, and when the process last said that it lives.
  static let read = SQL("\(ownRow)")
  static let lock = SQL("\(ownRow) FOR UPDATE OF c")
  private static let ownRow: SQLText = """
    SELECT c.number, n.seen_at FROM commit_rows AS c JOIN nodes AS n ON n.number = c.node
    WHERE c.node = ? AND c.lane = ? AND n.started_at = ?
    """
  static let clock = SQL("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")

  static let all = [makeNode, make, countTwo, countOne, read, lock, clock]
}
