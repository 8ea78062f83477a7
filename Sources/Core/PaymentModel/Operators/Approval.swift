package import PaymentPrimitives

/// An action that one operator has asked for and another decides about. What was asked never changes.
package struct Approval: Hashable, Sendable {
  /// Nobody can approve it later.
  package static let lifetime = TimeSpan.hours(24)
  /// Stands for the digest once a user in it was erased: nobody decides about it any more.
  package static let erasedDigest = "erased"

  package enum State: String, Hashable, CaseIterable, Sendable {
    case asked
    /// Approved; whether it was done is not known yet.
    case approved
    case done
    /// Approved, and then refused by the use case; `problem` has its code.
    case failed
    case refused
    /// Nobody decided in time, or the user in it was erased.
    case ended
  }

  /// 32 hexadecimal digits; the action runs under it as its idempotency key.
  package let id: String
  package let app: AppIdentifier
  package let environment: StoreEnvironment
  /// The action's name in the audit log: `order.refund`.
  package let action: String
  package let objectKind: String
  package let object: String
  /// What else it needs, as JSON with its members in a fixed order.
  package let arguments: String
  /// SHA-256 over everything that was asked, in hexadecimal. The approver sends it back.
  package let digest: String
  package let reason: String
  package let askedBy: OperatorName
  package let askedAt: Timestamp
  package var decidedBy: OperatorName?
  package var decidedAt: Timestamp?
  package var isApproved = false
  package var doneAt: Timestamp?
  package var problem: String?

  package init(
    id: String, app: AppIdentifier, environment: StoreEnvironment, action: String, objectKind: String, object: String,
    arguments: String, digest: String, reason: String, askedBy: OperatorName, askedAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.environment = environment
    self.action = action
    self.objectKind = objectKind
    self.object = object
    self.arguments = arguments
    self.digest = digest
    self.reason = reason
    self.askedBy = askedBy
    self.askedAt = askedAt
  }

  package var expiresAt: Timestamp { askedAt + Self.lifetime }

  package func state(at now: Timestamp) -> State {
    guard decidedAt != nil else { return now < expiresAt && digest != Self.erasedDigest ? .asked : .ended }
    guard isApproved else { return .refused }
    if problem != nil { return .failed }
    return doneAt == nil ? .approved : .done
  }
}
