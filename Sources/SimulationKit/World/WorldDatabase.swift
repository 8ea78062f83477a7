import PaymentStore
import PaymentVocabulary
import SQLiteStore

/// The database under the servers of a world: it survives them.
enum WorldDatabase: Sendable {
  case reference(ReferenceDatabase)
  case sqlite(SQLiteMemoryDatabase, batchMax: Int)

  /// A new one.
  ///
  /// - Throws: `Refusal<StoreErrorCode>`.
  init(_ kind: WorldDatabaseKind) throws {
    switch kind {
    case .reference: self = .newReference
    case .sqlite(let batchMax):
      let database = try SQLiteMemoryDatabase(profile: .simulated, installationSecret: WorldShop.installationBytes)
      self = .sqlite(database, batchMax: batchMax)
    }
  }

  /// A new one that gives the obvious answers.
  static var newReference: WorldDatabase {
    .reference(ReferenceDatabase(profile: .simulated, installationSecret: WorldShop.installationDigits))
  }

  /// What one process holds of it.
  func store(
    now: @escaping @Sendable () -> Timestamp, faults: StoreFaults = StoreFaults(),
    pause: @escaping @Sendable (StorePausePoint) async -> Void = { _ in }
  ) -> any PaymentStore {
    switch self {
    case .reference(let database): ReferenceStore(database, now: now, faults: faults, pause: pause)
    case .sqlite(let database, let batchMax):
      SQLiteMemoryStore(database, batchMax: batchMax, now: now, faults: faults, pause: pause)
    }
  }
}
