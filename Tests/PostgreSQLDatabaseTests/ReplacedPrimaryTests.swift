import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import TestPlatform
import TestTier
import Testing

@Suite(
  .enabled(
    if: PostgreSQLServer.isPresent && Tier.among(test: 0, check: 1, night: 1) > 0, "two servers: make check, make night"
  ))
struct `A node of a primary that was replaced and runs on` {
  private static let name = "replaced.primary"

  /// A server that waits for its standby, and the standby.
  private func replicated() async throws -> (old: PostgreSQLServer, new: PostgreSQLServer) {
    let old = try await PostgreSQLServer()
    let new = try await PostgreSQLServer(standbyOf: old)
    try old.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try old.run("SELECT pg_reload_conf()")
    let isSynchronous = try await eventually {
      try old.run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
    }
    try #require(isSynchronous)
    return (old, new)
  }

  private func set(_ text: String, by database: PostgreSQLDatabase) async -> Bool {
    let outcome = await database.transact { try $0.set(Self.name, to: text) }
    guard case .committed = outcome else { return false }
    return true
  }

  @Test(.timeLimit(.minutes(5)))
  func `goes over to the next server, and neither reads nor writes where nobody takes over what is written`()
    async throws
  {
    let (old, new) = try await replicated()
    var settings = postgreSQLSettings(old, schema: "replaced")
    settings.address = old.address().replacing(":\(old.port)/", with: ":\(old.port),127.0.0.1:\(new.port)/")
    settings.commitDeadline = .seconds(1)
    settings.confirmedFor = .milliseconds(500)
    let clock = TestClock()
    let node = try await openPostgreSQL(settings, clock: clock)
    #expect(await set("before", by: node))
    #expect(try await node.read { try $0.setting(Self.name) } == "before")

    try new.run("SELECT pg_promote()")
    #expect(try await eventually { try new.run("SELECT pg_is_in_recovery()") == "f" })
    var successor = postgreSQLSettings(new, schema: "replaced")
    successor.commitDeadline = .seconds(5)
    let other = try await openPostgreSQL(successor, clock: clock)
    #expect(await set("after", by: other))

    // The old server still answers whoever asks it, and its sessions were never lost.
    #expect(try old.run("SELECT value FROM replaced.settings WHERE name = '\(Self.name)'") == "before")
    let isRead = try await eventually(tries: 1500) {
      (try? await node.read { try $0.setting(Self.name) }) == "after"
    }
    #expect(isRead, "it reads what the new server has")
    #expect(try await eventually(tries: 1500) { await set("later", by: node) }, "it writes to the new server")
    #expect(try await other.read { try $0.setting(Self.name) } == "later")
    await other.close()
    await node.close()
  }
}
