package import PaymentModel

/// The writes about operators and what they did.
package enum OperatorAccessWrite: Hashable, Sendable {
  case putAccount(OperatorAccount)
  case putLink(SignInLink)
  case putSession(ConsoleSession)
  case insertEntry(AuditLogEntry)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .putAccount(let account): try transaction.put(account)
    case .putLink(let link): try transaction.put(link)
    case .putSession(let session): try transaction.put(session)
    case .insertEntry(let entry): try transaction.insert(entry)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .putAccount(let account): keys.insert(.operatorAccount(account.name))
    case .putLink(let link): keys.insert(.signInLink(link.digest))
    case .putSession(let session): keys.insert(.consoleSession(session.digest))
    case .insertEntry: keys.insert(.auditLog)
    }
  }
}
