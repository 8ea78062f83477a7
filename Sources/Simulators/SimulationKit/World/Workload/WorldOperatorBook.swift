import PaymentPrimitives
import Synchronization

/// The operator's grants, by the transaction ids under which the App Store charged.
final class WorldOperatorBook: Sendable {
  private let claims = Mutex<[TransactionIdentifier: UserIdentifier]>([:])

  /// The user who received a charge from the operator; nil if the operator did not claim it.
  func user(of charge: TransactionIdentifier) -> UserIdentifier? { claims.withLock { $0[charge] } }

  func note(_ charge: TransactionIdentifier, for user: UserIdentifier) {
    claims.withLock { $0[charge] = user }
  }
}
