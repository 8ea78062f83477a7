import PaymentDatabase
import PaymentPrimitives
import SQLRows
import Synchronization

/// A transaction with a waiting caller.
protocol PendingWrite: AnyObject, Sendable {
  /// Whether its outcome is final.
  var isFinished: Bool { get }
  /// Takes what its closure wants to write, if it has run over a snapshot; nil if the closure must run in the
  /// transaction. A second call gives nil.
  func takePlan() -> PlannedWrite?
  /// Runs the closure once and keeps its value; the value of an earlier run is dropped.
  ///
  /// - Returns: the error that the closure threw.
  func run(in transaction: any DatabaseTransaction) -> (any Error)?
  /// Runs the closure and drops its value: to compare it with a plan.
  func runAgain(in transaction: any DatabaseTransaction) -> (any Error)?
  /// Sets the outcome; only the first call counts.
  func finish(_ end: WriteEnd)
}

enum WriteEnd: Sendable {
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
  let known: KnownRows
}

/// The value of a closure, apart from its job: the job passes through queues and batches, where code that knows no type
/// would copy the value each time.
final class TransactionValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func set(_ new: Value) { value.withLock { $0 = new } }

  /// The outcome of the job that set the value. A job that never ended has the outcome unknown, and its caller must
  /// treat it so.
  func outcome(of end: WriteEnd?) -> CommitOutcome<Value> {
    switch end {
    case .committed: value.withLock { $0.take() }.map { .committed($0) } ?? .outcomeUnknown
    case .refused(let error): .refused(error)
    case .unknown, nil: .outcomeUnknown
    }
  }
}

/// A closure of the engine with its end.
final class PendingTransaction: PendingWrite {
  private struct State: Sendable {
    var planned: PlannedWrite?
    var end: WriteEnd?
  }

  /// Runs the closure, and keeps its value if told to.
  private let body: @Sendable (any DatabaseTransaction, _ keepsValue: Bool) throws -> Void
  private let state = Mutex(State())

  /// - Parameter value: takes the value of the last run.
  init<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value, into value: TransactionValue<Value>
  ) {
    self.body = { transaction, keepsValue in
      let new = try body(transaction)
      if keepsValue { value.set(new) }
    }
  }

  var isFinished: Bool { state.withLock { $0.end != nil } }
  var end: WriteEnd? { state.withLock { $0.end } }

  func takePlan() -> PlannedWrite? { state.withLock { $0.planned.take() } }

  /// Runs the closure over a snapshot that contains the commits up to `number`.
  ///
  /// - Returns: the end of a closure that wrote nothing: the snapshot is then all that it needs. Otherwise nil: the
  ///   writer takes the plan, or runs the closure itself.
  func plan(over snapshot: any SQLRun, containing number: Int64) -> WriteEnd? {
    let recording = RecordingTransaction(planningOver: snapshot, now: snapshot.now)
    let error = run(in: recording)
    guard snapshot.failure == nil, let plan = recording.plan else { return nil }
    recording.end()
    guard !plan.writes.isEmpty else { return error.map { .refused($0) } ?? .committed }
    // An error after a write: the database itself decides which error came first.
    guard error == nil, snapshot.prepare(plan.writes) else { return nil }
    let planned = PlannedWrite(plan: plan, snapshot: number, known: snapshot.known)
    state.withLock { $0.planned = planned }
    return nil
  }

  func run(in transaction: any DatabaseTransaction) -> (any Error)? {
    do { try body(transaction, true) } catch { return error }
    return nil
  }

  func runAgain(in transaction: any DatabaseTransaction) -> (any Error)? {
    do { try body(transaction, false) } catch { return error }
    return nil
  }

  func finish(_ end: WriteEnd) {
    state.withLock { state in
      if state.end == nil { state.end = end }
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
