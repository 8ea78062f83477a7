import CounterfoilCLI

/// The files of a bench: its folder may contain files of others, so each is removed by its name.
extension Platform {
  /// Removes a database, and what SQLite and the lock have made beside it.
  func removeDatabase(at path: String) throws {
    for suffix in ["", "-wal", "-shm", ".lock"] { try files.remove(path + suffix) }
  }

  /// Removes the calls of a load client, with its report.
  func removeCalls(at path: String) throws {
    for suffix in ["", ".report"] { try files.remove(path + suffix) }
  }
}
