package import PaymentPrimitives

/// What an operator did, or was refused. Entries are numbered without gaps, and each names the hash of the one before.
/// Only an erasure changes one: it replaces the user in its object and its reason.
package struct AuditLogEntry: Hashable, Sendable {
  /// Who acted.
  package enum ActorKind: String, Hashable, CaseIterable, Sendable {
    /// An operator account, in the console.
    case account
    /// A command on the server's own machine.
    case host
    /// An operator key, over the API.
    case key
    /// A browser that failed to sign in.
    case unidentified
  }

  package enum Outcome: String, Hashable, CaseIterable, Sendable {
    /// It took effect, or had taken effect before.
    case done
    /// It was not allowed or not possible; nothing was changed.
    case refused
  }

  /// Stands for the object and the reason in the chain, so that an erasure can replace both (record 312).
  package struct Seal: Hashable, Sendable {
    /// A digest of both and the salt.
    package let digest: [UInt8]
    /// Random. Nil once an erasure has replaced them: without it nobody can try names against the digest.
    package fileprivate(set) var salt: [UInt8]?

    package init(digest: [UInt8], salt: [UInt8]?) { (self.digest, self.salt) = (digest, salt) }
  }

  /// The length of a hash, in bytes.
  package static let hashBytes = 32
  /// The hash before the first entry.
  package static let firstPrevious = [UInt8](repeating: 0, count: hashBytes)

  /// From 1, without gaps.
  package let number: Int64
  package let at: Timestamp
  /// Nil for what concerns the whole installation.
  package let app: AppIdentifier?
  package let environment: StoreEnvironment?
  package let actorKind: ActorKind
  package let actor: String
  package let role: OperatorRole?
  package let address: String?
  /// What was done, as a stable dotted name: `delivery.redrive`.
  package let action: String
  /// What it was done on: `order`, `payment`, `delivery`, `account`.
  package let objectKind: String?
  package private(set) var object: String?
  package private(set) var reason: String?
  package let requestId: String?
  package let outcome: Outcome
  /// The code of the error, for `refused`.
  package let problem: String?
  /// Names this one press of a button: a repeat of it has the same.
  package let actionKey: String
  package let previous: [UInt8]
  package let hash: [UInt8]
  /// Nil in entries of earlier versions: their hash covers the object and the reason themselves.
  package var seal: Seal?
  /// The alias of the erasure that replaced a user in the object or the reason; mostly nil.
  package var redactedBy: UserIdentifier?

  package init(
    number: Int64, at moment: Timestamp, app: AppIdentifier?, environment: StoreEnvironment?, actorKind: ActorKind,
    actor: String, role: OperatorRole?, address: String?, action: String, objectKind: String?, object: String?,
    reason: String?, requestId: String?, outcome: Outcome, problem: String?, actionKey: String, previous: [UInt8],
    hash: [UInt8]
  ) {
    self.number = number
    self.at = moment
    self.app = app
    self.environment = environment
    self.actorKind = actorKind
    self.actor = actor
    self.role = role
    self.address = address
    self.action = action
    self.objectKind = objectKind
    self.object = object
    self.reason = reason
    self.requestId = requestId
    self.outcome = outcome
    self.problem = problem
    self.actionKey = actionKey
    self.previous = previous
    self.hash = hash
  }

  /// The entry with the alias in the place of users who are erased; nil if it names none of them.
  package func erased(_ names: [UserIdentifier], behind alias: UserIdentifier) -> AuditLogEntry? {
    var entry = self
    if objectKind == "user", let object, names.contains(UserIdentifier(object)) { entry.object = alias.text }
    entry.reason = reason.map { NamesInText.replaced(names.map(\.text), by: alias.text, in: $0) }
    guard entry != self else { return nil }
    entry.seal?.salt = nil
    entry.redactedBy = alias
    return entry
  }
}
