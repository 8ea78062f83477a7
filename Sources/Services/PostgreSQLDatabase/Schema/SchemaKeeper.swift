import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// Checks and migrates the schema of a database.
struct SchemaKeeper {
  let connection: Connection
  let schema: String
  /// The steps that this program knows.
  let steps: [PostgreSQLMigration]
  /// The time of the rows; nil is the database's own clock, as in `PostgreSQLSettings`.
  private let clock: (@Sendable () -> Timestamp)?

  init(
    connection: Connection, schema: String, steps: [PostgreSQLMigration] = PostgreSQLSchema.migrations,
    clock: (@Sendable () -> Timestamp)? = nil
  ) {
    self.connection = connection
    self.schema = schema
    self.steps = steps
    self.clock = clock
  }

  private var ownVersion: Int { steps.last?.number ?? 0 }

  /// Brings the schema to this version. One process at a time does it; the others wait, and find it done.
  ///
  /// - Parameter secret: returns the installation secret of a new database.
  /// - Throws: `CodedError<DatabaseErrorCode>`; nothing is changed then.
  func migrate(profile: DatabaseProfile, newWith secret: () -> [UInt8], at moment: Timestamp) throws {
    try reporting {
      try connection.run(.begin)
      try connection.run(Self.waitLonger)
      try connection.run(Self.takeTurn) { $0.add(schema) }
      let found = try version()
      if let found { try requireCompatible(found) }
      if found == nil {
        try requireNoUnfinishedCopy()
        try makeSchema()
      }
      if let found, found > 0 { try requireProfile(profile) }
      if let found { try excludeEarlierPrograms(on: found) }
      try takeSteps(after: found ?? 0, at: moment) { try writeSettings(profile, secret()) }
      try connection.commit()
    }
  }

  /// Makes the tables without a row in them, for those of another database. Does nothing if they are there.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`; nothing is changed then.
  func makeEmpty(at moment: Timestamp) throws {
    try reporting {
      try connection.run(.begin)
      try connection.run(Self.waitLonger)
      try connection.run(Self.takeTurn) { $0.add(schema) }
      if try version() == nil {
        try makeSchema()
        try takeSteps(after: 0, at: moment) {}
      }
      try connection.commit()
    }
  }

  private func takeSteps(after number: Int, at moment: Timestamp, settings: () throws -> Void) throws {
    for migration in steps where migration.number > number {
      for statement in migration.statements { try connection.execute(statement) }
      if migration.number == 1 { try settings() }
      try connection.run(Self.noteStep) {
        $0.add(migration.number)
        $0.add(migration.summary)
        $0.add(moment)
      }
      // The column came with the third step.
      guard migration.number >= 3 else { continue }
      try connection.run(Self.noteOldestProgram) {
        $0.add(migration.oldestProgram)
        $0.add(migration.number)
      }
    }
  }

  /// Before a step on which programs of the version before may not run: none of their servers may live. One that is
  /// paused, and wakes later, can commit nothing more, because its commit rows are gone.
  ///
  /// - Throws: `heldByAnother`, which names the servers.
  private func excludeEarlierPrograms(on version: Int) throws {
    // The second step made the columns that say who lives.
    guard version >= 2, steps.contains(where: { $0.number > version && $0.oldestProgram > version }) else { return }
    let found = try connection.first(CommitRowSQL.clock, { _ in }, { $0.timestamp() })
    let now = clock?() ?? found ?? Timestamp(milliseconds: 0)
    let alive = try connection.all(
      Self.alive, { $0.add(now - NodeRecord.silenceMax) }, { "\($0.integer())" })
    guard alive.isEmpty else {
      throw CodedError<DatabaseErrorCode>(
        .heldByAnother,
        "This version's schema excludes earlier ones, and servers run: \(alive.joined(separator: ", ")). "
          + "`counterfoil nodes` lists them.")
    }
    for sql in [Self.endCommits, Self.endNodes] { try connection.run(sql) }
  }

  /// Requires, in the transaction that makes a server's rows, that no other program has changed the schema since.
  func requireUnchanged() throws {
    try connection.run(Self.waitLonger)
    try connection.run(Self.takeTurn) { $0.add(schema) }
    try requireCompatible(try version() ?? 0)
  }

  /// A server on an empty schema would know nothing of the rows that are on their way.
  private func requireNoUnfinishedCopy() throws {
    let loading = PostgreSQLCopyTarget.loading(schema)
    guard try connection.first(Self.schemaExists, { $0.add(loading) }, { $0.flag() }) ?? false else { return }
    throw CodedError<DatabaseErrorCode>(.copyUnfinished, "The schema \(loading) has its rows.")
  }

  /// Requires a schema of this version, and the profile if one is given.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  func check(profile: DatabaseProfile?) throws {
    try reporting {
      try connection.run(.beginSnapshot)
      guard let found = try version() else {
        throw CodedError<DatabaseErrorCode>(
          .unavailable, "The schema \(schema) has no tables: no server has started there.")
      }
      try requireCompatible(found)
      guard found >= ownVersion else {
        throw CodedError<DatabaseErrorCode>(.olderSchema, versions(found))
      }
      if let profile { try requireProfile(profile) }
      connection.rollback()
    }
  }

  private func reporting(_ body: () throws -> Void) throws {
    do { try body() } catch {
      connection.rollback()
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
  }

  // MARK: Version

  /// The number of the last step; nil if the schema does not exist or is empty.
  func version() throws -> Int? {
    let encoding = try connection.first(Self.encoding, { _ in }, { $0.text() }) ?? ""
    guard encoding == "UTF8" else {
      throw CodedError<DatabaseErrorCode>(.unsupportedServer, "The database is encoded in \(encoding).")
    }
    let tables = try connection.all(Self.tables, { $0.add(schema) }, { $0.text() })
    if tables.isEmpty { return nil }
    guard tables.contains("schema_steps") else {
      throw CodedError<DatabaseErrorCode>(.damaged, "The tables of the schema \(schema) were made by another program.")
    }
    return try connection.first(Self.lastStep, { _ in }, { $0.int() }) ?? 0
  }

  /// Requires that this program may run on a schema with that last step. Each later step says which programs may.
  private func requireCompatible(_ found: Int) throws {
    guard try runs(on: found) else { throw CodedError<DatabaseErrorCode>(.newerSchema, versions(found)) }
  }

  func runs(on found: Int) throws -> Bool {
    guard found > ownVersion else { return true }
    let oldest = try connection.first(Self.oldestProgram, { $0.add(ownVersion) }, { $0.int() }) ?? found
    return oldest <= ownVersion
  }

  private func versions(_ version: Int) -> String {
    "Its schema is number \(version); this program's is number \(ownVersion)."
  }

  private func requireProfile(_ profile: DatabaseProfile) throws {
    let transaction = connection.newRun(now: Timestamp(milliseconds: 0))
    let found = try transaction.setting(DatabaseSetting.profile)
    guard found == profile.rawValue else {
      throw CodedError<DatabaseErrorCode>(
        .otherProfile, "It is \(found ?? "of no profile"); \(profile.rawValue) was asked for.")
    }
  }

  // MARK: Making

  private func makeSchema() throws {
    let exists = try connection.first(Self.schemaExists, { $0.add(schema) }, { $0.flag() }) ?? false
    if !exists { try connection.execute("CREATE SCHEMA \(schema)") }
    try connection.execute(PostgreSQLSchema.stepsTable)
  }

  private func writeSettings(_ profile: DatabaseProfile, _ secret: [UInt8]) throws {
    let transaction = connection.newRun(now: Timestamp(milliseconds: 0))
    try transaction.set(DatabaseSetting.profile, to: profile.rawValue)
    try transaction.set(DatabaseSetting.installationSecret, to: secret.hexadecimal)
    try connection.finish()
  }

  /// A migration of millions of rows may take longer than other statements may.
  private static let waitLonger = SQL(
    "SELECT set_config('lock_timeout', '60s', true), set_config('statement_timeout', '0', true)")
  /// A lock that ends with the transaction. There is no row yet that could be locked.
  private static let takeTurn = SQL("SELECT pg_advisory_xact_lock(hashtextextended(?, 4849))::text")
  private static let alive = SQL(
    "SELECT number FROM nodes WHERE state IN ('active', 'draining') AND seen_at >= ? ORDER BY number")
  private static let endCommits = SQL("DELETE FROM commit_rows")
  private static let endNodes = SQL("DELETE FROM nodes")
  private static let encoding = SQL("SELECT current_setting('server_encoding')")
  private static let schemaExists = SQL("SELECT count(*) > 0 FROM pg_namespace WHERE nspname = ?")
  private static let tables = SQL("SELECT tablename::text FROM pg_tables WHERE schemaname = ? ORDER BY tablename")
  private static let lastStep = SQL("SELECT max(number) FROM schema_steps")
  private static let oldestProgram = SQL(
    "SELECT max(coalesce(oldest_program, number)) FROM schema_steps WHERE number > ?")
  private static let noteOldestProgram = SQL("UPDATE schema_steps SET oldest_program = ? WHERE number = ?")
  private static let noteStep = SQL("INSERT INTO schema_steps (number, summary, done_at) VALUES (?, ?, ?)")
}
