import PaymentDatabase
package import PaymentPrimitives
import SQLRows

/// What a server says of itself and of the database on it, for `doctor` and before a start.
package struct ServerFacts: Hashable, Sendable {
  /// Its version, such as 150013 for 15.13.
  package var version = 0
  /// Whether commits are flushed to the disk (`fsync`), and torn pages can be repaired (`full_page_writes`).
  package var flushes = false
  package var repairsPages = false
  /// What a commit of this user waits for (`synchronous_commit`).
  package var synchronousCommit = ""
  /// The standbys that a commit waits for (`synchronous_standby_names`).
  package var standbyNames = ""
  /// The connections that it allows to all users, and those that are open.
  package var connectionsMax = 0
  package var connectionsUsed = 0
  /// Its time when it answered.
  package var now = Timestamp(milliseconds: 0)
  /// How long the oldest open transaction of this database runs, as far as this user may see.
  package var oldestTransaction = TimeSpan.zero
  /// The number of the last step of the schema; nil if it has no tables.
  package var schemaVersion: Int?
  /// Whether this program may run on the schema as it is, if that is newer.
  package var acceptsThisProgram = true
  /// Whether this user may make the schema, or tables in it.
  package var mayMakeTables = false
  /// The tables that this user may not read and write, in order.
  package var tablesWithoutRights: [String] = []
  /// The indexes that an interrupted command left unusable, in order.
  package var invalidIndexes: [String] = []
}

extension PostgreSQLDatabase {
  /// Asks a server about itself. It changes nothing.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`, as `open` does.
  package static func facts(
    _ settings: PostgreSQLSettings, on executor: any SerialExecutor
  ) async throws -> ServerFacts {
    try await ServerQuestion(settings, ConnectionOpener(settings), on: executor).facts()
  }
}

/// One connection with questions about the server.
private actor ServerQuestion {
  private nonisolated let executor: any SerialExecutor
  private let settings: PostgreSQLSettings
  private let opener: ConnectionOpener

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ settings: PostgreSQLSettings, _ opener: ConnectionOpener, on executor: any SerialExecutor) {
    self.executor = executor
    self.settings = settings
    self.opener = opener
  }

  func facts() throws -> ServerFacts {
    let connection = try opener.open()
    defer { connection.close() }
    do {
      var facts = try connection.first(Self.server, { _ in }, { Self.server(&$0) }) ?? ServerFacts()
      facts.version = connection.serverVersion
      let keeper = SchemaKeeper(connection: connection, schema: settings.schema, steps: settings.steps)
      facts.schemaVersion = try keeper.version()
      facts.acceptsThisProgram = try facts.schemaVersion.map { try keeper.runs(on: $0) } ?? true
      facts.mayMakeTables =
        try connection.first(Self.mayMakeTables, { $0.add(settings.schema) }, { $0.flag() }) ?? false
      facts.tablesWithoutRights =
        try connection.all(Self.tablesWithoutRights, { $0.add(settings.schema) }, { $0.text() })
      facts.invalidIndexes = try connection.all(Self.invalidIndexes, { $0.add(settings.schema) }, { $0.text() })
      return facts
    } catch let failure as PostgreSQLFailure { throw failure.databaseError }
  }

  private static func server(_ columns: inout Columns) -> ServerFacts {
    var facts = ServerFacts()
    facts.flushes = columns.flag()
    facts.repairsPages = columns.flag()
    facts.synchronousCommit = columns.text()
    facts.standbyNames = columns.text()
    facts.connectionsMax = columns.int()
    facts.connectionsUsed = columns.int()
    facts.now = columns.timestamp()
    facts.oldestTransaction = .milliseconds(columns.integer())
    return facts
  }

  private static let server = SQL(
    """
    SELECT current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on',
      current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
      current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
      (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start) * 1000), 0)::bigint
       FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())
    """)
  private static let mayMakeTables = SQL(
    """
    SELECT coalesce(
      (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = ?),
      has_database_privilege(current_database(), 'CREATE'))
    """)
  private static let tablesWithoutRights = SQL(
    """
    SELECT relname::text FROM pg_class
    WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?)
      AND CASE
        WHEN relkind = 'r' THEN NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
        WHEN relkind = 'S' AND relname = 'payment_keys_id_seq' THEN NOT has_sequence_privilege(oid, 'USAGE')
        ELSE false END
    ORDER BY relname
    """)
  private static let invalidIndexes = SQL(
    """
    SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE NOT i.indisvalid AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?) ORDER BY c.relname
    """)
}
