/// One write of a transaction as a value; `DatabaseTransaction` says what each does.
package enum DatabaseWrite: Hashable, Sendable {
  case order(OrderWrite)
  case payment(PaymentWrite)
  case appStore(AppStoreWrite)
  case ledger(LedgerWrite)
  case message(MessageWrite)
  case installation(InstallationWrite)

  package func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .order(let write): try write.apply(to: transaction)
    case .payment(let write): try write.apply(to: transaction)
    case .appStore(let write): try write.apply(to: transaction)
    case .ledger(let write): try write.apply(to: transaction)
    case .message(let write): try write.apply(to: transaction)
    case .installation(let write): try write.apply(to: transaction)
    }
  }

  /// What it changes. Every read that could see the change has one of these keys.
  package var keys: [LockKey] {
    switch self {
    case .order(let write): write.keys
    case .payment(let write): write.keys
    case .appStore(let write): write.keys
    case .ledger(let write): write.keys
    case .message(let write): write.keys
    case .installation(let write): write.keys
    }
  }
}
