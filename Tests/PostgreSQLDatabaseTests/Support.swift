import Foundation
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import Testing

/// Runs a test on a new schema of the shared server.
func withPostgreSQL(
  writers: Int = 1, change: (inout PostgreSQLSettings) -> Void = { _ in },
  _ body: (PostgreSQLDatabase, PostgreSQLServer, PostgreSQLSettings) async throws -> Void
) async throws {
  let server = try await SharedPostgreSQL.shared.server()
  var settings = postgreSQLSettings(server, schema: await SharedPostgreSQL.shared.newSchema())
  change(&settings)
  let database = try await openPostgreSQL(settings, clock: TestClock(), writers: writers)
  do { try await body(database, server, settings) } catch {
    await database.close()
    throw error
  }
  await database.close()
  try server.run("DROP SCHEMA \(settings.schema) CASCADE")
}

/// The error with which an opening is refused.
func refusal(_ settings: PostgreSQLSettings) async throws -> CodedError<DatabaseErrorCode> {
  do {
    let database = try await openPostgreSQL(settings, clock: TestClock())
    await database.close()
  } catch let error as CodedError<DatabaseErrorCode> {
    return error
  }
  throw Opened()
}

/// An opening succeeded that must not.
struct Opened: Error {}
