package import PaymentDatabase

/// Where a database is and how it is opened.
package struct SQLiteSettings: Sendable {
  /// The database file. Beside it stand `-wal` and `-shm` of SQLite, and `.lock`, which names the process that holds
  /// it.
  package var path: String
  /// What the database is for: written into a new one, compared with an old one.
  package var profile: DatabaseProfile
  /// What this process runs, such as `counterfoil serve`: shown to a second process that wants the database.
  package var holder: String
  /// How many transactions are committed together at most. Only as many as wait are taken, so a large batch means that
  /// many wait; up to 512 each of them costs less than in a smaller one.
  package var batchMax: Int
  /// How many transactions may wait; more are refused as `overloaded`. At 10 000 transactions a second the last of
  /// 4096 waits less than half a second.
  package var waitingMax: Int
  /// How many reads may wait or run; more are refused as `overloaded`.
  package var readingMax: Int
  /// How much memory the writing connection may take for pages, as it needs them; each reading one takes a quarter. A
  /// change that does not fit is written to the log before its commit.
  package var cacheKibibytes: Int
  /// The name of a file system registered with SQLite (a VFS); nil is the platform's own. Tests hand in one that fails.
  package var fileSystem: String?
  /// Takes down all that the writing connection runs: for the bench, which runs the same once more without an engine.
  package var recording: StatementRecording?

  package init(path: String, profile: DatabaseProfile, holder: String) {
    self.path = path
    self.profile = profile
    self.holder = holder
    self.batchMax = 512
    self.waitingMax = 4096
    self.readingMax = 4096
    self.cacheKibibytes = 65_536
  }
}
