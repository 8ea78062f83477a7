import PaymentPrimitives
import Synchronization

/// The operator's grants, by the transaction ids under which the App Store charged.
final class WorldOperatorBook: Sendable {
  private struct Claim {
    let id: TransactionIdentifier
    let user: UserIdentifier
  }

  private let claims = Mutex<[TransactionIdentifier: Claim]>([:])

  /// The user who received a charge from the operator; nil if the operator did not claim it.
  func user(of charge: TransactionIdentifier) -> UserIdentifier? { claims.withLock { $0[charge]?.user } }

  /// The id that the operator gave: the charge's own, or a further one.
  func claimedId(of charge: TransactionIdentifier) -> TransactionIdentifier? { claims.withLock { $0[charge]?.id } }

  /// Notes that the operator gave a charge to a user, under one of its ids.
  func note(_ charge: TransactionIdentifier, as id: TransactionIdentifier, for user: UserIdentifier) {
    claims.withLock { $0[charge] = Claim(id: id, user: user) }
  }
}
