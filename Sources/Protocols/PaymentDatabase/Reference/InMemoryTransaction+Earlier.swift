import PaymentModel
import PaymentPrimitives

/// Data that the team imported from the earlier system.
extension InMemoryTransaction {
  // MARK: questions

  func earlierDelivery(of key: PaymentKey) throws -> CutOver.Earlier {
    guard try earlierListReach(at: key.store, in: key.appEnvironment) != nil else { return .notLoaded }
    return try isEarlierDelivery(key) ? .delivered : .notDelivered
  }

  func isEarlierDelivery(_ key: PaymentKey) throws -> Bool {
    try proceed()
    return rows.earlierDeliveries[key] != nil
  }

  func earlierListReach(at store: Store, in appEnvironment: AppEnvironment) throws -> Timestamp? {
    try proceed()
    return rows.earlierLists[.init(appEnvironment: appEnvironment, store: store)]
  }

  func importedOwner(_ key: PaymentKey) throws -> ImportedOwner? {
    try proceed()
    return rows.importedOwners[key]
  }

  // MARK: writes

  func noteEarlierDeliveries(
    _ transactions: [TransactionIdentifier], at store: Store, in appEnvironment: AppEnvironment
  ) throws {
    try proceed()
    for transaction in transactions {
      let key = PaymentKey(
        app: appEnvironment.app, store: store, environment: appEnvironment.environment, transaction: transaction)
      set(\.earlierDeliveries, key, value: true)
    }
  }

  func setEarlierListReach(_ reach: Timestamp?, at store: Store, in appEnvironment: AppEnvironment) throws {
    try proceed()
    let list = InMemoryRows.EarlierList(appEnvironment: appEnvironment, store: store)
    if let reach { set(\.earlierLists, list, value: reach) } else { remove(\.earlierLists, list) }
  }

  func insert(_ owner: ImportedOwner) throws {
    try proceed()
    guard rows.importedOwners[owner.transaction] == nil else { throw conflict(on: "imported owner") }
    set(\.importedOwners, owner.transaction, value: owner)
  }
}
