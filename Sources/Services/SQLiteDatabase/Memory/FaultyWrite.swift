import PaymentDatabase
import PaymentPrimitives
import SQLRows
import Synchronization

/// A transaction of a simulation; its run may have an injected fault.
protocol FaultyWrite: PendingWrite {
  /// The injected fault; nil before the first run.
  var fault: DatabaseFault? { get }
  /// Called when the COMMIT of its batch reported an error.
  func finishUnknown(isCommitted: Bool)
}

/// A closure of the engine with an injected fault.
final class FaultyTransaction<Value: Sendable>: FaultyWrite {
  /// A simulated conflict with another transaction: the run is rolled back, and the database retries.
  struct Conflict: Error {}

  private struct State {
    var fault: DatabaseFault?
    var isCommitted = false
  }

  private let job: PendingTransaction
  private let value = TransactionValue<Value>()
  private let draw: @Sendable () -> DatabaseFault
  private let state = Mutex(State())

  init(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value,
    drawing draw: @escaping @Sendable () -> DatabaseFault
  ) {
    job = PendingTransaction(body, into: value)
    self.draw = draw
  }

  var fault: DatabaseFault? { state.withLock { $0.fault } }
  var isFinished: Bool { job.isFinished }
  /// The outcome; it is taken once.
  func outcome() -> CommitOutcome<Value> { value.outcome(of: job.end) }
  /// Whether its writes are durable, whatever result its caller gets.
  var isCommitted: Bool { state.withLock { $0.isCommitted } }

  /// Runs the closure over a snapshot. A plan with an injected fault is not used: the fault comes with the run.
  func plan(over snapshot: any SQLRun, containing number: Int64) -> CommitOutcome<Value>? {
    let fault = self.fault ?? draw()
    state.withLock { $0.fault = fault }
    switch fault {
    case .none: return job.plan(over: snapshot, containing: number).map { value.outcome(of: $0) }
    case .outcomeUnknownButCommitted, .outcomeUnknownAndNotCommitted:
      // Without writes the answer is lost all the same: `run` brings it.
      _ = job.plan(over: snapshot, containing: number)
      return nil
    case .conflict, .refused: return nil
    }
  }

  func takePlan() -> PlannedWrite? { job.takePlan() }

  func run(in transaction: any DatabaseTransaction) -> (any Error)? {
    // A batch may run it twice: once with the others and once with a savepoint.
    let fault = self.fault ?? draw()
    state.withLock { $0.fault = fault }
    if let error = job.run(in: transaction) { return error }
    switch fault {
    case .none, .outcomeUnknownButCommitted, .outcomeUnknownAndNotCommitted: return nil
    case .conflict: return Conflict()
    case .refused(let code): return CodedError<DatabaseErrorCode>(code)
    }
  }

  func runAgain(in transaction: any DatabaseTransaction) -> (any Error)? { job.runAgain(in: transaction) }

  func finish(_ end: WriteEnd) {
    guard case .committed = end else { return job.finish(end) }
    switch fault {
    // A transaction without writes needs no COMMIT, so the fault takes effect here.
    case .outcomeUnknownButCommitted: finishUnknown(isCommitted: true)
    case .outcomeUnknownAndNotCommitted: finishUnknown(isCommitted: false)
    case .none?, .conflict, .refused, nil:
      state.withLock { $0.isCommitted = true }
      job.finish(end)
    }
  }

  func finishUnknown(isCommitted: Bool) {
    state.withLock { $0.isCommitted = isCommitted }
    job.finish(.unknown)
  }
}
