import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Synchronization
import Testing

/// A database of the simulated world with a handle; its faults and pauses are set in advance.
private struct Simulated: Sendable {
  let database = InMemoryStorage(
    profile: .simulated, installationSecret: String(repeating: "00", count: 32))
  let points = Recorder()

  final class Recorder: Sendable {
    private let points = Mutex<[DatabasePausePoint]>([])
    var all: [DatabasePausePoint] { points.withLock { $0 } }
    func note(_ point: DatabasePausePoint) { points.withLock { $0.append(point) } }
  }

  /// A handle with these faults, one per run, and then no more.
  func database(_ faults: [DatabaseFault] = []) -> InMemoryDatabase {
    let left = FaultsLeft(faults)
    let points = points
    return InMemoryDatabase(
      database, now: { at(0) }, faults: DatabaseFaults(transaction: { left.next() ?? .none }),
      pause: { points.note($0) })
  }
}

private final class FaultsLeft: Sendable {
  private let faults: Mutex<[DatabaseFault]>
  init(_ faults: [DatabaseFault]) { self.faults = Mutex(faults) }
  func next() -> DatabaseFault? { faults.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}

@Suite struct `A reference database with faults` {
  @Test func `rolls a run back and repeats it after a conflict`() async throws {
    let world = Simulated()
    let runs = Counter()
    let outcome = await world.database([.conflict, .conflict]).transact { transaction throws in
      #expect(try transaction.setting("a") == nil)
      try transaction.set("a", to: "b")
      return runs.next()
    }
    #expect(try outcome.get() == 3)
    #expect(world.points.all == [.beforeRun, .betweenRuns, .betweenRuns, .afterCommit, .beforeAnswer])
  }

  @Test func `gives up after too many conflicts`() async throws {
    let world = Simulated()
    let faults = Array(repeating: DatabaseFault.conflict, count: DatabaseLimits.runsPerTransaction)
    #expect(await world.database(faults).errorCode { try $0.set("a", to: "b") } == .contended)
    #expect(try await world.database().read { try $0.setting("a") } == nil)
  }

  @Test(arguments: [DatabaseErrorCode.full, .contended, .unavailable, .overloaded])
  func `writes nothing if it refuses`(code: DatabaseErrorCode) async throws {
    let world = Simulated()
    #expect(await world.database([.refused(code)]).errorCode { try $0.set("a", to: "b") } == code)
    #expect(try await world.database().read { try $0.setting("a") } == nil)
    #expect(!world.points.all.contains(.afterCommit))
  }

  @Test func `leaves the outcome unknown, written or not`() async throws {
    for (fault, expected) in [
      (DatabaseFault.outcomeUnknownButCommitted, "b"), (.outcomeUnknownAndNotCommitted, nil),
    ] as [(DatabaseFault, String?)] {
      let world = Simulated()
      let outcome = await world.database([fault]).transact { try $0.set("a", to: "b") }
      #expect(outcome.word == "unknown")
      #expect(throws: CodedError<DatabaseErrorCode>(.outcomeUnknown)) { try outcome.get() }
      #expect(try await world.database().read { try $0.setting("a") } == expected)
    }
  }

  @Test func `refuses a read`() async throws {
    let world = Simulated()
    let database = InMemoryDatabase(
      world.database, now: { at(0) }, faults: DatabaseFaults(read: { .unavailable }))
    await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) {
      try await database.read { try $0.setting("a") }
    }
  }

  @Test(arguments: [DatabasePausePoint.beforeRun, .betweenRuns, .afterCommit, .beforeAnswer, .beforeRead])
  func `does not block other handles when its process is killed at a pause`(point: DatabasePausePoint) async throws {
    let world = Simulated()
    let (killed, never) = AsyncStream.makeStream(of: Void.self)
    let isKilled = Counter()
    let dying = InMemoryDatabase(
      world.database, now: { at(0) },
      faults: DatabaseFaults(transaction: { point == .betweenRuns ? .conflict : .none }),
      pause: { reached in
        guard reached == point else { return }
        isKilled.next()
        // A killed process never resumes from its wait.
        for await _ in killed {}
      })
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = await dying.transact { try $0.set("a", to: "dying") }
        _ = try? await dying.read { try $0.setting("a") }
      }
      await until { isKilled.value > 0 }
      let other = world.database()
      _ = await other.transact { try $0.set("b", to: "alive") }
      let found = try? await other.read { [try $0.setting("a"), try $0.setting("b")] }
      let isWritten = [.afterCommit, .beforeAnswer, .beforeRead].contains(point)
      #expect(found == [isWritten ? "dying" : nil, "alive"])
      never.finish()
    }
  }
}
