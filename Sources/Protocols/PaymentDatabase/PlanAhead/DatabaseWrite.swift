/// One write of a transaction as a value; `DatabaseTransaction` says what each does.
///
/// It is indirect, because rows are large: a write is passed on several times before it is applied.
package indirect enum DatabaseWrite: Hashable, Sendable {
  case order(OrderWrite)
  case payment(PaymentWrite)
  case appStore(AppStoreWrite)
  case ledger(LedgerWrite)
  case message(MessageWrite)
  case installation(InstallationWrite)
  case access(OperatorAccessWrite)

  package func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .order(let write): try write.apply(to: transaction)
    case .payment(let write): try write.apply(to: transaction)
    case .appStore(let write): try write.apply(to: transaction)
    case .ledger(let write): try write.apply(to: transaction)
    case .message(let write): try write.apply(to: transaction)
    case .installation(let write): try write.apply(to: transaction)
    case .access(let write): try write.apply(to: transaction)
    }
  }

  /// What it changes.
  package var keys: [LockKey] {
    var keys = LockKeys()
    addKeys(to: &keys)
    return keys.all
  }

  /// Adds what it changes. Every read that could see the change has one of these keys.
  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .order(let write): write.addKeys(to: &keys)
    case .payment(let write): write.addKeys(to: &keys)
    case .appStore(let write): write.addKeys(to: &keys)
    case .ledger(let write): write.addKeys(to: &keys)
    case .message(let write): write.addKeys(to: &keys)
    case .installation(let write): write.addKeys(to: &keys)
    case .access(let write): write.addKeys(to: &keys)
    }
  }
}
