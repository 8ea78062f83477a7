import CSQLite

/// Ends a long statement of a connection when its closure says so. It asks about every millisecond.
final class StatementWatch {
  /// Steps of SQLite's virtual machine between two questions.
  private static let stepsBetweenQuestions: Int32 = 1_000

  private let mustEnd: () -> Bool
  private let connection: Connection

  /// - Parameter mustEnd: whether the running statement is to fail now, with SQLite's code 9 (interrupted).
  init(_ connection: Connection, mustEnd: @escaping () -> Bool) {
    self.mustEnd = mustEnd
    self.connection = connection
    sqlite3_progress_handler(
      connection.database, Self.stepsBetweenQuestions,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue().mustEnd() ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stops asking.
  func end() { sqlite3_progress_handler(connection.database, 0, nil, nil) }
}
