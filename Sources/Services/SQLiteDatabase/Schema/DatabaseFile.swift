import PaymentDatabase
import PaymentPrimitives
import SQLRows

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens, creates, checks and migrates a database file.
struct DatabaseFile: Sendable {
  private let path: String
  private let fileSystem: String?
  private let joinsWrites: Bool
  private let cacheKibibytes: Int
  private let recording: StatementRecording?
  private let opensMoved: Bool

  init(_ settings: SQLiteSettings) {
    path = settings.path
    fileSystem = settings.fileSystem
    joinsWrites = settings.joinsWrites
    cacheKibibytes = settings.cacheKibibytes
    recording = settings.recording
    opensMoved = settings.opensMoved
  }

  /// A reading connection, beside the writer.
  ///
  /// - Parameter profile: the required profile of the database; nil accepts any.
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  func openForReading(profile: DatabaseProfile?) throws -> Connection {
    try refusing {
      let connection = try Connection(path: path, .reading, fileSystem: fileSystem)
      try connection.execute(Self.pragmasOfReaders)
      try connection.execute("PRAGMA cache_size = -\(max(1, cacheKibibytes / 4))")
      try Self.requireVersion(try Self.version(of: connection))
      if let profile { try Self.require(profile, connection) }
      return connection
    }
  }

  /// A connection that can write the whole content of the database into another file (`VACUUM INTO`). It changes
  /// nothing here. It is opened for writing, because SQLite 3.40 does not copy tables with computed columns for a
  /// reader.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  func openForCopying(profile: DatabaseProfile) throws -> Connection {
    try refusing {
      let connection = try Connection(path: path, .writing, fileSystem: fileSystem)
      try connection.execute(Self.pragmasOfCheckers)
      try Self.requireVersion(try Self.version(of: connection))
      try Self.require(profile, connection)
      return connection
    }
  }

  /// A reading connection to a copy, of this version or an earlier one.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`; `damaged` for an empty file.
  func openForChecking() throws -> Connection {
    try refusing {
      let connection = try Connection(path: path, .reading, fileSystem: fileSystem)
      try connection.execute(Self.pragmasOfCheckers)
      let version = try Self.version(of: connection)
      guard version > 0 else {
        throw CodedError<DatabaseErrorCode>(.damaged, "It has no tables. A copy without the log beside it looks so.")
      }
      guard version <= SQLiteSchema.version else {
        throw CodedError<DatabaseErrorCode>(.newerSchema, Self.versions(version))
      }
      return connection
    }
  }

  /// The writing connection. Creates the database if there is none, and migrates an older one.
  ///
  /// - Parameters:
  ///   - secret: returns the installation secret of a new database; nil if the database must exist. Under a running
  ///     server it is never created again.
  ///   - start: the moment, if a writer starts with it: then the log is looked after (`LogMark`).
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  func openForWriting(
    profile: DatabaseProfile, newWith secret: (() -> [UInt8])?, startingAt start: Timestamp? = nil
  ) throws -> Connection {
    try refusing {
      let hadNoLog = LogMark.hasNoLog(path)
      if secret != nil { try makeFile() }
      let writing = joinsWrites ? try Connection.joiningWrites(over: fileSystem) : fileSystem
      let connection = try Connection(path: path, secret == nil ? .writing : .making, fileSystem: writing)
      // The application and profile of the file must be known before anything is written. A database of another profile
      // is never migrated.
      let version = try Self.version(of: connection)
      guard version <= SQLiteSchema.version else {
        throw CodedError<DatabaseErrorCode>(.newerSchema, Self.versions(version))
      }
      guard version > 0 || secret != nil else {
        throw CodedError<DatabaseErrorCode>(.damaged, "The database has been taken away from under the server.")
      }
      if version > 0 { try Self.require(profile, connection) }
      if version > 0, !opensMoved { try Self.requireNotMoved(connection) }
      if version == 0 { try connection.execute(Self.pragmasOfNewFile) }
      try connection.execute(Self.pragmasOfWriter)
      try connection.execute("PRAGMA cache_size = -\(max(1, cacheKibibytes))")
      try Self.verifyPragmas(connection)
      try Self.migrate(connection, from: version) {
        // In the transaction of the first step, so a database without a profile never exists.
        try Self.writeSettings(profile, secret?() ?? [], connection: connection)
      }
      if let start { try LogMark.requireSound(connection, hadNoLog: hadNoLog, at: start) }
      // A full disk must not stop the start: reads work, and writes heal by themselves.
      if let start { try? LogMark.begin(on: connection, hadNoLog: hadNoLog, at: start) }
      recording?.follow(connection)
      return connection
    }
  }

  /// A new database that ends with its connection: for simulations, which never sync.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  static func openInMemory(profile: DatabaseProfile, secret: [UInt8]) throws -> Connection {
    do {
      let connection = try Connection(path: ":memory:", .making, fileSystem: nil)
      try connection.execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")
      try migrate(connection, from: 0) { try writeSettings(profile, secret, connection: connection) }
      return connection
    } catch let failure as SQLiteFailure { throw failure.databaseError }
  }

  private func refusing<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let failure as SQLiteFailure { throw failure.databaseError }
  }

  // MARK: The file

  /// Creates an empty file that only its owner may read, before SQLite would create one by the umask: it will contain
  /// the installation secret. Files that SQLite creates beside it get the same mode.
  private func makeFile() throws {
    guard fileSystem == nil else { return }
    // An existing file is never opened here: closing it would drop the locks that SQLite holds on it in this process.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else {
        throw CodedError<DatabaseErrorCode>(
          .unavailable, "The database file cannot be made: \(DatabaseFileLock.systemError()).")
      }
      return
    }
    close(descriptor)
    // The file name must survive a power failure, like the content of the file.
    try? DurableFile.synchronizeFolder(of: path)
  }

  // MARK: Identity and version

  /// The number of the last step of its schema; 0 for an empty file.
  private static func version(of connection: Connection) throws -> Int {
    let identifier = try connection.number("PRAGMA application_id") ?? 0
    let version = try connection.number("PRAGMA user_version") ?? 0
    if identifier == SQLiteSchema.applicationIdentifier { return Int(version) }
    let tables = try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0
    guard identifier == 0, version == 0, tables == 0 else {
      throw CodedError<DatabaseErrorCode>(.damaged, "It was made by another program.")
    }
    return 0
  }

  /// The same of a file that may be in use; nil if there is none.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  func foundVersion() throws -> Int? {
    guard DurableFile.exists(path) else { return nil }
    return try refusing {
      let connection = try Connection(path: path, .reading, fileSystem: fileSystem)
      defer { connection.close() }
      return try Self.version(of: connection)
    }
  }

  private static func versions(_ version: Int) -> String {
    "Its schema is number \(version); this program's is number \(SQLiteSchema.version)."
  }

  private static func requireVersion(_ version: Int) throws(CodedError<DatabaseErrorCode>) {
    guard version == SQLiteSchema.version else {
      throw CodedError(version < SQLiteSchema.version ? .olderSchema : .newerSchema, versions(version))
    }
  }

  private static func require(_ profile: DatabaseProfile, _ connection: Connection) throws {
    let transaction = connection.newRun(now: Timestamp(milliseconds: 0))
    let found = try transaction.setting(DatabaseSetting.profile)
    guard found == profile.rawValue else {
      throw CodedError<DatabaseErrorCode>(
        .otherProfile, "It is \(found ?? "of no profile"); \(profile.rawValue) was asked for.")
    }
  }

  /// A second server over the old rows would sell and grant beside the one over the new ones.
  private static func requireNotMoved(_ connection: Connection) throws {
    let transaction = connection.newRun(now: Timestamp(milliseconds: 0))
    guard let place = try transaction.setting(DatabaseSetting.movedTo), !place.isEmpty else { return }
    throw CodedError<DatabaseErrorCode>(.moved, "They are at \(place).")
  }

  // MARK: Storage settings

  /// A log of this length is written back: 16 MiB. Index pages that many commits change are then written once for all
  /// of them.
  static let logPagesMax: Int32 = 4096

  /// Pages of 4 KiB match the file system and the log; a signed transaction of Apple fits into one page beside its row.
  private static let pragmasOfNewFile = "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;"

  /// - `synchronous = FULL`: every answered write has been synced. NORMAL loses the last commits in a power failure.
  /// - `fullfsync`: Apple's systems otherwise sync only to the disk's own cache.
  /// - `wal_autocheckpoint`: see `logPagesMax`. The writer does the same by itself (`SQLiteWriter.tendLog`).
  /// - `journal_size_limit`: a log that grew under a long read is cut back to 64 MiB.
  /// - `trusted_schema`: nothing in the file may call functions with effects.
  private static let pragmasOfWriter = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = \(logPagesMax);
    PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
    """

  private static let pragmasOfReaders = """
    PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
    """

  private static let pragmasOfCheckers = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"

  /// SQLite ignores a pragma that it cannot apply, without an error; here that is an error.
  private static func verifyPragmas(_ connection: Connection) throws {
    let mode = try connection.text("PRAGMA journal_mode") ?? ""
    let synchronous = try connection.number("PRAGMA synchronous") ?? 0
    let foreignKeys = try connection.number("PRAGMA foreign_keys") ?? 0
    guard mode == "wal", synchronous == 2, foreignKeys == 1 else {
      throw CodedError<DatabaseErrorCode>(
        .unavailable,
        "SQLite keeps it with journal_mode \(mode), synchronous \(synchronous), foreign_keys \(foreignKeys).")
    }
  }

  // MARK: Schema

  private static func migrate(
    _ connection: Connection, from version: Int, writeSettings: () throws -> Void
  ) throws {
    for migration in SQLiteSchema.migrations where migration.number > version {
      try connection.execute("BEGIN IMMEDIATE")
      do {
        for statement in migration.statements { try connection.execute(statement) }
        if migration.number == 1 { try writeSettings() }
        try connection.execute("PRAGMA application_id = \(SQLiteSchema.applicationIdentifier)")
        try connection.execute("PRAGMA user_version = \(migration.number)")
        try connection.execute("COMMIT")
      } catch {
        if !connection.isOutsideTransaction { try connection.execute("ROLLBACK") }
        throw error
      }
    }
  }

  private static func writeSettings(
    _ profile: DatabaseProfile, _ secret: [UInt8], connection: Connection
  ) throws {
    let transaction = connection.newRun(now: Timestamp(milliseconds: 0))
    try transaction.set(DatabaseSetting.profile, to: profile.rawValue)
    try transaction.set(DatabaseSetting.installationSecret, to: secret.hexadecimal)
  }
}
