import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// The latest moment at which something was written, kept in the database: a clock that stands before it was set back.
final class ClockMark: Sendable {
  /// The setting that holds it, in milliseconds.
  static let setting = "clock.latest"
  /// It is written anew when the clock has gone on that far, so that it costs one small write a second at most.
  static let step = TimeSpan.seconds(1)

  private let state = Mutex<Timestamp?>(nil)

  /// The mark, once it has been read.
  var latest: Timestamp? { state.withLock { $0 } }

  /// Writes the mark within a transaction, if it is time.
  ///
  /// - Returns: the mark after its commit, to be handed to `noteCommit`.
  func write(in transaction: any DatabaseTransaction) throws -> Timestamp {
    let known = try latest ?? Self.read(transaction)
    let now = transaction.now
    if let known, now < known + Self.step { return known }
    try transaction.set(Self.setting, to: "\(now.milliseconds)")
    return now
  }

  /// Notes what a transaction has written.
  func noteCommit(_ mark: Timestamp) {
    state.withLock { $0 = max($0 ?? mark, mark) }
  }

  /// Puts it back to a clock that is right again.
  func reset(to now: Timestamp) { state.withLock { $0 = now } }

  static func read(_ store: any DatabaseReader) throws -> Timestamp? {
    try store.setting(setting).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
  }
}
