package import PaymentDatabase

/// The location of a database and how it is opened.
package struct SQLiteSettings: Sendable {
  /// The database file. Beside it are SQLite's `-wal` and `-shm`, and `.lock`, which names the process that holds it.
  package var path: String
  /// The profile of the database: written into a new one, compared with an existing one.
  package var profile: DatabaseProfile
  /// The command of this process, such as `counterfoil serve`: shown to a second process that wants the database.
  package var holder: String
  /// The most transactions in one commit. A batch takes only the waiting transactions, so a large batch means that many
  /// wait. Up to 512, a transaction costs less in a larger batch.
  package var batchMax: Int
  /// Passes a moment, about 0.12 ms, on the writer's thread. Then a batch that is smaller than the last one waits, for
  /// at most 1 ms, until it is as large: under load many callers are about to come, and one commit costs as much for
  /// all of them as for one. Nil: no batch waits.
  package var pause: (@Sendable () -> Void)?
  /// The most waiting transactions; further ones fail with `overloaded`. At 10 000 transactions a second the last of
  /// 4096 waits less than half a second.
  package var waitingMax: Int
  /// The most waiting or running reads; further ones fail with `overloaded`.
  package var readingMax: Int
  /// The most transactions that run over a snapshot at the same time, each with a connection of its own; further ones
  /// run on the writer. With 0 all of them do.
  package var plannersMax: Int
  /// The memory for pages of the writing connection, in KiB, allocated as needed; each reading connection gets a
  /// quarter. A change that does not fit is written to the log before its commit.
  package var cacheKibibytes: Int
  /// The name of a file system registered with SQLite (a VFS); nil is the platform's own. Tests pass one that fails.
  package var fileSystem: String?
  /// Whether the pages of a commit go to the log by one call of the system, instead of two calls for each page.
  package var joinsWrites: Bool
  /// Whether a file is opened for writing whose rows were copied elsewhere: to repeat that copy.
  package var opensMoved = false
  /// Records everything that the writing connection runs: for the bench, which runs the same again without an engine.
  package var recording: StatementRecording?

  package init(path: String, profile: DatabaseProfile, holder: String) {
    self.path = path
    self.profile = profile
    self.holder = holder
    self.batchMax = 512
    self.waitingMax = 4096
    self.readingMax = 4096
    self.plannersMax = 4
    self.cacheKibibytes = 65_536
    self.joinsWrites = true
  }
}
