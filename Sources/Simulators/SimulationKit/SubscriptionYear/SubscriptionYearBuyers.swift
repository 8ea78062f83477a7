import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// Which user made which order of the year. The App Store signs only the order's id.
final class SubscriptionYearBuyers: Sendable {
  private struct State {
    var users: [AppStoreUUID: UserIdentifier] = [:]
    var problems: [String] = []
  }

  private let state = Mutex(State())

  /// Violated rules, as sentences.
  var problems: [String] { state.withLock { $0.problems } }

  func note(_ user: UserIdentifier, ordered order: AppStoreUUID) { state.withLock { $0.users[order] = user } }

  func note(problem: String) { state.withLock { $0.problems.append(problem) } }

  /// Who has a paid period: the user whose order its token names. A renewal carries the token of the last purchase.
  func owner(of sold: SimulatedTransaction) -> UserIdentifier? {
    guard let token = sold.appAccountToken else { return nil }
    return state.withLock { $0.users[token] }
  }
}
