import PaymentPrimitives
import Synchronization

/// The present keys of user tokens, by `kid`. A reload of the configuration replaces them.
final class CurrentTokenKeys: Sendable {
  /// Keys that were in force at the same time.
  struct Generation: Sendable {
    let number: Int
    let keys: [CredentialIdentifier: UserTokenKey]
  }

  private let generation: Mutex<Generation>

  init(_ keys: [CredentialIdentifier: UserTokenKey]) { generation = Mutex(Generation(number: 0, keys: keys)) }

  var current: Generation { generation.withLock { $0 } }

  func replace(by others: [CredentialIdentifier: UserTokenKey]) {
    generation.withLock { $0 = Generation(number: $0.number + 1, keys: others) }
  }
}
