import CJoinedWrites
import CSQLite
import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// One open handle of SQLite with its prepared statements. It belongs to one actor; two threads never use it at once.
final class Connection {
  private(set) var database: OpaquePointer?
  private var prepared: [OpaquePointer?] = []
  private let binding = UnsafeMutablePointer<Binding>.allocate(capacity: 1)
  private let columns = ColumnFunctions.sqlite
  private let parameters = Binding.functions
  /// The length of the log after the last commit of this connection, in pages; see `watchLog`.
  private(set) var logPages: Int32 = 0
  /// The headers of signed texts that were found here, outside an open change.
  var knownHeaders = KnownHeaders()

  enum Access {
    case reading
    /// A file that must exist.
    case writing
    /// A file that is created if it does not exist.
    case making
  }

  /// How long a connection waits for a lock of another process, such as a `sqlite3` shell or a backup, before it fails.
  static let busyTimeoutInMilliseconds: Int32 = 5000

  /// Once per process, before the first use of SQLite. If other code has used SQLite before, this has no effect.
  private static let configuration = csqlite_keep_no_memory_statistics()

  /// Opens the file; this does not read or write it yet.
  ///
  /// - Parameter fileSystem: the name of a registered SQLite VFS; nil is the platform's own.
  init(path: String, _ access: Access, fileSystem: String?) throws {
    _ = Self.configuration
    binding.initialize(to: Binding())
    // Without SQLite's mutexes: the actor that owns the connection allows one thread at a time.
    let access =
      switch access {
      case .reading: SQLITE_OPEN_READONLY
      case .writing: SQLITE_OPEN_READWRITE
      case .making: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | access
    let code = sqlite3_open_v2(path, &database, flags, fileSystem)
    guard code == SQLITE_OK else {
      let failure = SQLiteFailure(of: database, code)
      sqlite3_close_v2(database)
      database = nil
      throw failure
    }
    sqlite3_busy_timeout(database, Self.busyTimeoutInMilliseconds)
  }

  /// The name of a file system that writes the pages of a commit by one call; below it lies the one of this name.
  static func joiningWrites(over fileSystem: String?) throws -> String {
    _ = Self.configuration
    guard let name = joined_writes_over(fileSystem) else {
      throw CodedError<DatabaseErrorCode>(.unavailable, "SQLite's file system for writing cannot be registered.")
    }
    return String(cString: name)
  }

  deinit {
    close()
    binding.pointee.deallocate()
    binding.deallocate()
  }

  /// Closes the file. The last connection of all writes the log back into the database file.
  func close() {
    for statement in prepared { sqlite3_finalize(statement) }
    prepared = []
    sqlite3_close_v2(database)
    database = nil
  }

  /// Whether no transaction is open. After an error this shows whether SQLite has rolled back the whole transaction.
  var isOutsideTransaction: Bool { sqlite3_get_autocommit(database) != 0 }

  /// The number of rows that the last statement changed.
  var rowsChanged: Int32 { sqlite3_changes(database) }

  var lastRowIdentifier: Int64 { sqlite3_last_insert_rowid(database) }

  // MARK: The log

  /// Keeps `logPages` up to date. From now on SQLite writes nothing back by itself: `writeBackLog` does.
  func watchLog() {
    sqlite3_wal_hook(
      database,
      { context, _, _, pages in
        if let context { Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = pages }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Writes as much of the log back into the database file as no reader needs. If it fails, the log only stays longer,
  /// and the next commit meets the same trouble.
  func writeBackLog() { sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }

  /// Commits the open transaction; with `joiningWrites` its pages go to the log by one call.
  func commit() throws {
    joined_writes_begin(database)
    defer { joined_writes_end(database) }
    try run(.commit)
  }

  // MARK: Statements

  /// Runs a statement that returns no row.
  func run(_ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in }) throws {
    let statement = try ready(sql, bind)
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else { throw unexpected(code) }
  }

  /// The first row, or nil.
  func first<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in },
    _ read: (inout Columns) throws -> Row
  ) throws -> Row? {
    var row: Row?
    try rows(sql, bind) { columns in
      row = try read(&columns)
      return false
    }
    return row
  }

  private func row<Row>(_ statement: OpaquePointer, _ read: (inout Columns) throws -> Row) throws -> Row {
    var columns = Columns(statement, columns)
    let row = try read(&columns)
    if let problem = columns.problem { throw problem }
    return row
  }

  func all<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void = { _ in },
    _ read: (inout Columns) throws -> Row
  ) throws -> [Row] {
    var all: [Row] = []
    try rows(sql, bind) { columns in
      all.append(try read(&columns))
      return true
    }
    return all
  }

  func rows(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Bool
  ) throws {
    let statement = try ready(sql, bind)
    defer { sqlite3_reset(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: if try !row(statement, read) { return }
      case SQLITE_DONE: return
      case let code: throw unexpected(code)
      }
    }
  }

  /// Runs statements that are needed once, such as a migration; rows that they return are ignored.
  func execute(_ text: String) throws {
    let code = sqlite3_exec(database, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteFailure(of: database, code) }
  }

  /// The single number of a statement that is needed once, such as a pragma.
  func number(_ text: String) throws -> Int64? {
    try firstOnce(text) { $0.integer() }
  }

  /// The single text of a statement that is needed once.
  func text(_ text: String) throws -> String? {
    try firstOnce(text) { $0.text() }
  }

  /// The texts of a statement that is needed once, in its order.
  func texts(_ text: String) throws -> [String] {
    let statement = try prepare(text, 0)
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(try row(statement) { $0.text() })
      case SQLITE_DONE: return rows
      case let code: throw unexpected(code)
      }
    }
  }

  private func firstOnce<Value>(_ text: String, _ read: (inout Columns) -> Value) throws -> Value? {
    let statement = try prepare(text, 0)
    defer { sqlite3_finalize(statement) }
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return try row(statement, read)
    case SQLITE_DONE: return nil
    case let code: throw unexpected(code)
    }
  }

  private func ready(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> OpaquePointer {
    let statement = try statement(sql)
    binding.pointee.begin(statement)
    var parameters = Parameters(binding, parameters)
    bind(&parameters)
    if let problem = parameters.problem { throw problem }
    guard binding.pointee.result == SQLITE_OK else { throw unexpected(binding.pointee.result) }
    return statement
  }

  private func statement(_ sql: SQL) throws -> OpaquePointer {
    if sql.slot < prepared.count, let statement = prepared[sql.slot] { return statement }
    let statement = try prepare(sql.text(in: .sqlite), UInt32(SQLITE_PREPARE_PERSISTENT))
    while prepared.count <= sql.slot { prepared.append(nil) }
    prepared[sql.slot] = statement
    return statement
  }

  func prepare(_ text: String, _ flags: UInt32) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(database, text, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteFailure(of: database, code) }
    return statement
  }

  /// The failure for a code. An unexpected row is a bug of this module, reported as misuse.
  private func unexpected(_ code: Int32) -> SQLiteFailure {
    code == SQLITE_ROW
      ? SQLiteFailure(SQLITE_MISUSE, "a statement gave a row") : SQLiteFailure(of: database, code)
  }
}
