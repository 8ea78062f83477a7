import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import Synchronization
import TestDatabases
import Testing

/// The databases that the suite tests with the same sentences.
enum DatabaseKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case reference
  case sqlite
  /// The database of simulated worlds.
  case sqliteInMemory
  case postgreSQL

  /// Without PostgreSQL on this machine, the others alone; `A machine with PostgreSQL` says so.
  static let allCases: [DatabaseKind] =
    [.reference, .sqlite, .sqliteInMemory]
    + (PostgreSQLServer.isPresent ? [.postgreSQL] : [])

  var testDescription: String { rawValue }
}

/// A database with its disk, which can be closed and opened again.
actor DatabaseUnderTest {
  nonisolated let kind: DatabaseKind
  nonisolated let clock = TestClock()
  /// The directory of this test only; it stays empty if the reference database does not need it.
  nonisolated let directory: URL
  private let database = InMemoryStorage(
    profile: .simulated, installationSecret: String(repeating: "0a", count: 32))
  private var sqlite: SQLiteDatabase?
  private let memory: SQLiteInMemoryStorage
  private var postgreSQL: PostgreSQLDatabase?
  private var settings: PostgreSQLSettings?

  init(_ kind: DatabaseKind) throws {
    self.kind = kind
    directory = try makeTestDirectory()
    memory = try SQLiteInMemoryStorage(profile: .simulated, installationSecret: Array(repeating: 0x0A, count: 32))
  }

  nonisolated var path: String { directory.appendingPathComponent("test.sqlite").path }

  /// The database, opened at its first use.
  func database() async throws -> any PaymentDatabase {
    switch kind {
    case .reference:
      let clock = clock
      return InMemoryDatabase(database, now: { clock.now })
    case .sqliteInMemory:
      let clock = clock
      return SQLiteInMemoryDatabase(memory, batchMax: 16, now: { clock.now })
    case .sqlite:
      if let sqlite { return sqlite }
      let opened = try await openSQLite(at: path, clock: clock)
      sqlite = opened
      return opened
    case .postgreSQL:
      if let postgreSQL { return postgreSQL }
      let settings = try await settingsOfPostgreSQL()
      let opened = try await openPostgreSQL(settings, clock: clock)
      postgreSQL = opened
      return opened
    }
  }

  /// Closes the database and opens it again on the same disk.
  func reopen() async throws -> any PaymentDatabase {
    await close()
    return try await database()
  }

  private func settingsOfPostgreSQL() async throws -> PostgreSQLSettings {
    if let settings { return settings }
    let server = try await SharedPostgreSQL.shared.server()
    let made = postgreSQLSettings(server, schema: await SharedPostgreSQL.shared.newSchema())
    settings = made
    return made
  }

  func close() async {
    await sqlite?.close()
    sqlite = nil
    await postgreSQL?.close()
    postgreSQL = nil
  }

  /// Closes it and removes what it kept.
  func remove() async throws {
    await close()
    try? FileManager.default.removeItem(at: directory)
    guard let settings else { return }
    try await SharedPostgreSQL.shared.server().run("DROP SCHEMA IF EXISTS \(settings.schema) CASCADE")
  }
}

/// Runs a test on a new database of that kind, and deletes its disk afterwards.
func withDatabase(
  _ kind: DatabaseKind, _ body: (any PaymentDatabase, DatabaseUnderTest) async throws -> Void
) async throws {
  let underTest = try DatabaseUnderTest(kind)
  do {
    try await body(try await underTest.database(), underTest)
  } catch {
    try await underTest.remove()
    throw error
  }
  try await underTest.remove()
}

/// An error that the engine may throw inside a closure.
struct ClosureError: Error, Equatable {
  let word: String
}

extension PaymentDatabase {
  /// Runs a transaction that must be committed.
  func commit<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async throws -> Value {
    try await transact(body).get()
  }

  /// The error code of a refused transaction; nil if the database does not refuse it.
  func errorCode<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> DatabaseErrorCode? {
    guard case .refused(let error) = await transact(body) else { return nil }
    return (error as? CodedError<DatabaseErrorCode>)?.code
  }
}

/// Where it is skipped, its reason stands in the output of the tests.
@Suite struct `A machine with PostgreSQL` {
  @Test(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
  func `runs each sentence about databases on PostgreSQL, too`() {
    #expect(DatabaseKind.allCases.map(\.rawValue) == ["reference", "sqlite", "sqliteInMemory", "postgreSQL"])
  }
}
