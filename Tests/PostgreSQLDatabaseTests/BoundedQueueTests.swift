import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import TestPlatform
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A PostgreSQL database whose queue is full` {
  /// Writes a setting.
  ///
  /// - Returns: why it was not written; nil if it was.
  private func set(_ name: String, by database: PostgreSQLDatabase) async -> DatabaseErrorCode? {
    switch await database.transact({ try $0.set(name, to: "written") }) {
    case .committed: nil
    case .refused(let error): (error as? CodedError<DatabaseErrorCode>)?.code ?? .unavailable
    case .outcomeUnknown: .outcomeUnknown
    }
  }

  private func read(_ database: PostgreSQLDatabase, at gate: Gate) async throws -> DatabaseErrorCode? {
    do {
      try await database.read { _ in gate.pass() }
      return nil
    } catch let error as CodedError<DatabaseErrorCode> { return error.code }
  }

  @Test func `refuses each further transaction at once, and commits all that it had taken`() async throws {
    try await withPostgreSQL(change: { $0.waitingMax = 2 }) { database, server, settings async throws in
      let (gate, refused) = (Gate(), Counter())
      let ends = try await withThrowingTaskGroup(of: DatabaseErrorCode?.self) { group in
        // A test that fails meanwhile must not leave the writer at the gate.
        defer { gate.open() }
        group.addTask {
          try await database.transact { transaction in
            gate.pass()
            try transaction.set("taken.0", to: "written")
          }.get()
          return nil
        }
        #expect(try await eventually { gate.reached })
        for number in 1...2 {
          group.addTask { await set("taken.\(number)", by: database) }
          #expect(try await eventually(tries: 500) { database.waitingCount == number })
        }
        for number in 0..<5 {
          group.addTask {
            let end = await set("refused.\(number)", by: database)
            refused.add()
            return end
          }
        }
        #expect(try await eventually(tries: 500) { refused.count == 5 }, "nobody waits for a refusal")
        gate.open()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(ends.count { $0 == .overloaded } == 5)
      #expect(ends.count { $0 == nil } == 3)
      let names = "SELECT string_agg(name, ' ' ORDER BY name) FROM \(settings.schema).settings"
      #expect(
        try server.run("\(names) WHERE name LIKE 'taken.%' OR name LIKE 'refused.%'") == "taken.0 taken.1 taken.2")
      #expect(await set("later", by: database) == nil, "there is room again")
    }
  }

  @Test func `refuses each further read at once, and answers all that it had taken`() async throws {
    try await withPostgreSQL(change: { $0.readingMax = 3 }) { database, _, _ async throws in
      let (gate, refused) = (Gate(), Counter())
      let ends = try await withThrowingTaskGroup(of: DatabaseErrorCode?.self) { group in
        defer { gate.open() }
        for _ in 0..<10 {
          group.addTask {
            let end = try await read(database, at: gate)
            refused.add()
            return end
          }
        }
        // No read ends before the gate opens, so these are the refusals.
        #expect(try await eventually(tries: 500) { refused.count == 7 }, "nobody waits for a refusal")
        gate.open()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(ends.count { $0 == .overloaded } == 7)
      #expect(ends.count { $0 == nil } == 3)
      // What was refused takes no room.
      for _ in 0..<4 { #expect(try await read(database, at: gate) == nil) }
    }
  }
}
