import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

// Earlier versions froze a payment and stored its evidence, but not the change. A migration marks these payments.
extension PaymentEngine {
  /// The statements in the stored evidence of a marked payment, verified again.
  ///
  /// - Returns: nil if nothing of it can be read, and the store cannot be asked.
  func keptStatements(of stopped: StoppedChange, _ app: AppPolicy) async throws -> [StoppedStatement]? {
    let key = stopped.payment
    let (kept, evidence) = try await read { (try $0.payment(key), try $0.evidence(of: key)) }
    return try await integration(of: key.store)?.keptStatements(of: stopped, kept, evidence, for: app, in: self)
  }

  /// Adds a question to the App Store about the present state of a transaction; false if it cannot be asked.
  package func askAgain(about key: PaymentKey, _ app: AppPolicy) async throws -> Bool {
    guard app.appStoreTasks != nil else { return false }
    try await transact { transaction in
      guard try transaction.appStoreTask(.ask, about: key) == nil else { return }
      try transaction.put(
        AppStoreTask(payment: key, purpose: .ask, createdAt: transaction.now, dueAt: transaction.now))
    }
    return true
  }
}
