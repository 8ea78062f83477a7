public import PaymentStore
public import PaymentVocabulary

/// The engine's database in one SQLite file, for one process.
///
/// Transactions go in batches through one writer with `synchronous = FULL`: each caller is answered after the commit
/// that holds its writes. Reads run beside the writer on connections of their own.
public final class SQLiteStore: PaymentStore {
  private let line: JobLine
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
  /// - Throws: `Refusal<StoreErrorCode>`: `heldByAnother` naming the holder, `otherProfile`, `newerSchema`, `damaged`,
  ///   `unavailable`, `full`.
  public static func open(
    _ settings: SQLiteSettings, surroundings: Surroundings, writer: any SerialExecutor,
    readers: [any SerialExecutor]
  ) async throws -> SQLiteStore {
    precondition(!readers.isEmpty, "a store needs a connection to read with")
    let line = JobLine(waitingMax: settings.waitingMax)
    let writing = SQLiteWriter(settings, surroundings, line, on: writer)
    try await writing.open()
    do {
      let reading = try await SQLiteReader.open(
        settings, profile: settings.profile, on: readers, now: surroundings.now)
      return SQLiteStore(line, writing, reading)
    } catch {
      await writing.close()
      throw error
    }
  }

  private init(_ line: JobLine, _ writer: SQLiteWriter, _ reader: SQLiteReader) {
    self.line = line
    self.writer = writer
    self.reader = reader
  }

  /// As `PaymentStore.transact` says.
  public func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async -> StoreOutcome<Value> {
    let job = TransactionJob(body)
    do throws(Refusal<StoreErrorCode>) { try line.append(job) } catch { return .refused(error) }
    await writer.perform(job)
    return job.outcome
  }

  /// As `ReadableStore.read` says.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    try await reader.read(body)
  }

  /// How many transactions wait for the writer at this moment: for the metrics.
  public var waitingCount: Int { line.count }

  /// Ends what waits, writes the log back into the file, and lets another process have the database.
  ///
  /// What is asked afterwards is refused. Without it nothing is lost: the next opening reads the log.
  public func close() async {
    line.close()
    await reader.close()
    await writer.close()
  }
}
