import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase

/// The database of a world's servers; it survives their kills.
enum WorldDatabase: Sendable {
  case reference(InMemoryStorage)
  case sqlite(SQLiteInMemoryStorage, batchMax: Int)
  case nodes(ModelledPostgreSQL)

  /// Makes a new database.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  init(of context: SimulationContext) throws {
    switch context.plan.database.kind {
    case .reference: self = .newReference
    case .sqlite(let batchMax):
      let database = try SQLiteInMemoryStorage(
        profile: .simulated, installationSecret: WorldShop.installationBytes, checksPlans: true)
      self = .sqlite(database, batchMax: batchMax)
    case .nodes:
      self = .nodes(
        ModelledPostgreSQL(
          seed: context.seed, context.world, context.events, habits: context.substitutions.postgreSQL
        ) { context.process($0) })
    }
  }

  /// A new reference database in memory.
  static var newReference: WorldDatabase {
    .reference(InMemoryStorage(profile: .simulated, installationSecret: WorldShop.installationDigits))
  }

  /// The database as one process accesses it.
  func connect(
    now: @escaping @Sendable () -> Timestamp, faults: DatabaseFaults = DatabaseFaults(),
    pause: @escaping @Sendable (DatabasePausePoint) async -> Void = { _ in }
  ) -> any PaymentDatabase {
    switch self {
    case .reference(let database): InMemoryDatabase(database, now: now, faults: faults, pause: pause)
    case .sqlite(let database, let batchMax):
      SQLiteInMemoryDatabase(database, batchMax: batchMax, now: now, faults: faults, pause: pause)
    case .nodes(let cluster): LeadingRows(cluster, now: now, faults: faults, pause: pause)
    }
  }

  /// Reads it from outside the simulated system, where nothing fails.
  func read<Value: Sendable>(
    in context: SimulationContext, _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    let world = context.world
    return try await connect(now: { world.now }).read(body)
  }

  /// Stores the API keys of the backend and the operator before the world starts.
  func insertKeys(of context: SimulationContext) async {
    let world = context.world
    let presses = context.plan.bookkeeping.presses > 0
    let isOperated = context.plan.habits.isClaimed || presses || context.plan.bookkeeping.complaints > 0
    let outcome = await connect(now: { world.now }).transact { transaction in
      try transaction.insert(WorldShop.backendKeyRow)
      if isOperated { try transaction.insert(WorldShop.operatorKeyRow) }
      for account in WorldOperators.Account.all where presses {
        try transaction.put(
          OperatorAccount(name: account.name, createdAt: SimulatedWorld.beginning, roles: [WorldShop.id: .admin]))
        // They show their second factor whenever it is asked for.
        var session = ConsoleSession(
          digest: account.digest, account: account.name, createdAt: SimulatedWorld.beginning,
          provedAt: SimulatedWorld.beginning + ConsoleSession.ageMax)
        session.seenAt = session.createdAt
        try transaction.put(session)
      }
    }
    guard case .committed = outcome else {
      return context.events.reportViolation("the backend's key could not be written down")
    }
  }
}
