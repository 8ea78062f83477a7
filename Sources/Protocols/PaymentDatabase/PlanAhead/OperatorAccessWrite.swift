package import PaymentModel

/// The writes about operators and what they did.
package enum OperatorAccessWrite: Hashable, Sendable {
  case putAccount(OperatorAccount)
  case putLink(SignInLink)
  case putPending(PendingSignIn)
  case putSession(ConsoleSession)
  case insertPasskey(Passkey)
  case updatePasskey(Passkey)
  case insertApproval(Approval)
  case updateApproval(Approval)
  case insertEntry(AuditLogEntry)
  case redactEntry(AuditLogEntry)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .putAccount(let account): try transaction.put(account)
    case .putLink(let link): try transaction.put(link)
    case .putPending(let pending): try transaction.put(pending)
    case .putSession(let session): try transaction.put(session)
    case .insertPasskey(let passkey): try transaction.insert(passkey)
    case .updatePasskey(let passkey): try transaction.update(passkey)
    case .insertApproval(let approval): try transaction.insert(approval)
    case .updateApproval(let approval): try transaction.update(approval)
    case .insertEntry(let entry): try transaction.insert(entry)
    case .redactEntry(let entry): try transaction.redact(entry)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .putAccount(let account): keys.insert(.operatorAccount(account.name))
    case .putLink(let link): keys.insert(.signInLink(link.digest))
    case .putPending(let pending): keys.insert(.pendingSignIn(pending.digest))
    case .putSession(let session):
      keys.insert(.consoleSession(session.digest))
      keys.insert(.operatorAccess(session.account))
    case .insertPasskey(let passkey), .updatePasskey(let passkey):
      keys.insert(.passkey(passkey.credential))
      keys.insert(.operatorAccess(passkey.account))
    case .insertApproval(let approval), .updateApproval(let approval): keys.insert(.approval(approval.id))
    case .insertEntry, .redactEntry: keys.insert(.auditLog)
    }
  }
}
