package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import Synchronization

/// What an operator does, as the audit log tells it.
package struct ActionDescription: Hashable, Sendable {
  /// The shortest and the longest reason, in characters.
  package static let reasonLength = 3...1000

  package let action: String
  package let actorKind: AuditLogEntry.ActorKind
  package let actor: String
  /// Names this one press of a button. A repeat with the same key does nothing.
  package let key: String
  package var role: OperatorRole?
  package var address: String?
  package var app: AppIdentifier?
  package var environment: StoreEnvironment?
  package var objectKind: String?
  package var object: String?
  package var reason: String?
  package var requestId: String?

  package init(_ action: String, by actorKind: AuditLogEntry.ActorKind, _ actor: String, key: String) {
    self.action = action
    self.actorKind = actorKind
    self.actor = actor
    self.key = key
  }
}

/// The end of an operator's action.
package enum ActionResult<Value: Sendable>: Sendable {
  case done(Value)
  /// The same press came before: nothing was done now. Its entry tells how it ended.
  case repeated(AuditLogEntry)
}

/// An operator's action while it runs. The first transaction in it that writes also writes the entry of the audit log,
/// so neither is there without the other (record 262).
final class AuditedAction: Sendable {
  /// The action that the present task performs.
  @TaskLocal static var current: AuditedAction?

  private enum Progress {
    /// Nothing was written.
    case open
    /// A transaction with the entry may have been written.
    case attempted
    case written
  }

  /// The same press came before.
  struct Repeated: Error {
    let entry: AuditLogEntry
  }

  private let told: Mutex<ActionDescription>
  /// Random bytes for the seal of its entry.
  private let salt: [UInt8]
  private let progress = Mutex(Progress.open)

  init(_ description: ActionDescription, salt: [UInt8]) {
    told = Mutex(description)
    self.salt = salt
  }

  var description: ActionDescription { told.withLock { $0 } }

  /// Puts an alias in the place of a user, who must not be in what can never be changed.
  func hide(_ user: UserIdentifier, behind alias: UserIdentifier) {
    told.withLock { description in
      description.object = alias.text
      description.reason = description.reason.map { NamesInText.replaced([user.text], by: alias.text, in: $0) }
    }
  }

  var isOpen: Bool { progress.withLock { $0 == .open } }

  /// Whether a transaction with the entry was written for certain.
  var isWritten: Bool { progress.withLock { $0 == .written } }

  /// Stops a repeat before it changes anything.
  func refuseRepeat(in transaction: any DatabaseTransaction) throws {
    guard isOpen, let entry = try transaction.auditLogEntry(actionKey: description.key) else { return }
    throw Repeated(entry: entry)
  }

  /// Whether the present transaction was written by an earlier run of it, whose outcome was not known. The entry of the
  /// audit log says so, because both are one transaction.
  func wasWritten(in transaction: any DatabaseTransaction) throws -> Bool {
    guard progress.withLock({ $0 }) == .attempted else { return false }
    return try transaction.auditLogEntry(actionKey: description.key) != nil
  }

  /// Adds the entry, unless an earlier transaction of this action has.
  func append(
    _ outcome: AuditLogEntry.Outcome, problem: String? = nil, in transaction: any DatabaseTransaction
  ) throws {
    switch progress.withLock({ $0 }) {
    case .written: return
    case .attempted: if try transaction.auditLogEntry(actionKey: description.key) != nil { return }
    case .open: break
    }
    try transaction.insert(
      AuditLogChain.entry(
        description, outcome, problem: problem, at: transaction.now, after: try transaction.auditLogHead(), salt: salt))
  }

  func noteAttempt() { progress.withLock { if $0 == .open { $0 = .attempted } } }

  func noteWritten() { progress.withLock { $0 = .written } }
}

extension PaymentEngine {
  /// Performs an operator's action, which leaves exactly one entry in the audit log: with its first change, or after it
  /// if it changed nothing or was refused.
  ///
  /// Nothing is entered if the database cannot say whether the change was written: the entry is then as certain as the
  /// change.
  package func perform<Value: Sendable>(
    _ description: ActionDescription, _ body: @Sendable () async throws -> Value
  ) async throws -> ActionResult<Value> {
    let action = AuditedAction(description, salt: newSalt())
    do {
      let value = try await AuditedAction.$current.withValue(action) { try await body() }
      try await enter(action, .done, problem: nil)
      return .done(value)
    } catch let repeated as AuditedAction.Repeated {
      return .repeated(repeated.entry)
    } catch let error as CodedError<EngineErrorCode> where error.code.retry != .later {
      try await enter(action, .refused, problem: error.code.rawValue)
      throw error
    }
  }

  /// Enters that an action was refused before it began.
  ///
  /// - Parameter change: what the refusal changes, in the same transaction.
  package func enterRefusal(
    _ description: ActionDescription, problem: String,
    with change: @escaping @Sendable (any DatabaseTransaction) throws -> Void = { _ in }
  ) async throws {
    try await enter(AuditedAction(description, salt: newSalt()), .refused, problem: problem, with: change)
  }

  /// For the seal of an entry of the audit log.
  func newSalt() -> [UInt8] { dependencies.randomBytes(AuditLogEntry.hashBytes) }

  private func enter(
    _ action: AuditedAction, _ outcome: AuditLogEntry.Outcome, problem: String?,
    with change: @escaping @Sendable (any DatabaseTransaction) throws -> Void = { _ in }
  ) async throws {
    // A run whose outcome was not known may have been lost, and the next one had nothing to write any more.
    if !action.isWritten {
      try await AuditedAction.$current.withValue(nil) {
        try await transact { transaction in
          guard try transaction.auditLogEntry(actionKey: action.description.key) == nil else { return }
          try change(transaction)
          try action.append(outcome, problem: problem, in: transaction)
        }
      }
    }
    try await tellHead()
  }

  /// The newest hash leaves the database with the log, so that a log that was cut off can be found.
  private func tellHead() async throws {
    guard let head = try await read({ try $0.auditLogHead() }) else { return }
    log(LogEvent(.info, "auditLog.head", [("number", "\(head.number)"), ("hash", head.hash.hexadecimal)]))
  }
}
