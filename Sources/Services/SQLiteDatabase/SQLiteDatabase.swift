package import PaymentDatabase
package import PaymentPrimitives

/// The engine's database in one SQLite file, for one process.
///
/// Transactions go in batches through one writer with `synchronous = FULL`: each caller is answered after the commit
/// that holds its writes. Reads run beside the writer on connections of their own.
package final class SQLiteDatabase: PaymentDatabase {
  private let line: WriteQueue
  private let writer: SQLiteWriter
  private let reader: SQLiteReader

  /// Opens a database, makes it if it is not there, brings an older one up to date.
  ///
  /// - Parameters:
  ///   - settings: where it is and what it is for.
  ///   - surroundings: the database's clock, and the chance that a new database's secret is made of.
  ///   - writer: where the writing connection waits for the disk, such as a `ThreadExecutor`; one connection, one
  ///     executor.
  ///   - readers: the same for each reading connection, at least one.
  /// - Throws: `Refusal<DatabaseErrorCode>`: `heldByAnother` naming the holder, `otherProfile`, `newerSchema`,
  ///   `damaged`, `unavailable`, `full`.
  package static func open(
    _ settings: SQLiteSettings, surroundings: Dependencies, writer: any SerialExecutor,
    readers: [any SerialExecutor]
  ) async throws -> SQLiteDatabase {
    precondition(!readers.isEmpty, "a store needs a connection to read with")
    let line = WriteQueue(waitingMax: settings.waitingMax)
    let writing = SQLiteWriter(settings, surroundings, line, on: writer)
    try await writing.open()
    do {
      let reading = try await SQLiteReader.open(
        settings, profile: settings.profile, on: readers, now: surroundings.now)
      return SQLiteDatabase(line, writing, reading)
    } catch {
      await writing.close()
      throw error
    }
  }

  private init(_ line: WriteQueue, _ writer: SQLiteWriter, _ reader: SQLiteReader) {
    self.line = line
    self.writer = writer
    self.reader = reader
  }

  /// As `PaymentDatabase.transact` says.
  package func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    let job = PendingTransaction(body)
    do throws(CodedError<DatabaseErrorCode>) { try line.append(job) } catch { return .refused(error) }
    await writer.perform(job)
    return job.outcome
  }

  /// As `ReadableDatabase.read` says.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await reader.read(body)
  }

  /// How many transactions wait for the writer at this moment: for the metrics.
  package var waitingCount: Int { line.count }

  /// Ends what waits, writes the log back into the file, and lets another process have the database.
  ///
  /// What is asked afterwards is refused. Without it nothing is lost: the next opening reads the log.
  package func close() async {
    line.close()
    await reader.close()
    await writer.close()
  }
}
