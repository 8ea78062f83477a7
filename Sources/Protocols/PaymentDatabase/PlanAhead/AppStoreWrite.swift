package import PaymentModel
package import PaymentPrimitives

/// The writes about what is asked of Apple and told to Apple.
package enum AppStoreWrite: Hashable, Sendable {
  case putTask(AppStoreTask)
  case removeTask(AppStoreTask.Purpose, PaymentKey)
  case keepReceipt(String, digest: String, at: Timestamp)
  case putHistory(AppStoreHistory)
  case noteOrderNumber(String, PaymentKey, at: Timestamp)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .putTask(let task): try transaction.put(task)
    case .removeTask(let purpose, let payment): try transaction.remove(purpose, about: payment)
    case .keepReceipt(let text, let digest, let moment): try transaction.keepReceipt(text, digest: digest, at: moment)
    case .noteOrderNumber(let number, let payment, let moment):
      try transaction.noteOrderNumber(number, of: payment, at: moment)
    case .putHistory(let history): try transaction.put(history)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .putTask(let task): keys.insert(.payment(task.payment))
    case .removeTask(_, let payment): keys.insert(.payment(payment))
    case .keepReceipt(_, let digest, _): keys.insert(.receipt(digest: digest))
    case .noteOrderNumber(_, let payment, _): keys.insert(.payment(payment))
    case .putHistory(let history): keys.insert(.customer(history.customer))
    }
  }
}
