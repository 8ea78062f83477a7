import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// The latest time at which something was written, stored in the database. If the present time is before it, the
/// clock was set back.
final class ClockMark: Sendable {
  /// The setting that holds it, in milliseconds.
  static let setting = "clock.latest"
  /// The mark is written again when the clock advanced this far; so it costs at most one small write a second.
  static let step = TimeSpan.seconds(1)

  private let state = Mutex<Timestamp?>(nil)

  /// The mark, once it has been read.
  var latest: Timestamp? { state.withLock { $0 } }

  /// Writes the mark within a transaction, if it is due.
  ///
  /// - Parameter latest: the mark that was known before the transaction began: each run of its closure writes the same.
  /// - Returns: the mark after its commit, to pass to `noteCommit`.
  static func write(in transaction: any DatabaseTransaction, after latest: Timestamp?) throws -> Timestamp {
    let known = try latest ?? read(transaction)
    let now = transaction.now
    if let known, now < known + step { return known }
    try transaction.set(setting, to: "\(now.milliseconds)")
    return now
  }

  /// Records the mark that a committed transaction wrote.
  func noteCommit(_ mark: Timestamp) {
    state.withLock { $0 = max($0 ?? mark, mark) }
  }

  /// Resets the mark to a clock that is correct again.
  func reset(to now: Timestamp) { state.withLock { $0 = now } }

  static func read(_ reader: any DatabaseReader) throws -> Timestamp? {
    try reader.setting(setting).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
  }
}
