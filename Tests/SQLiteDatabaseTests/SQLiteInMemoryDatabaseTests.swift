import PaymentDatabase
import PaymentPrimitives
import SQLiteDatabase
import Synchronization
import TestDatabases
import Testing

/// SQLite in memory, the database of every second simulated world.
@Suite struct `SQLite in memory` {
  private let clock = TestClock()
  private let database: SQLiteInMemoryStorage

  init() throws {
    database = try SQLiteInMemoryStorage(profile: .simulated, installationSecret: Array(repeating: 0x0A, count: 32))
  }

  private func database(
    batchMax: Int = 16, _ faults: DatabaseFaults = DatabaseFaults(),
    pause: @escaping @Sendable (DatabasePausePoint) async -> Void = { _ in }
  ) -> SQLiteInMemoryDatabase {
    SQLiteInMemoryDatabase(database, batchMax: batchMax, now: { [clock] in clock.now }, faults: faults, pause: pause)
  }

  private func set(_ name: String, in database: SQLiteInMemoryDatabase, to value: String = "1") async -> CommitOutcome<
    Void
  > {
    await database.transact { try $0.set(name, to: value) }
  }

  private func value(of name: String) async throws -> String? {
    try await database().read { try $0.setting(name) }
  }

  /// Delays the first transaction until the given number wait.
  private func gathering(_ count: Int) -> @Sendable (DatabasePausePoint) async -> Void {
    let waiting = WaitingCount()
    return { point in
      guard point == .beforeRun else { return }
      await waiting.wait(for: count)
    }
  }

  @Test func `rolls back one transaction of a batch alone, with all its writes`() async throws {
    struct Stop: Error {}
    let database = database(pause: gathering(3))
    async let first = set("first", in: database)
    async let broken: CommitOutcome<Void> = database.transact {
      try $0.set("broken", to: "1")
      throw Stop()
    }
    async let last = set("last", in: database)
    let outcomes = await (first, broken, last)
    guard case (.committed, .refused(let error), .committed) = outcomes else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(error is Stop)
    #expect(try await value(of: "first") == "1")
    #expect(try await value(of: "last") == "1")
    #expect(try await value(of: "broken") == nil)
  }

  @Test func `reports an unknown outcome for a batch with an unknown COMMIT, whether it succeeded or not`() async throws
  {
    for (fault, isThere) in [(DatabaseFault.outcomeUnknownButCommitted, true), (.outcomeUnknownAndNotCommitted, false)]
    {
      let drawn = Mutex(0)
      // Only the second transaction draws the fault: they share the COMMIT.
      let draw: @Sendable () -> DatabaseFault = {
        drawn.withLock {
          $0 += 1; return $0 == 2 ? fault : .none
        }
      }
      let database = database(DatabaseFaults(transaction: draw), pause: gathering(2))
      let name = "of \(fault)"
      async let one = set(name + " one", in: database)
      async let other = set(name + " other", in: database)
      let outcomes = await (one, other)
      guard case (.outcomeUnknown, .outcomeUnknown) = outcomes else {
        Issue.record("\(outcomes)")
        continue
      }
      #expect(try await value(of: name + " one") == (isThere ? "1" : nil))
      #expect(try await value(of: name + " other") == (isThere ? "1" : nil))
    }
  }

  @Test func `is full if SQLite finds no page, and has lost nothing once there is room again`() async throws {
    let isFull = Mutex(false)
    let database = database(DatabaseFaults(isDiskFull: { isFull.withLock { $0 } }))
    _ = await set("before", in: database)
    isFull.withLock { $0 = true }
    let long = String(repeating: "x", count: 100_000)
    guard case .refused(let error as CodedError<DatabaseErrorCode>) = await set("during", in: database, to: long) else {
      Issue.record("100 kB found room on a full disk")
      return
    }
    #expect(error.code == .full)
    #expect(try await value(of: "before") == "1")
    isFull.withLock { $0 = false }
    guard case .committed = await set("during", in: database, to: long) else {
      Issue.record("there is room again")
      return
    }
  }

  @Test func `drops the transactions that a killed process had not run yet`() async throws {
    let waiting = WaitingCount()
    // It waits for a second one, which comes after the checks.
    let dead = database(pause: { point in if point == .beforeRun { await waiting.wait(for: 2) } })
    let task = Task { await set("asked", in: dead) }
    _ = await set("other", in: database())
    #expect(try await value(of: "other") == "1")
    #expect(try await value(of: "asked") == nil)
    await waiting.wait(for: 2)
    _ = await task.value
  }
}
