import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// An action that waits for a second operator, with everything it needs.
package struct AskedAction: Hashable, Sendable {
  package let app: AppIdentifier
  package let environment: StoreEnvironment
  /// Its name in the audit log.
  package let action: String
  package let objectKind: String
  package let object: String
  /// What else it needs, by name.
  package let arguments: [String: String]
  package let reason: String

  package init(
    app: AppIdentifier, environment: StoreEnvironment, action: String, objectKind: String, object: String,
    arguments: [String: String], reason: String
  ) {
    self.app = app
    self.environment = environment
    self.action = action
    self.objectKind = objectKind
    self.object = object
    self.arguments = arguments
    self.reason = reason
  }

  var argumentsJSON: String {
    JSONValue.members(arguments.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }).text
  }

  /// SHA-256 over all of it.
  var digest: String {
    let json = JSONValue.members([
      ("action", .string(action)), ("app", .string(app.text)), ("arguments", .string(argumentsJSON)),
      ("environment", .string(environment.rawValue)), ("object", .string(object)),
      ("objectKind", .string(objectKind)), ("reason", .string(reason)),
    ])
    return Array(SHA256.hash(json.bytes)).hexadecimal
  }
}

extension Approval {
  /// What was asked; nil if the row is not what it was.
  package var asked: AskedAction? {
    guard case .object(let members)? = try? JSONReader.read(arguments.utf8) else { return nil }
    var named: [String: String] = [:]
    for member in members { named[member.name] = member.value.string }
    let asked = AskedAction(
      app: app, environment: environment, action: action, objectKind: objectKind, object: object, arguments: named,
      reason: reason)
    return asked.digest == digest ? asked : nil
  }
}

// What one operator asks for and another decides (record 272).
extension PaymentEngine {
  /// Approvals of that many days are listed, at most that many.
  private static let approvalsShown = (span: TimeSpan.days(30), count: 200)

  /// Asks for an action. The same press is the same approval.
  package func askForApproval(
    _ asked: AskedAction, _ action: ActionDescription
  ) async throws -> ActionResult<Approval> {
    let id = String(Array(SHA256.hash("approval \(action.key)")).hexadecimal.prefix(32))
    var action = action
    (action.objectKind, action.object) = ("approval", id)
    return try await perform(action) { [self, action] in
      try await transact { transaction in
        if let known = try transaction.approval(id) { return known }
        let approval = Approval(
          id: id, app: asked.app, environment: asked.environment, action: asked.action, objectKind: asked.objectKind,
          object: asked.object, arguments: asked.argumentsJSON, digest: asked.digest, reason: asked.reason,
          askedBy: OperatorName(action.actor), askedAt: transaction.now)
        try transaction.insert(approval)
        return approval
      }
    }
  }

  /// The approvals of an app, the newest first.
  package func approvals(of app: AppIdentifier) async throws -> [Approval] {
    let since = dependencies.now() - Self.approvalsShown.span
    return try await read { try $0.approvals(of: app, askedSince: since, limit: Self.approvalsShown.count) }
  }

  /// - Throws: `actNotPossible` for one that is not of this app.
  package func approval(_ id: String, of app: AppIdentifier) async throws -> Approval {
    guard let found = try await read({ try $0.approval(id) }), found.app == app else {
      throw CodedError<EngineErrorCode>(.actNotPossible, "There is no such approval.")
    }
    return found
  }

  /// Decides about what another operator asked for. An approval that was given before is given again: its action may
  /// not have run to its end.
  ///
  /// - Parameter digest: what the approver has seen.
  /// - Throws: `actNotPossible` for one's own, for one that was seen otherwise, and for one that has ended.
  package func decide(
    _ id: String, of app: AppIdentifier, digest: String, approves: Bool, _ action: ActionDescription
  ) async throws -> ActionResult<Approval> {
    let name = OperatorName(action.actor)
    return try await perform(action) { [self] in
      try await transact { transaction in
        guard var approval = try transaction.approval(id), approval.app == app, approval.digest == digest,
          approval.asked != nil
        else { throw CodedError<EngineErrorCode>(.actNotPossible, "There is no such approval.") }
        guard approval.askedBy != name else {
          throw CodedError<EngineErrorCode>(.actNotPossible, "Nobody approves what they asked for.")
        }
        switch approval.state(at: transaction.now) {
        case .asked: break
        case .approved where approves: return approval
        case .refused where !approves && approval.decidedBy == name: return approval
        default: throw CodedError<EngineErrorCode>(.actNotPossible, "It was decided, or has ended.")
        }
        approval.decidedBy = name
        approval.decidedAt = transaction.now
        approval.isApproved = approves
        try transaction.update(approval)
        return approval
      }
    }
  }

  /// Records what became of an approved action.
  ///
  /// - Parameter problem: the code with which it was refused.
  package func noteOutcome(of id: String, problem: String?) async throws {
    try await transact { transaction in
      guard var approval = try transaction.approval(id), approval.state(at: transaction.now) == .approved else {
        return
      }
      approval.doneAt = transaction.now
      approval.problem = problem
      try transaction.update(approval)
    }
  }
}
