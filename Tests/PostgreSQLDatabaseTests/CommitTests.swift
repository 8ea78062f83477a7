import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import TestDatabases
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A commit on PostgreSQL` {
  /// Runs a test on a database behind a line that fails.
  private func withFaultyLine(
    _ body: (PostgreSQLDatabase, FaultyLine, PostgreSQLServer, PostgreSQLSettings) async throws -> Void
  ) async throws {
    let server = try await SharedPostgreSQL.shared.server()
    let line = try await FaultyLine(to: server)
    try await withPostgreSQL(change: {
      $0.address = server.address(port: line.port)
      $0.commitDeadline = .seconds(2)
    }) { database, _, settings in
      try await body(database, line, server, settings)
    }
  }

  private func writtenCount(_ server: PostgreSQLServer, _ settings: PostgreSQLSettings) throws -> String {
    try server.run("SELECT count(*) FROM \(settings.schema).settings WHERE name LIKE 'new%'")
  }

  @Test(arguments: [FaultyLine.Fault.cutBeforeCommit, .swallowAnswer, .hold])
  func `takes effect exactly once, whenever its line is lost`(fault: FaultyLine.Fault) async throws {
    try await withFaultyLine { database, line, server, settings async throws in
      for round in 0..<3 {
        try line.fail(fault)
        let outcome = await database.transact { try $0.set("new.\(round)", to: "written") }
        guard case .committed = outcome else {
          Issue.record("round \(round): \(outcome)")
          return
        }
        #expect(line.faultCount == round + 1)
        #expect(try writtenCount(server, settings) == "\(round + 1)")
      }
      // Each was found out, and is counted by what was found.
      let found = fault == .cutBeforeCommit ? "notCommitted" : "committed"
      let counts = database.unknownCommits.filter { $0.count > 0 }
      #expect(counts.reduce(0) { $0 + $1.count } == 3)
      if fault != .hold { #expect(counts.map(\.found) == [found]) }
    }
  }

  @Test(arguments: [FaultyLine.Fault.cutBeforeCommit, .swallowAnswer])
  func `takes effect exactly once, also if the answer to the question about it is lost`(
    fault: FaultyLine.Fault
  ) async throws {
    try await withFaultyLine { database, line, server, settings async throws in
      try line.fail([fault, .swallowAnswer, .swallowAnswer])
      let outcome = await database.transact { try $0.insert(Booking.sample("once")) }
      guard case .committed = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(line.faultCount == 3)
      #expect(try server.run("SELECT sum(amount) FROM \(settings.schema).balances") == "5")
    }
  }

  @Test func `of an insertion is never done twice after its answer was lost`() async throws {
    try await withFaultyLine { database, line, server, settings async throws in
      let runs = Counter()
      try line.fail(.swallowAnswer)
      let outcome = await database.transact { transaction in
        runs.add()
        try transaction.insert(Booking.sample("once"))
      }
      guard case .committed = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(runs.count == 1, "the commit row told that it took")
      #expect(try server.run("SELECT amount FROM \(settings.schema).balances") == "5")
    }
  }

  @Test func `runs again after its server process was killed before it`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      let runs = Counter()
      let outcome = await database.transact { transaction in
        runs.add()
        _ = try transaction.setting("before")
        if runs.count == 1 {
          try server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'counterfoil' "
              + "AND state = 'idle in transaction' AND query LIKE '%settings WHERE name%'")
        }
        try transaction.set("new", to: "written")
      }
      guard case .committed = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(runs.count >= 2)
      #expect(try writtenCount(server, settings) == "1")
    }
  }

  @Test func `that a process dies in is found out, and runs again`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      // The trigger runs within COMMIT. A sequence remembers also what was rolled back.
      try server.run(
        """
        SET search_path = \(settings.schema);
        CREATE SEQUENCE deaths;
        CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF nextval(''\(settings.schema).deaths'') <= 2 THEN PERFORM pg_terminate_backend(pg_backend_pid()); \
        PERFORM pg_sleep(5); END IF; RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER dies AFTER INSERT ON settings DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION die()
        """)
      try await database.transact { try $0.set("new", to: "written") }.get()
      #expect(try server.run("SELECT last_value FROM \(settings.schema).deaths") == "3")
      #expect(try writtenCount(server, settings) == "1")
    }
  }

  @Test(arguments: [
    ("53100", DatabaseErrorCode.full), ("42501", .missingRights), ("25006", .readOnly), ("23514", .inconsistent),
    ("22003", .balanceOutOfRange), ("53200", .unavailable), ("XX001", .damaged),
  ])
  func `that the server refuses writes nothing, and says why`(state: String, code: DatabaseErrorCode) async throws {
    try await withPostgreSQL { database, server, settings async throws in
      try server.run(
        """
        SET search_path = \(settings.schema);
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION USING ERRCODE = ''\(state)'', MESSAGE = ''hunter2''; END';
        CREATE TRIGGER refuses BEFORE INSERT ON settings FOR EACH ROW WHEN (NEW.name = 'refused')
          EXECUTE FUNCTION refuse()
        """)
      let outcome = await database.transact { try $0.set("refused", to: "hunter2") }
      guard case .refused(let error as CodedError<DatabaseErrorCode>) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(error.code == code)
      #expect(error.details.contains(state) && !"\(error)".contains("hunter2"))
      try await database.transact { try $0.set("new", to: "after") }.get()
      #expect(try writtenCount(server, settings) == "1")
    }
  }

  @Test func `with a text that PostgreSQL cannot keep is refused alone`() async throws {
    try await withPostgreSQL { database, server, settings async throws in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            let outcome = await database.transact {
              try $0.set("new.\(number)", to: number == 7 ? "a\u{0}b" : "kept")
            }
            switch outcome {
            case .committed: #expect(number != 7)
            case .refused(let error):
              #expect((error as? CodedError<DatabaseErrorCode>)?.code == .unstorableText && number == 7)
            case .outcomeUnknown: Issue.record("unknown")
            }
          }
        }
      }
      #expect(try writtenCount(server, settings) == "19")
    }
  }

  @Test func `is refused as unavailable once the server is dead, and nothing hangs`() async throws {
    let server = try await PostgreSQLServer()
    let database = try await openPostgreSQL(postgreSQLSettings(server, schema: "alone"), clock: TestClock())
    try await database.transact { try $0.set("new", to: "written") }.get()
    server.kill()
    let outcome = await database.transact { try $0.set("new", to: "lost") }
    guard case .refused(let error as CodedError<DatabaseErrorCode>) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .unavailable)
    await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) {
      try await database.read { try $0.setting("new") }
    }
    await database.close()
  }

  @Test(.timeLimit(.minutes(3)))
  func `that no longer waits for its standby is unknown, and is answered only once a standby may have it`() async throws
  {
    let server = try await PostgreSQLServer()
    let database = try await openPostgreSQL(postgreSQLSettings(server, schema: "alone"), clock: TestClock())
    // Each connection waits for the standby when it is opened: here only the commit shall.
    for number in 0..<8 { try await database.transact { try $0.set("before.\(number)", to: "written") }.get() }
    try server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try server.run("SELECT pg_reload_conf()")
    let answers = Counter()
    async let outcome = {
      let outcome = await database.transact { try $0.set("new", to: "written") }
      answers.add()
      return outcome
    }()
    // COMMIT now waits. A cancel request makes it succeed with a warning, which must not be believed.
    let first = try await waitingProcess(server, besides: "0")
    try server.run("SELECT pg_cancel_backend(\(first))")
    // The question about it waits, too.
    let second = try await waitingProcess(server, besides: first)
    #expect(answers.count == 0 && second != first)
    try server.run("ALTER SYSTEM RESET synchronous_standby_names")
    try server.run("SELECT pg_reload_conf()")
    guard case .committed = await outcome else {
      Issue.record("\(await outcome)")
      return
    }
    #expect(try server.run("SELECT count(*) FROM alone.settings WHERE name = 'new'") == "1")
    await database.close()
  }

  @Test(.timeLimit(.minutes(3)))
  func `is not answered by a server that may show what no standby has, until one confirms`() async throws {
    let server = try await PostgreSQLServer()
    var settings = postgreSQLSettings(server, schema: "alone")
    settings.commitDeadline = .seconds(2)
    let database = try await openPostgreSQL(settings, clock: TestClock())
    try await database.transact { try $0.set("new", to: "written") }.get()
    try server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    // Its own sessions end, as at a crash, and what it had committed it shows at once.
    try await server.restart()
    await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) {
      try await database.read { try $0.setting("new") }
    }
    let outcome = await database.transact { try $0.setting("new") }
    guard case .refused(let error as CodedError<DatabaseErrorCode>) = outcome, error.code == .unavailable else {
      Issue.record("\(outcome)")
      return
    }
    try server.run("ALTER SYSTEM RESET synchronous_standby_names")
    try server.run("SELECT pg_reload_conf()")
    #expect(try await database.read { try $0.setting("new") } == "written")
    await database.close()
  }

  /// The server process that waits for a standby.
  private func waitingProcess(_ server: PostgreSQLServer, besides other: String) async throws -> String {
    while true {
      try Task.checkCancellation()
      let found = try server.run(
        "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> \(other) LIMIT 1")
      if !found.isEmpty { return found }
      await Task.yield()
    }
  }
}
