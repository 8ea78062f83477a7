import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import TestPlatform
import TestTier
import Testing

/// A server that took over without everything that the one before had confirmed, or that was restored by hand while
/// nodes ran.
@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A node of a PostgreSQL that lacks commits which were answered` {
  private func set(_ text: String, by database: PostgreSQLDatabase) async -> Bool {
    let outcome = await database.transact { try $0.set("test.value", to: text) }
    guard case .committed = outcome else { return false }
    return true
  }

  private func lostSince(_ database: PostgreSQLDatabase) async throws -> Timestamp? {
    try await database.read { try $0.setting(DatabaseSetting.logLostSince) }.flatMap { Int64($0) }
      .map { Timestamp(milliseconds: $0) }
  }

  /// Takes answered commits back, as far as a node can see it.
  private func goBack(_ server: PostgreSQLServer, _ settings: PostgreSQLSettings) throws {
    try server.run("UPDATE \(settings.schema).commit_rows SET number = number - 1")
  }

  @Test func `writes nothing once its process is unknown there, and says what to do`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      #expect(await set("before", by: database))
      try goBack(server, settings)
      // Another process may have got its number.
      try server.run("UPDATE \(settings.schema).nodes SET started_at = started_at - 1")
      let outcome = await database.transact { try $0.set("test.value", to: "after") }
      guard case .refused(let error) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect("\(error)".contains("must be started again"), "\(error)")
      #expect(try server.run("SELECT value FROM \(settings.schema).settings WHERE name = 'test.value'") == "before")
      #expect(database.lostCommits == 0)
    }
  }

  @Test func `does not wait for the outcome of a commit that nobody can know there`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let line = try await FaultyLine(to: server)
    try await withPostgreSQL(change: { $0.address = server.address(port: line.port) }) { database, server, settings in
      #expect(await set("before", by: database))
      try server.run("UPDATE \(settings.schema).nodes SET started_at = started_at - 1")
      try line.fail(.cutBeforeCommit)
      let underWay = await database.transact { try $0.set("test.value", to: "under way") }
      guard case .outcomeUnknown = underWay else {
        Issue.record("another process may have written it: \(underWay)")
        return
      }
      guard case .refused(let error) = await database.transact({ try $0.set("test.value", to: "after") }) else {
        Issue.record("it wrote")
        return
      }
      #expect("\(error)".contains("must be started again"), "\(error)")
    }
  }

  @Test func `goes on writing, and notes since when something may be missing`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      for round in 0..<6 { #expect(await set("\(round)", by: database)) }
      #expect(try await lostSince(database) == nil)
      try goBack(server, settings)
      for round in 0..<4 { #expect(await set("later \(round)", by: database), "round \(round)") }
      #expect(database.lostCommits == 1, "once for each connection that writes")
      let seen = try #require(Int64(try server.run("SELECT max(seen_at) FROM \(settings.schema).nodes")))
      #expect(try await lostSince(database) == Timestamp(milliseconds: seen) - .minutes(10))
    }
  }

  @Test func `writes once what was under way, whose commit had no answer`() async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let line = try await FaultyLine(to: server)
    try await withPostgreSQL(change: { $0.address = server.address(port: line.port) }) { database, server, settings in
      try await database.transact { try $0.insert(Booking.sample("first")) }.get()
      try goBack(server, settings)
      try line.fail(.cutBeforeCommit)
      try await database.transact { try $0.insert(Booking.sample("second")) }.get()
      #expect(try server.run("SELECT amount FROM \(settings.schema).balances") == "10")
      #expect(database.lostCommits == 1)
      #expect(try await lostSince(database) != nil)
    }
  }

  @Test func `does not move a time that was noted before to a later one`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      let early = Timestamp(milliseconds: 1000)
      try await database.transact { try $0.set(DatabaseSetting.logLostSince, to: "\(early.milliseconds)") }.get()
      try goBack(server, settings)
      #expect(await set("after", by: database))
      #expect(try await lostSince(database) == early - .milliseconds(1), "the stores must be asked again")
    }
  }

  @Test(
    .enabled(if: Tier.among(test: 0, check: 1, night: 1) > 0, "two servers: make check, make night"),
    .timeLimit(.minutes(5)))
  func `finds that out after a fail-over to a standby that had not received them`() async throws {
    let old = try await PostgreSQLServer()
    let new = try await PostgreSQLServer(standbyOf: old)
    var settings = postgreSQLSettings(old, schema: "lost")
    settings.address = old.address().replacing(":\(old.port)/", with: ":\(old.port),127.0.0.1:\(new.port)/")
    let node = try await openPostgreSQL(settings, clock: TestClock())
    #expect(await set("received", by: node))
    let hasReceived = try await eventually {
      (try? new.run("SELECT value FROM lost.settings WHERE name = 'test.value'")) == "received"
    }
    try #require(hasReceived)
    try new.run("ALTER SYSTEM SET primary_conninfo = ''")
    try new.run("SELECT pg_reload_conf()")
    #expect(try await eventually { try old.run("SELECT count(*) FROM pg_stat_replication") == "0" })
    for round in 0..<3 { #expect(await set("lost \(round)", by: node)) }

    old.kill()
    try new.run("SELECT pg_promote()")
    let goesOn = try await eventually(tries: 1500) { await set("after", by: node) }
    #expect(goesOn, "it writes to the server that took over")
    #expect(node.lostCommits == 1)
    #expect(try await lostSince(node) != nil)
    await node.close()
  }
}
