import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// A transaction with a waiting caller.
protocol PendingWrite: AnyObject, Sendable {
  /// Whether its outcome is final.
  var isFinished: Bool { get }
  /// What its closure wants to write, if it has run over a snapshot; nil if the closure must run in the transaction.
  var planned: PlannedWrite? { get }
  /// Runs the closure once and keeps its value; the value of an earlier run is dropped.
  ///
  /// - Returns: the error that the closure threw.
  func run(in transaction: any DatabaseTransaction) -> (any Error)?
  /// Runs the closure and drops its value: to compare it with a plan.
  func runAgain(in transaction: any DatabaseTransaction) -> (any Error)?
  /// Sets the outcome; only the first call counts.
  func finish(_ end: WriteEnd)
}

enum WriteEnd {
  /// The writes of its last run are durable.
  case committed
  case refused(any Error)
  case unknown
}

/// A plan with the commit that its snapshot contains.
struct PlannedWrite: Sendable {
  let plan: TransactionPlan
  let snapshot: Int64
  /// What the snapshot told about the rows that the plan names.
  let known: SQLiteTransaction.Known
}

/// A closure of the engine with its outcome.
final class PendingTransaction<Value: Sendable>: PendingWrite {
  private struct State: Sendable {
    var value: Value?
    var planned: PlannedWrite?
    var outcome: CommitOutcome<Value>?
  }

  private let body: @Sendable (any DatabaseTransaction) throws -> Value
  private let state = Mutex(State())

  init(_ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value) { self.body = body }

  var isFinished: Bool { state.withLock { $0.outcome != nil } }

  /// The outcome. A job that never finished has the outcome unknown, and its caller must treat it so.
  var outcome: CommitOutcome<Value> { state.withLock { $0.outcome ?? .outcomeUnknown } }

  var planned: PlannedWrite? { state.withLock { $0.planned } }

  /// Runs the closure over a snapshot that contains the commits up to `number`.
  ///
  /// - Returns: the outcome of a closure that wrote nothing: the snapshot is then all that it needs. Otherwise nil: the
  ///   writer takes the plan, or runs the closure itself.
  func plan(over snapshot: SQLiteTransaction, containing number: Int64) -> CommitOutcome<Value>? {
    let recording = RecordingTransaction(planningOver: snapshot, now: snapshot.now)
    let result = Result { try body(recording) }
    guard snapshot.failure == nil, let plan = recording.plan else { return nil }
    recording.end()
    guard !plan.writes.isEmpty else {
      switch result {
      case .success(let value): return .committed(value)
      case .failure(let error): return .refused(error)
      }
    }
    // An error after a write: the database itself decides which error came first.
    guard case .success(let value) = result, snapshot.prepare(plan.writes) else { return nil }
    let planned = PlannedWrite(plan: plan, snapshot: number, known: snapshot.known)
    state.withLock { ($0.value, $0.planned) = (value, planned) }
    return nil
  }

  func run(in transaction: any DatabaseTransaction) -> (any Error)? {
    do {
      let value = try body(transaction)
      state.withLock { $0.value = value }
      return nil
    } catch {
      return error
    }
  }

  func runAgain(in transaction: any DatabaseTransaction) -> (any Error)? {
    do { _ = try body(transaction) } catch { return error }
    return nil
  }

  func finish(_ end: WriteEnd) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      switch end {
      case .committed: state.outcome = state.value.map { .committed($0) } ?? .outcomeUnknown
      case .refused(let error): state.outcome = .refused(error)
      case .unknown: state.outcome = .outcomeUnknown
      }
    }
  }
}

/// The transactions that wait for the writer, first come first served.
final class WriteQueue: Sendable {
  private struct State {
    var jobs: [any PendingWrite] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let waitingMax: Int

  init(waitingMax: Int) { self.waitingMax = waitingMax }

  /// Adds a job, unless too many wait or the database is closed.
  func append(_ job: any PendingWrite) throws(CodedError<DatabaseErrorCode>) {
    let error: CodedError<DatabaseErrorCode>? = state.withLock { state in
      if state.isClosed { return CodedError(.unavailable, "The database has been closed.") }
      guard state.jobs.count < waitingMax else { return CodedError(.overloaded) }
      state.jobs.append(job)
      return nil
    }
    if let error { throw error }
  }

  var count: Int { state.withLock { $0.jobs.count } }

  func take(_ count: Int) -> [any PendingWrite] {
    state.withLock { state in
      if state.jobs.count <= count {
        defer { state.jobs.removeAll(keepingCapacity: true) }
        return state.jobs
      }
      defer { state.jobs.removeFirst(count) }
      return Array(state.jobs.prefix(count))
    }
  }

  func close() { state.withLock { $0.isClosed = true } }
}
