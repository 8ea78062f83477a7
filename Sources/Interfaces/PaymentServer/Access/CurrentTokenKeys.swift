import PaymentPrimitives
import Synchronization

/// The present keys of user tokens, by `kid`. A reload of the configuration replaces them.
final class CurrentTokenKeys: Sendable {
  private let keys: Mutex<[CredentialIdentifier: UserTokenKey]>

  init(_ keys: [CredentialIdentifier: UserTokenKey]) { self.keys = Mutex(keys) }

  var all: [CredentialIdentifier: UserTokenKey] { keys.withLock { $0 } }

  func replace(by others: [CredentialIdentifier: UserTokenKey]) { keys.withLock { $0 = others } }
}
