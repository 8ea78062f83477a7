import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The data imported from the earlier system: its list of deliveries, and the owners of its transactions.
extension SQLTransaction {
  // MARK: Queries

  func earlierDelivery(of key: PaymentKey) throws -> CutOver.Earlier {
    guard try earlierListReach(at: key.store, in: key.appEnvironment) != nil else { return .notLoaded }
    return try isEarlierDelivery(key) ? .delivered : .notDelivered
  }

  func isEarlierDelivery(_ key: PaymentKey) throws -> Bool {
    try first(EarlierSQL.delivery, { $0.add(transaction: key) }, { $0.integer() }) != nil
  }

  func earlierListReach(at store: Store, in appEnvironment: AppEnvironment) throws -> Timestamp? {
    try first(
      EarlierSQL.reach,
      {
        $0.add(appEnvironment)
        $0.add(store.rawValue)
      }, { $0.optionalTimestamp() }) ?? nil
  }

  func importedOwner(_ key: PaymentKey) throws -> ImportedOwner? {
    try first(
      EarlierSQL.owner, { $0.add(transaction: key) },
      { row in
        let user: UserIdentifier = row.identifier()
        let product: StoreProductIdentifier? = row.optionalIdentifier()
        return ImportedOwner(transaction: key, user: user, product: product, importedAt: row.timestamp())
      })
  }

  // MARK: Writes

  func noteEarlierDeliveries(
    _ transactions: [TransactionIdentifier], at store: Store, in appEnvironment: AppEnvironment
  ) throws {
    for transaction in transactions {
      try write(EarlierSQL.noteDelivery) {
        $0.add(appEnvironment)
        $0.add(store.rawValue)
        $0.add(transaction)
      }
    }
  }

  func setEarlierListReach(_ reach: Timestamp?, at store: Store, in appEnvironment: AppEnvironment) throws {
    try write(EarlierSQL.setReach) {
      $0.add(appEnvironment)
      $0.add(store.rawValue)
      $0.add(reach)
    }
  }

  func insert(_ owner: ImportedOwner) throws {
    try write(EarlierSQL.insertOwner) {
      $0.add(transaction: owner.transaction)
      $0.add(owner.user)
      $0.add(owner.product)
      $0.add(owner.importedAt)
    }
  }
}

extension Parameters {
  /// The key of a store's transaction in these tables, also of one that is not a payment here.
  fileprivate mutating func add(transaction key: PaymentKey) {
    add(key.appEnvironment)
    add(key.store.rawValue)
    add(key.transaction)
  }
}

/// The statements for the earlier system.
enum EarlierSQL {
  static let reach = SQL(
    "SELECT reach FROM earlier_lists WHERE app = ? AND environment = ? AND store = ?")
  static let delivery = SQL(
    """
    SELECT 1 FROM earlier_deliveries
    WHERE app = ? AND environment = ? AND store = ? AND transaction_id = ?
    """)
  static let owner = SQL(
    """
    SELECT user_id, product, imported_at FROM imported_owners
    WHERE app = ? AND environment = ? AND store = ? AND transaction_id = ?
    """)
  static let setReach = SQL(
    """
    INSERT INTO earlier_lists (app, environment, store, reach) VALUES (?, ?, ?, ?)
    ON CONFLICT (app, environment, store) DO UPDATE SET reach = excluded.reach
    """)
  static let noteDelivery = SQL(
    """
    INSERT INTO earlier_deliveries (app, environment, store, transaction_id) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)
  static let insertOwner = SQL(
    """
    INSERT INTO imported_owners (app, environment, store, transaction_id, user_id, product, imported_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    """)

  static let all = [reach, delivery, owner, setReach, noteDelivery, insertOwner]
}
