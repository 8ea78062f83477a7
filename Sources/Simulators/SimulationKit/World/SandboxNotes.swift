import PaymentModel
import PaymentPrimitives
import Synchronization

/// What the testers of a world noted: who bought what in the sandbox. For the oracle.
final class SandboxNotes: Sendable {
  /// A purchase as it was asked for.
  struct Purchase: Hashable, Sendable {
    let app: AppIdentifier
    let user: UserIdentifier
    let order: OrderIdentifier
    /// Whether its order was made for the sandbox alone: nobody has paid it in production.
    let isForSandboxAlone: Bool
    /// What the store called it; nil where its answer was lost.
    var transaction: TransactionIdentifier?
  }

  private let state = Mutex<[Purchase]>([])

  /// All of them, in their order.
  var purchases: [Purchase] { state.withLock { $0 } }

  func note(_ purchase: Purchase) { state.withLock { $0.append(purchase) } }

  /// The store has answered the last one of that order.
  func note(_ transaction: TransactionIdentifier, of order: OrderIdentifier) {
    state.withLock { all in
      guard let index = all.lastIndex(where: { $0.order == order }) else { return }
      all[index].transaction = transaction
    }
  }

  /// Whose a transaction is by its token, else by who was there when it was bought.
  func purchase(_ transaction: TransactionIdentifier, token: String?) -> Purchase? {
    let all = purchases
    guard let token else { return all.first { $0.transaction == transaction } }
    return all.first { $0.order.appAccountToken == token }
  }
}
