import PaymentModel
import PaymentPrimitives
import Synchronization

/// The testers' record of a world, for the oracle: who bought what in the sandbox.
final class SandboxNotes: Sendable {
  /// A purchase as the tester requested it.
  struct Purchase: Hashable, Sendable {
    let app: AppIdentifier
    let user: UserIdentifier
    let order: OrderIdentifier
    /// Whether its order was made for the sandbox alone, so that it is unpaid in production.
    let isForSandboxAlone: Bool
    /// The App Store's transaction id; nil if its answer was lost.
    var transaction: TransactionIdentifier?
  }

  private let state = Mutex<[Purchase]>([])

  /// All of them, in order.
  var purchases: [Purchase] { state.withLock { $0 } }

  func note(_ purchase: Purchase) { state.withLock { $0.append(purchase) } }

  /// Records the App Store's answer for the last purchase of that order.
  func note(_ transaction: TransactionIdentifier, of order: OrderIdentifier) {
    state.withLock { all in
      guard let index = all.lastIndex(where: { $0.order == order }) else { return }
      all[index].transaction = transaction
    }
  }

  /// The purchase of a transaction: found by its token, otherwise by the transaction id that the tester recorded.
  func purchase(_ transaction: TransactionIdentifier, token: String?) -> Purchase? {
    let all = purchases
    guard let token else { return all.first { $0.transaction == transaction } }
    return all.first { $0.order.appAccountToken == token }
  }
}
