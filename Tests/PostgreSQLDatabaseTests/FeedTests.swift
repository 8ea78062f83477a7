import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import TestSubprocess
import Testing

/// A transaction of another session that has written rows, and commits when it is let go.
private struct OpenTransaction {
  private let server: PostgreSQLServer
  private let gate: OtherProgram
  private let writer: OtherProgram
  private let names: (gate: String, writer: String)

  init(_ rows: String, _ server: PostgreSQLServer, _ settings: PostgreSQLSettings) throws {
    self.server = server
    names = ("gate of \(settings.schema)", "writer of \(settings.schema)")
    let key = "hashtext('\(settings.schema)')"
    gate = try server.begin("SELECT pg_advisory_lock(\(key))", named: names.gate)
    try server.waitFor(names.gate, "wait_event = 'PgSleep'")
    writer = try server.begin(
      """
      SET search_path = \(settings.schema); BEGIN; LOCK TABLE writing_turns IN ROW SHARE MODE; \(rows)
      SELECT pg_advisory_xact_lock(\(key)); COMMIT
      """, named: names.writer)
    try server.waitFor(names.writer, "wait_event_type = 'Lock'")
  }

  /// Lets it commit, and waits until that is done.
  func commit() throws {
    try server.end(names.gate)
    try server.waitFor(names.writer, "wait_event = 'PgSleep'")
    end()
  }

  func end() {
    for name in [names.gate, names.writer] { try? server.end(name) }
    gate.kill()
    writer.kill()
  }
}

extension PostgreSQLServer {
  /// Waits until the session of that name is in that state.
  fileprivate func waitFor(_ name: String, _ state: String) throws {
    while try run("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND \(state)") != "1" {}
  }

  /// Ends the session of that name, and waits for its end.
  fileprivate func end(_ name: String) throws {
    try run("SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE application_name = '\(name)'")
  }
}

@Suite(.serialized, .enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `What is settled of a feed over PostgreSQL` {
  private static let realm = AppEnvironment(app: "shop", environment: .production)

  private static func entry(_ word: String) -> JournalEntry {
    JournalEntry(.orderCreated, in: realm, at: at(1), order: nil, payment: nil, details: word)
  }

  private static func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

  /// Looks until something is settled.
  private static func settled(_ database: PostgreSQLDatabase, looks: Int) async throws -> Int64? {
    var settlement = FeedSettlement()
    for _ in 0..<looks {
      if let ends = settlement.receive(try await database.lookAtFeed()) { return ends.journal }
    }
    return nil
  }

  private static let late = """
    INSERT INTO journal (app, environment, at, what, details) VALUES ('shop', 'production', 1000, 'late', 'late');
    """

  @Test func `is nothing that later transactions committed, while an earlier one can still commit`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      try await database.transact { try $0.insert(Self.entry("first")) }.get()
      let before = try #require(try await Self.settled(database, looks: 1))
      let open = try OpenTransaction(Self.late, server, settings)
      defer { open.end() }
      for _ in 0..<3 { try await database.transact { try $0.insert(Self.entry("later")) }.get() }
      #expect(try await Self.settled(database, looks: 20) == nil)
      try open.commit()
      let end = try #require(try await Self.settled(database, looks: 1))
      let page = try await database.read {
        try $0.journal(JournalQuery(appEnvironment: Self.realm, after: before, upTo: end, limit: 9))
      }
      // The late one has the smallest number.
      #expect(page.entries.map(\.entry.details) == ["late", "later", "later", "later"])
    }
  }

  @Test func `waits for no transaction of another program, nor for one that began to write later`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      try server.run("CREATE TABLE \(settings.schema).other (n int)")
      let name = "other than \(settings.schema)"
      let other = try server.begin("INSERT INTO \(settings.schema).other VALUES (1)", named: name)
      defer {
        try? server.end(name)
        other.kill()
      }
      try server.waitFor(name, "wait_event = 'PgSleep'")
      try await database.transact { try $0.insert(Self.entry("first")) }.get()
      #expect(try await Self.settled(database, looks: 1) == 1)
      var settlement = FeedSettlement()
      let first = try OpenTransaction(Self.late, server, settings)
      defer { first.end() }
      #expect(settlement.receive(try await database.lookAtFeed()) == nil)
      try first.commit()
      let second = try OpenTransaction(Self.late, server, settings)
      defer { second.end() }
      #expect(settlement.receive(try await database.lookAtFeed())?.journal == 1)
    }
  }
}
