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

  private struct State {
    var latest: Timestamp?
    /// When a transaction was last let write it.
    var claimedAt: Timestamp?
  }

  private let state = Mutex(State())

  /// The mark, once it has been read.
  var latest: Timestamp? { state.withLock { $0.latest } }

  /// Whether a transaction that begins now may write the mark: one in each `step`. All that begin in that moment would
  /// write the same row, and wait for each other.
  func claim(at now: Timestamp) -> Bool {
    state.withLock { state in
      if state.latest != nil, let last = state.claimedAt, last <= now, now < last + Self.step { return false }
      state.claimedAt = now
      return true
    }
  }

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
    state.withLock { $0.latest = max($0.latest ?? mark, mark) }
  }

  /// Resets the mark to a clock that is correct again.
  func reset(to now: Timestamp) { state.withLock { $0 = State(latest: now) } }

  static func read(_ reader: any DatabaseReader) throws -> Timestamp? {
    try reader.setting(setting).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
  }
}
