package import PaymentModel
import PaymentPrimitives

extension RecordingTransaction {
  package func operatorAccount(_ name: OperatorName) throws -> OperatorAccount? {
    try read(.operatorAccount(name)) { try $0.operatorAccount(name) }
  }

  package func operatorAccounts(limit: Int) throws -> [OperatorAccount] {
    try readWithoutKey { try $0.operatorAccounts(limit: limit) }
  }

  package func signInLink(digest: String) throws -> SignInLink? {
    try read(.signInLink(digest)) { try $0.signInLink(digest: digest) }
  }

  package func consoleSession(digest: String) throws -> ConsoleSession? {
    try read(.consoleSession(digest)) { try $0.consoleSession(digest: digest) }
  }

  package func auditLogHead() throws -> AuditLogEntry? { try read(.auditLog) { try $0.auditLogHead() } }

  package func auditLogEntry(actionKey: String) throws -> AuditLogEntry? {
    try read(.auditLog) { try $0.auditLogEntry(actionKey: actionKey) }
  }

  package func auditLog(after number: Int64, limit: Int) throws -> [AuditLogEntry] {
    try read(.auditLog) { try $0.auditLog(after: number, limit: limit) }
  }

  package func auditLog(before number: Int64?, limit: Int) throws -> [AuditLogEntry] {
    try read(.auditLog) { try $0.auditLog(before: number, limit: limit) }
  }

  package func put(_ account: OperatorAccount) throws { try write(.access(.putAccount(account))) }

  package func put(_ link: SignInLink) throws { try write(.access(.putLink(link))) }

  package func put(_ session: ConsoleSession) throws { try write(.access(.putSession(session))) }

  package func insert(_ entry: AuditLogEntry) throws { try write(.access(.insertEntry(entry))) }
}
