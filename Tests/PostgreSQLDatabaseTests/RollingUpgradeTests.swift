import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import SystemPlatform
import TestDatabases
import Testing

/// A version of the program with one more step of the schema.
private func later(_ settings: PostgreSQLSettings, oldestProgram: Int?) -> PostgreSQLSettings {
  var settings = settings
  let number = PostgreSQLSchema.version + 1
  let statements = ["ALTER TABLE settings ADD COLUMN planted BIGINT"]
  settings.steps.append(
    PostgreSQLMigration(
      number: number, summary: "planted by a test", oldestProgram: oldestProgram, statements: statements))
  return settings
}

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A server of the version before` {
  private static func write(_ database: PostgreSQLDatabase, _ name: String) async throws {
    try await database.transact { try $0.set(name, to: "\(name)") }.get()
  }

  private static func names(_ database: any ReadableDatabase, _ names: [String]) async throws -> [String?] {
    try await database.read { reader in try names.map { try reader.setting($0) } }
  }

  @Test func `keeps a step away that it may not run beside, and is named`() async throws {
    try await withPostgreSQL { old, server, settings async throws in
      let error = try await refusal(later(settings, oldestProgram: nil))
      let node = try #require(old.coordination?.node)
      #expect(error.code == .heldByAnother && error.details.contains("servers run: \(node)."))
      #expect(
        try server.run("SELECT max(number) FROM \(settings.schema).schema_steps") == "\(PostgreSQLSchema.version)")
      try await Self.write(old, "still serves")
    }
  }

  @Test func `that was paused meanwhile commits nothing after such a step`() async throws {
    try await withPostgreSQL(change: { $0.commitDeadline = .seconds(2) }) { old, server, settings async throws in
      try await Self.write(old, "before")
      try Self.silence(server, settings)
      let new = try await openPostgreSQL(later(settings, oldestProgram: nil), clock: TestClock())
      let outcome = await old.transact { try $0.set("late", to: "late") }
      if case .committed = outcome { Issue.record("it has committed") }
      #expect(try await Self.names(new, ["before", "late"]) == ["before", nil])
      await new.close()
    }
  }

  /// Lets the servers look as if they had not been heard for a minute.
  private static func silence(_ server: PostgreSQLServer, _ settings: PostgreSQLSettings) throws {
    try server.run("UPDATE \(settings.schema).nodes SET seen_at = 0")
  }

  @Test func `does not start once a step needs the new version, and is told both numbers`() async throws {
    try await withPostgreSQL { old, server, settings async throws in
      try Self.silence(server, settings)
      let new = try await openPostgreSQL(later(settings, oldestProgram: nil), clock: TestClock())
      let error = try await refusal(settings)
      #expect(error.code == .newerSchema)
      #expect(error.details.contains("\(PostgreSQLSchema.version + 1)"))
      await #expect(throws: CodedError<DatabaseErrorCode>.self) {
        _ = try await PostgreSQLReader.open(settings, on: ThreadExecutor())
      }
      await new.close()
    }
  }

  @Test func `serves on beside the new one after an additive step, and may start again`() async throws {
    try await withPostgreSQL { old, server, settings async throws in
      try await Self.write(old, "before")
      let newSettings = later(settings, oldestProgram: PostgreSQLSchema.version)
      let new = try await openPostgreSQL(newSettings, clock: TestClock())
      #expect(
        try server.run("SELECT max(number) FROM \(settings.schema).schema_steps") == "\(PostgreSQLSchema.version + 1)")
      // Both write in turn, and each sees what the other wrote.
      try await Self.write(old, "by old")
      try await Self.write(new, "by new")
      let restarted = try await openPostgreSQL(settings, clock: TestClock())
      try await Self.write(restarted, "by restarted")
      let all = ["before", "by old", "by new", "by restarted"]
      for database in [old, new, restarted] { #expect(try await Self.names(database, all) == all) }
      #expect(try await old.nodes().count == 3)
      let reader = try await PostgreSQLReader.open(settings, on: ThreadExecutor())
      #expect(try await Self.names(reader, all) == all)
      await reader.close()
      let facts = try await PostgreSQLDatabase.facts(settings, on: ThreadExecutor())
      #expect(facts.schemaVersion == PostgreSQLSchema.version + 1 && facts.acceptsThisProgram)
      await restarted.close()
      await new.close()
    }
  }

  @Test func `is not let in by a step that does not say which programs may run`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let number = PostgreSQLSchema.version + 1
      try server.run("INSERT INTO \(settings.schema).schema_steps VALUES (\(number), 'later', 0)")
      #expect(try await refusal(settings).code == .newerSchema)
      try server.run("UPDATE \(settings.schema).schema_steps SET oldest_program = 1 WHERE number = \(number)")
      let database = try await openPostgreSQL(settings, clock: TestClock())
      await database.close()
      // Two versions later, where one step is not additive.
      try server.run("INSERT INTO \(settings.schema).schema_steps VALUES (\(number + 1), 'later', 0)")
      #expect(try await refusal(settings).code == .newerSchema)
    }
  }
}
