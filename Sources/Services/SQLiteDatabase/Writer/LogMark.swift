import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// Tells a database whose log was taken away from one that was closed: what is in the log alone is lost then.
///
/// SQLite removes the log when the last connection closes, so its absence means nothing by itself. The writer therefore
/// marks the database as open at its start, and as closed at its end. A file with the mark of an open one and without a
/// log was copied, or its log was removed. `sqlite3` in a shell after a killed server does the same; then nothing was
/// lost, and the stores are asked in vain.
enum LogMark {
  static let name = "log.mark"
  private static let (open, closed) = ("open", "closed")

  /// Whether there is a file without a log. It is asked before SQLite opens the file, which makes a log.
  static func hasNoLog(_ path: String) -> Bool {
    DurableFile.size(of: path) > 0 && DurableFile.size(of: path + "-wal") == 0
  }

  /// Whether a file without a log had one when its writer ended.
  static func lacksLog(_ reader: any DatabaseReader) throws -> Bool { try reader.setting(name) == open }

  /// Refuses a database whose log was lost while a part of it was written back: its pages are of different times.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`: `damaged`.
  static func requireSound(_ connection: Connection, hadNoLog: Bool, at now: Timestamp) throws {
    let transaction = connection.newRun(now: now)
    defer { transaction.end() }
    guard try hadNoLog && lacksLog(transaction) else { return }
    let found = try connection.text("PRAGMA quick_check(1)") ?? ""
    guard found == "ok" else {
      throw CodedError<DatabaseErrorCode>(.damaged, "The log beside it is missing, and SQLite found: \(found).")
    }
  }

  /// Marks the database as open, in the file itself. If its log was lost, it notes when its last entry was written.
  static func begin(on connection: Connection, hadNoLog: Bool, at now: Timestamp) throws {
    let transaction = connection.newRun(now: now)
    defer { transaction.end() }
    let isLost = try hadNoLog && lacksLog(transaction)
    if isLost, try transaction.setting(DatabaseSetting.logLostSince)?.isEmpty ?? true {
      let last = try connection.number("SELECT at FROM journal ORDER BY id DESC LIMIT 1") ?? 0
      try transaction.set(DatabaseSetting.logLostSince, to: "\(last)")
    }
    // Each statement commits by itself. The mark of before stays if the process ends here, so nothing is overlooked.
    try transaction.set(name, to: open)
    connection.writeBackLog()
  }

  /// Marks the database as closed; its log is about to be removed.
  static func end(on connection: Connection, at now: Timestamp) throws {
    let transaction = connection.newRun(now: now)
    defer { transaction.end() }
    try transaction.set(name, to: closed)
  }
}
