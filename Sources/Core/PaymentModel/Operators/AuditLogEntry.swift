package import PaymentPrimitives

/// What an operator did, or was refused. Entries are numbered without gaps, and each names the hash of the one before.
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
  package let object: String?
  package let reason: String?
  package let requestId: String?
  package let outcome: Outcome
  /// The code of the error, for `refused`.
  package let problem: String?
  /// Names this one press of a button: a repeat of it has the same.
  package let actionKey: String
  package let previous: [UInt8]
  package let hash: [UInt8]

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
}
