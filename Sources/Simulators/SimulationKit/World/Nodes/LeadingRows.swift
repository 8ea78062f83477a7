import PaymentDatabase
import PaymentPrimitives

/// The rows of whichever server of the modelled PostgreSQL leads: for the world itself, and after the end of all
/// faults for the one process that then holds the database.
struct LeadingRows: PaymentDatabase {
  private let cluster: ModelledPostgreSQL
  private let now: @Sendable () -> Timestamp
  private let faults: DatabaseFaults
  private let pause: @Sendable (DatabasePausePoint) async -> Void

  init(
    _ cluster: ModelledPostgreSQL, now: @escaping @Sendable () -> Timestamp, faults: DatabaseFaults,
    pause: @escaping @Sendable (DatabasePausePoint) async -> Void
  ) {
    self.cluster = cluster
    self.now = now
    self.faults = faults
    self.pause = pause
  }

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    guard let rows = cluster.single else { return await cluster.prepare(body) }
    return await InMemoryDatabase(rows, now: now, faults: faults, pause: pause).transact(body)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await InMemoryDatabase(cluster.rows, now: now, faults: faults, pause: pause).read(body)
  }
}
