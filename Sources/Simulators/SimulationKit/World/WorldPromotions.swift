import PaymentPrimitives
import Synchronization

/// The entitlements that the backend of a world wants to give without a payment; they survive a kill of the backend.
final class WorldPromotions: Sendable {
  struct Promotion: Hashable, Sendable {
    let key: String
    let user: UserIdentifier
    let entitlement: String
    let until: Timestamp
    /// Whether the server gave it; nil while no final answer has arrived.
    var isGiven: Bool?
    /// Whether the backend wants it back, and got the answer.
    var taking: Taking = .kept
  }

  enum Taking: Hashable, Sendable {
    case kept
    case wanted
    case done
  }

  private let state = Mutex<[Promotion]>([])

  /// All of them, in the order in which they were asked for.
  var all: [Promotion] { state.withLock { $0 } }

  func want(_ promotion: Promotion) { state.withLock { $0.append(promotion) } }

  func note(_ key: String, _ change: (inout Promotion) -> Void) {
    state.withLock { all in
      guard let index = all.firstIndex(where: { $0.key == key }) else { return }
      change(&all[index])
    }
  }
}
