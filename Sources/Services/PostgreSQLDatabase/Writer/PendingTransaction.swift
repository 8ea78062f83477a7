import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// How a transaction ended.
enum TransactionEnd: Sendable {
  /// The writes of its last run are durable.
  case committed
  case refused(any Error)
  case unknown
}

/// The value of a closure, apart from its transaction.
final class TransactionValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func set(_ new: Value) { value.withLock { $0 = new } }

  /// The outcome for the caller. A transaction that never ended has the outcome unknown.
  func outcome(of end: TransactionEnd?) -> CommitOutcome<Value> {
    switch end {
    case .committed: value.withLock { $0.take() }.map { .committed($0) } ?? .outcomeUnknown
    case .refused(let error): .refused(error)
    case .unknown, nil: .outcomeUnknown
    }
  }
}

/// A closure of the engine with its end.
final class PendingTransaction: Sendable {
  private struct State: Sendable {
    var end: TransactionEnd?
    var conflicts = 0
  }

  private let body: @Sendable (any DatabaseTransaction) throws -> Void
  private let state = Mutex(State())

  /// - Parameter value: takes the value of the last run.
  init<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value, into value: TransactionValue<Value>
  ) {
    self.body = { value.set(try body($0)) }
  }

  var end: TransactionEnd? { state.withLock { $0.end } }
  var isFinished: Bool { end != nil }

  /// Runs the closure once.
  ///
  /// - Returns: the error that it threw.
  func run(in transaction: any DatabaseTransaction) -> (any Error)? {
    do { try body(transaction) } catch { return error }
    return nil
  }

  /// Sets the end; only the first call counts.
  func finish(_ end: TransactionEnd) {
    state.withLock { state in
      if state.end == nil { state.end = end }
    }
  }

  /// Whether others came first so often that it is to run while no other writes.
  var mustRunAlone: Bool { state.withLock { $0.conflicts >= Self.runsTogetherMax } }
  private static let runsTogetherMax = 3

  /// Counts a run that must be repeated. After too many the transaction is refused.
  ///
  /// - Returns: whether it may run again.
  func mayRunAgain() -> Bool {
    let isOver = state.withLock { state in
      state.conflicts += 1
      return state.conflicts >= DatabaseLimits.runsPerTransaction
    }
    if isOver { finish(.refused(CodedError<DatabaseErrorCode>(.contended))) }
    return !isOver
  }
}

/// The transactions that wait for one lane, first come first served.
final class LaneQueue: Sendable {
  private struct State {
    var jobs: [PendingTransaction] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let waitingMax: Int

  init(waitingMax: Int) { self.waitingMax = waitingMax }

  /// Adds a transaction, unless too many wait or the database is closed.
  func append(_ job: PendingTransaction) throws(CodedError<DatabaseErrorCode>) {
    let error: CodedError<DatabaseErrorCode>? = state.withLock { state in
      if state.isClosed { return CodedError(.unavailable, "The database has been closed.") }
      guard state.jobs.count < waitingMax else { return CodedError(.overloaded) }
      state.jobs.append(job)
      return nil
    }
    if let error { throw error }
  }

  var count: Int { state.withLock { $0.jobs.count } }

  func take(_ count: Int) -> [PendingTransaction] {
    state.withLock { state in
      let taken = Array(state.jobs.prefix(count))
      state.jobs.removeFirst(taken.count)
      return taken
    }
  }

  func close() { state.withLock { $0.isClosed = true } }
}

/// Chooses the lanes of transactions: several in a row go to one, which commits them together. Those of one user often
/// come together; on two lanes they would wait for each other's keys.
struct LaneTurns {
  private static let inRow = 32

  private var lane = 0
  private var left = inRow

  mutating func next(_ queues: @autoclosure () -> [LaneQueue]) -> Int {
    left -= 1
    guard left < 0 else { return lane }
    left = Self.inRow - 1
    let queues = queues()
    let others = queues.indices.map { (lane + 1 + $0) % queues.count }
    lane = others.min { queues[$0].count < queues[$1].count } ?? 0
    return lane
  }
}
