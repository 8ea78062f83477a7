import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import TestDatabases
import TestTier
import Testing

@Suite(
  .enabled(
    if: PostgreSQLServer.isPresent && Tier.among(test: 0, check: 1, night: 1) > 0, "two servers: make check, make night"
  ))
struct `A standby that follows its primary` {
  private static let name = "test.value"

  @Test(.timeLimit(.minutes(5)))
  func `is refused, also to a reader, and passed over where the address names its primary behind it`() async throws {
    let primary = try await PostgreSQLServer()
    let first = try await openPostgreSQL(postgreSQLSettings(primary, schema: "followed"), clock: TestClock())
    try await first.transact { try $0.set(Self.name, to: "before") }.get()
    await first.close()
    // It has all tables, and would answer each question.
    let standby = try await PostgreSQLServer(standbyOf: primary)
    #expect(try standby.run("SELECT value FROM followed.settings WHERE name = '\(Self.name)'") == "before")

    let alone = postgreSQLSettings(standby, schema: "followed")
    let error = try await refusal(alone)
    #expect(error.code == .readOnly)
    #expect(error.details.contains("is a standby"), "\(error)")
    await #expect(throws: CodedError<DatabaseErrorCode>(.readOnly)) {
      let reader = try await PostgreSQLReader.open(alone, on: ThreadExecutor())
      await reader.close()
    }

    var both = alone
    both.address = standby.address().replacing(":\(standby.port)/", with: ":\(standby.port),127.0.0.1:\(primary.port)/")
    let second = try await openPostgreSQL(both, clock: TestClock())
    #expect(try await second.read { try $0.setting(Self.name) } == "before")
    try await second.transact { try $0.set(Self.name, to: "after") }.get()
    #expect(try primary.run("SELECT value FROM followed.settings WHERE name = '\(Self.name)'") == "after")
    await second.close()
  }
}
