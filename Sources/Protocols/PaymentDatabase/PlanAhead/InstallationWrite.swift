package import PaymentModel

/// The writes about keys, settings and hourly totals.
package enum InstallationWrite: Hashable, Sendable {
  case insertKey(APIKey)
  case updateKey(APIKey)
  case set(String, to: String)
  case addTotals([HourlyTotal])

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insertKey(let key): try transaction.insert(key)
    case .updateKey(let key): try transaction.update(key)
    case .set(let name, let value): try transaction.set(name, to: value)
    case .addTotals(let totals): try transaction.add(totals)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .insertKey(let key), .updateKey(let key): keys.insert(.apiKey(key.id))
    case .set(let name, _): keys.insert(.setting(name))
    case .addTotals: keys.insert(.setting(HourlyTotal.place))
    }
  }
}
