import CSQLite
import PaymentDatabase
import PaymentPrimitives

/// Runs recorded transactions again through SQLite's C interface only. Statements are prepared once, values are ready
/// in memory; there is no actor and no rule. Each statement runs to its end, and each column of each row is read once,
/// as any program must that uses the answer. It measures the best that a database can reach on this machine.
package final class BareLoop {
  /// One step: the statement, and the position of its values.
  private struct Step {
    let statement: Int
    let values: Range<Int>
  }

  private struct Value {
    enum Kind { case null, integer, text, blob }
    let kind: Kind
    /// The number itself, or the position of the first byte.
    let number: Int64
    let count: Int
  }

  private let connection: Connection
  private var statements: [OpaquePointer] = []
  private var steps: [Step] = []
  private var values: [Value] = []
  /// The end position of each transaction's steps.
  private var ends: [Int] = []
  private let bytes: UnsafeMutablePointer<UInt8>
  /// What was read, so that no compiler leaves the reading out.
  package private(set) var sumOfColumns: Int64 = 0
  package private(set) var rowsRead = 0

  /// Opens a database with the same pragmas as `SQLiteDatabase` does, and prepares everything. The database must be in
  /// the state from before the recording.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  package init(_ recording: StatementRecording, settings: SQLiteSettings) throws {
    // It writes as SQLite does by itself: the measure of this machine stays what it was.
    var settings = settings
    settings.joinsWrites = false
    connection = try DatabaseFile(settings).openForWriting(profile: settings.profile, newWith: nil)
    let transactions = recording.committed
    let all = transactions.joined()
    let count = all.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.bytes.count } }
    bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, count))
    var used = 0
    var slots: [String: Int] = [:]
    for transaction in transactions {
      for recorded in transaction {
        let slot = try slots[recorded.text] ?? prepare(recorded.text)
        slots[recorded.text] = slot
        let first = values.count
        for value in recorded.values { bind(value, &used) }
        steps.append(Step(statement: slot, values: first..<values.count))
      }
      ends.append(steps.count)
    }
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    bytes.deallocate()
  }

  package var count: Int { ends.count }

  /// Runs all transactions, `batch` of them in each commit.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>` if SQLite reports an error for a statement.
  package func run(batch: Int) throws {
    do {
      var first = 0
      for start in stride(from: 0, to: ends.count, by: batch) {
        try connection.run(.beginImmediate)
        let end = ends[min(start + batch, ends.count) - 1]
        try steps[first..<end].withUnsafeBufferPointer { try run($0) }
        first = end
        try connection.run(.commit)
      }
    } catch let failure as SQLiteFailure { throw failure.databaseError }
  }

  package func close() {
    for statement in statements { sqlite3_finalize(statement) }
    statements = []
    connection.close()
  }

  private func run(_ steps: UnsafeBufferPointer<Step>) throws {
    try statements.withUnsafeBufferPointer { statements in
      try values.withUnsafeBufferPointer { values in
        for step in steps {
          let statement = statements[step.statement]
          var index: Int32 = 0
          for position in step.values {
            index += 1
            bind(values[position], to: index, of: statement)
          }
          var code = sqlite3_step(statement)
          while code == SQLITE_ROW {
            readRow(of: statement)
            code = sqlite3_step(statement)
          }
          sqlite3_reset(statement)
          guard code == SQLITE_DONE else { throw SQLiteFailure(of: connection.database, code) }
        }
      }
    }
  }

  /// Reads each column once, by its own type. Texts and bytes are read where SQLite has them: nothing is copied.
  private func readRow(of statement: OpaquePointer) {
    rowsRead += 1
    for index in 0..<sqlite3_column_count(statement) {
      switch sqlite3_column_type(statement, index) {
      case SQLITE_INTEGER: sumOfColumns &+= sqlite3_column_int64(statement, index)
      case SQLITE_TEXT:
        sumOfColumns &+= Int64(sqlite3_column_text(statement, index)?.pointee ?? 0)
        sumOfColumns &+= Int64(sqlite3_column_bytes(statement, index))
      case SQLITE_BLOB:
        sumOfColumns &+= Int64(sqlite3_column_blob(statement, index)?.load(as: UInt8.self) ?? 0)
        sumOfColumns &+= Int64(sqlite3_column_bytes(statement, index))
      default: break
      }
    }
  }

  /// The bytes never move: a nil destructor tells SQLite so.
  @inline(__always)
  private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer) {
    switch value.kind {
    case .null: sqlite3_bind_null(statement, index)
    case .integer: sqlite3_bind_int64(statement, index, value.number)
    case .text:
      UnsafeRawPointer(bytes + Int(value.number)).withMemoryRebound(to: CChar.self, capacity: value.count) {
        _ = sqlite3_bind_text64(statement, index, $0, UInt64(value.count), nil, UInt8(SQLITE_UTF8))
      }
    case .blob: sqlite3_bind_blob(statement, index, bytes + Int(value.number), Int32(value.count), nil)
    }
  }

  private func prepare(_ text: String) throws -> Int {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteFailure(of: connection.database, code).databaseError }
    statements.append(statement)
    return statements.count - 1
  }

  private func bind(_ value: RecordedValue, _ used: inout Int) {
    let kind: Value.Kind
    var number = Int64(used)
    switch value {
    case .null: kind = .null
    case .integer(let whole): (kind, number) = (.integer, whole)
    case .text: kind = .text
    case .blob: kind = .blob
    }
    let content = value.bytes
    for (offset, byte) in content.enumerated() { bytes[used + offset] = byte }
    values.append(Value(kind: kind, number: number, count: content.count))
    used += content.count
  }
}

extension RecordedValue {
  fileprivate var bytes: [UInt8] {
    switch self {
    case .null, .integer: []
    case .text(let bytes), .blob(let bytes): bytes
    }
  }
}
