import PaymentDatabase
import PaymentPrimitives
import SQLRows
import Synchronization

/// Runs closures on their callers' threads, over snapshots of the database, while the writer commits others. It answers
/// brief questions in the same way.
///
/// A closure that only reads is answered from its snapshot. Any other gives a plan, which the writer applies if nothing
/// that it read has changed. When no connection is free, or the snapshot gives no plan, the writer runs the closure.
final class SnapshotPlanner: Sendable {
  private final class Slot: Sendable {
    let state = Mutex(State())
  }

  private struct State {
    var connection: Connection?
    /// The last commit that the open snapshot contains; nil if none is open.
    var snapshot: Int64?
    var isClosed = false
  }

  /// What the writer has committed.
  let commits = CommitState()
  private let slots: [Slot]
  private let file: DatabaseFile
  private let profile: DatabaseProfile
  private let now: @Sendable () -> Timestamp
  private let turns = Atomic<Int>(0)
  private let answered = Atomic<Int>(0)

  /// - Parameter count: how many closures may run at the same time.
  init(_ file: DatabaseFile, profile: DatabaseProfile, count: Int, now: @escaping @Sendable () -> Timestamp) {
    self.file = file
    self.profile = profile
    self.now = now
    slots = (0..<count).map { _ in Slot() }
  }

  /// Runs a closure over a snapshot.
  ///
  /// - Returns: the end if the closure wrote nothing; nil if the writer must take the job.
  func plan(_ job: PendingTransaction) -> WriteEnd? {
    let turn = Int(UInt(bitPattern: turns.add(1, ordering: .relaxed).oldValue) % UInt(max(1, slots.count)))
    for offset in slots.indices {
      let end = slots[(turn + offset) % slots.count].state.withLockIfAvailable { plan(job, &$0) }
      guard let end else { continue }
      if end != nil { answered.add(1, ordering: .relaxed) }
      return end
    }
    return nil
  }

  /// Answers a question from a snapshot.
  ///
  /// - Returns: nil if no connection is free, or if this one cannot read: then a reading connection must answer.
  func read<Value: Sendable>(_ body: @Sendable (any DatabaseReader) throws -> Value) -> Result<Value, any Error>? {
    // One connection of several, so that questions never keep all plans waiting.
    slots.last?.state.withLockIfAvailable { read(body, &$0) } ?? nil
  }

  /// How many closures wrote nothing.
  var answeredCount: Int { answered.load(ordering: .relaxed) }

  /// Ends all open snapshots; waits for the closures that run.
  func releaseSnapshots() {
    for slot in slots { slot.state.withLock { Self.end(&$0) } }
  }

  func close() {
    for slot in slots {
      slot.state.withLock { state in
        state.connection?.close()
        state = State(isClosed: true)
      }
    }
  }

  private func plan(_ job: PendingTransaction, _ state: inout State) -> WriteEnd? {
    // Where the snapshot fails, the writer meets the same trouble, and says what it is.
    withSnapshot(&state) { snapshot, number in job.plan(over: snapshot, containing: number) } ?? nil
  }

  private func read<Value: Sendable>(
    _ body: @Sendable (any DatabaseReader) throws -> Value, _ state: inout State
  ) -> Result<Value, any Error>? {
    withSnapshot(&state) { snapshot, _ in
      let result = Result { try body(snapshot) }
      if let failure = snapshot.failure { throw failure }
      return result
    }
  }

  /// Runs a closure over a snapshot, which stays open afterwards unless the log is just written back.
  ///
  /// - Returns: nil if there is no connection, or if it failed: then it is closed.
  private func withSnapshot<Value>(
    _ state: inout State, _ body: (any SQLRun, Int64) throws -> Value
  ) -> Value? {
    do {
      guard let connection = try ready(&state) else { return nil }
      let number = try beginSnapshot(on: connection, &state)
      let snapshot = connection.newRun(now: now())
      let result = Result { try body(snapshot, number) }
      snapshot.end()
      let value = try result.get()
      if connection.isOutsideTransaction || !commits.keepsSnapshots { Self.end(&state) }
      return value
    } catch {
      Self.drop(&state)
      return nil
    }
  }

  /// Uses the open snapshot if nothing was committed since: to open one costs as much as a small question.
  private func beginSnapshot(on connection: Connection, _ state: inout State) throws -> Int64 {
    if let snapshot = state.snapshot {
      if snapshot == commits.last { return snapshot }
      state.snapshot = nil
      try connection.run(.commit)
    }
    try connection.run(.begin)
    let number = try connection.batchNumber()
    state.snapshot = number
    return number
  }

  private static func end(_ state: inout State) {
    guard state.snapshot != nil, let connection = state.connection else { return }
    state.snapshot = nil
    guard !connection.isOutsideTransaction else { return }
    do { try connection.run(.commit) } catch { drop(&state) }
  }

  private static func drop(_ state: inout State) {
    state.connection?.close()
    state.connection = nil
    state.snapshot = nil
  }

  private func ready(_ state: inout State) throws -> Connection? {
    if let connection = state.connection { return connection }
    guard !state.isClosed else { return nil }
    let connection = try file.openForReading(profile: profile)
    state.connection = connection
    return connection
  }
}
