package import PaymentDatabase
package import PostgreSQLDatabase
import SQLiteDatabase
import SystemPlatform

/// Settings for a schema of a server of the tests.
package func postgreSQLSettings(
  _ server: PostgreSQLServer, schema: String, profile: DatabaseProfile = .simulated
) -> PostgreSQLSettings {
  var settings = PostgreSQLSettings(
    address: server.address(), profile: profile, monotonicNanoseconds: { SystemClock.monotonicNanoseconds() })
  settings.password = PostgreSQLServer.password
  settings.schema = schema
  settings.lookUp = { NameLookup.addresses(of: $0, within: $1) }
  return settings
}

/// Opens a PostgreSQL database with its own threads; the time of its transactions is the test's.
package func openPostgreSQL(
  _ settings: PostgreSQLSettings, clock: TestClock, writers: Int = 1,
  change: (inout PostgreSQLSettings) -> Void = { _ in }
) async throws -> PostgreSQLDatabase {
  var settings = settings
  settings.clock = { clock.now }
  change(&settings)
  return try await PostgreSQLDatabase.open(
    settings, dependencies: testDependencies(clock), writers: (0..<writers).map { _ in ThreadExecutor() },
    readers: [ThreadExecutor()], listener: ThreadExecutor())
}
