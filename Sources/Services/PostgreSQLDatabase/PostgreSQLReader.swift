package import PaymentDatabase
import PaymentPrimitives

/// Reads a database beside the processes that write it: for the audit and the lists of the command line.
package final class PostgreSQLReader: ReadableDatabase {
  private let readers: SnapshotReaders

  /// Opens a database only for reading. It is not migrated, and no row is made for this process.
  ///
  /// - Parameters:
  ///   - settings: the location and the required profile.
  ///   - executor: where the connection waits for the server, such as a `ThreadExecutor`.
  /// - Throws: `CodedError<DatabaseErrorCode>`: those of `PostgreSQLDatabase.open`, and `olderSchema`.
  package static func open(
    _ settings: PostgreSQLSettings, on executor: any SerialExecutor
  ) async throws -> PostgreSQLReader {
    let opener = try ConnectionOpener(settings)
    try await SchemaCheck(settings, opener, on: executor).run()
    return PostgreSQLReader(SnapshotReaders(settings, opener, on: [executor]))
  }

  private init(_ readers: SnapshotReaders) { self.readers = readers }

  /// See `ReadableDatabase.read`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await readers.read(body)
  }

  /// See `ReadableDatabase.nodes`.
  package func nodes() async throws -> [NodeRecord] { try await readers.nodes() }

  /// See `ReadableDatabase.lookAtFeed`.
  package func lookAtFeed() async throws -> FeedLook { try await readers.lookAtFeed() }

  package func close() async { await readers.close() }
}

/// Checks version and profile of a database before it is read.
private actor SchemaCheck {
  private nonisolated let executor: any SerialExecutor
  private let settings: PostgreSQLSettings
  private let opener: ConnectionOpener

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ settings: PostgreSQLSettings, _ opener: ConnectionOpener, on executor: any SerialExecutor) {
    self.executor = executor
    self.settings = settings
    self.opener = opener
  }

  func run() throws {
    let connection = try opener.open()
    defer { connection.close() }
    let keeper = SchemaKeeper(connection: connection, schema: settings.schema, steps: settings.steps)
    try keeper.check(profile: settings.profile)
  }
}
