import Foundation
import PaymentDatabase
import SQLiteDatabase
import Synchronization
import TestDatabases
import Testing

/// Counts the pauses of a writer, and does something in one of them.
private final class Pauses: Sendable {
  private let state = Mutex((count: 0, action: (@Sendable (Int) -> Void)?.none))

  var count: Int { state.withLock { $0.count } }

  /// Forgets what was counted; calls the action with the number of each further pause.
  func reset(_ action: (@Sendable (Int) -> Void)? = nil) { state.withLock { $0 = (0, action) } }

  func note() {
    let (count, action) = state.withLock { state in
      state.count += 1
      return (state.count, state.action)
    }
    action?(count)
  }
}

/// Commits one batch of that many jobs.
private func commitTogether(_ count: Int, in database: SQLiteDatabase) async throws {
  let gate = Gate()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await database.commit { try gate.pass(onWriterOf: $0) } }
    await until { gate.reached }
    for number in 0..<count {
      group.addTask { try await database.commit { try $0.set("job \(number)", to: "written") } }
    }
    await until { database.waitingCount == count }
    gate.open()
    try await group.waitForAll()
  }
}

@Suite struct `A batch that gathers` {
  private func withDatabase(_ body: (SQLiteDatabase, Pauses) async throws -> Void) async throws {
    try await withDirectory { directory in
      let pauses = Pauses()
      let path = directory.appendingPathComponent("gathering.sqlite").path
      let database = try await openSQLite(at: path, clock: TestClock()) { settings in
        settings.pause = { pauses.note() }
      }
      try await body(database, pauses)
      await database.close()
    }
  }

  @Test func `waits for nobody when one job comes after the other`() async throws {
    try await withDatabase { database, pauses in
      for number in 0..<20 { try await database.commit { try $0.set("number", to: "\(number)") } }
      #expect(pauses.count == 0)
    }
  }

  @Test func `waits a bounded time after a larger one, and not again`() async throws {
    try await withDatabase { database, pauses in
      try await commitTogether(6, in: database)
      pauses.reset()
      try await database.commit { try $0.set("alone", to: "1") }
      #expect(pauses.count == 8)
      try await database.commit { try $0.set("alone", to: "2") }
      #expect(pauses.count == 8)
    }
  }

  @Test func `begins as soon as it is as large as the last one`() async throws {
    try await withDatabase { database, pauses in
      try await commitTogether(4, in: database)
      // The writer waits here until all four are there.
      let gate = Gate()
      pauses.reset { number in if number == 2 { gate.pass() } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await database.commit { try $0.set("first", to: "1") } }
        await until { gate.reached }
        for number in 0..<3 { group.addTask { try await database.commit { try $0.set("job \(number)", to: "2") } } }
        await until { database.waitingCount == 4 }
        gate.open()
        try await group.waitForAll()
      }
      #expect(pauses.count == 2)
    }
  }

  @Test func `waits for no more than 64 others`() async throws {
    try await withDatabase { database, pauses in
      try await commitTogether(100, in: database)
      pauses.reset()
      try await commitTogether(64, in: database)
      // One batch was alone with the gate, and the other was large enough.
      #expect(pauses.count == 8)
    }
  }
}
