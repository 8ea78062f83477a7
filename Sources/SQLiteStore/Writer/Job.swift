import PaymentStore
import PaymentVocabulary
import Synchronization

/// A transaction that somebody waits for.
protocol Job: AnyObject, Sendable {
  /// Whether its outcome stands.
  var isFinished: Bool { get }
  /// Runs the closure once and keeps what it gives; an earlier run's value is forgotten.
  ///
  /// - Returns: what the closure threw.
  func run(in transaction: SQLiteTransaction) -> (any Error)?
  /// Says how it ended; the first word stands.
  func finish(_ end: JobEnd)
}

/// How a transaction ended.
enum JobEnd {
  /// What its last run wrote is durable.
  case committed
  /// Nothing of it was written.
  case refused(any Error)
  /// Nobody knows.
  case unknown
}

/// A closure of the engine with its outcome.
final class TransactionJob<Value: Sendable>: Job {
  private struct State: Sendable {
    var value: Value?
    var outcome: StoreOutcome<Value>?
  }

  private let body: @Sendable (any StoreTransaction) throws -> Value
  private let state = Mutex(State())

  init(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) { self.body = body }

  var isFinished: Bool { state.withLock { $0.outcome != nil } }

  /// The outcome; unknown for a job that was never finished, which is what a caller must take it for.
  var outcome: StoreOutcome<Value> { state.withLock { $0.outcome ?? .outcomeUnknown } }

  func run(in transaction: SQLiteTransaction) -> (any Error)? {
    do {
      let value = try body(transaction)
      state.withLock { $0.value = value }
      return nil
    } catch {
      return error
    }
  }

  func finish(_ end: JobEnd) {
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
final class JobLine: Sendable {
  private struct State {
    var jobs: [any Job] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let waitingMax: Int

  init(waitingMax: Int) { self.waitingMax = waitingMax }

  /// Adds a job, unless too many wait or the store is closed.
  func append(_ job: any Job) throws(Refusal<StoreErrorCode>) {
    let refusal: Refusal<StoreErrorCode>? = state.withLock { state in
      if state.isClosed { return Refusal(.unavailable, "The database has been closed.") }
      guard state.jobs.count < waitingMax else { return Refusal(.overloaded) }
      state.jobs.append(job)
      return nil
    }
    if let refusal { throw refusal }
  }

  /// How many wait.
  var count: Int { state.withLock { $0.jobs.count } }

  /// Takes the next so many.
  func take(_ count: Int) -> [any Job] {
    state.withLock { state in
      if state.jobs.count <= count {
        defer { state.jobs.removeAll(keepingCapacity: true) }
        return state.jobs
      }
      defer { state.jobs.removeFirst(count) }
      return Array(state.jobs.prefix(count))
    }
  }

  /// Lets no more jobs in.
  func close() { state.withLock { $0.isClosed = true } }
}
