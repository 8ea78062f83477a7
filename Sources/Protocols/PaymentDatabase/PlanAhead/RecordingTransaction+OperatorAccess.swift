package import PaymentModel
package import PaymentPrimitives

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

  package func pendingSignIn(digest: String) throws -> PendingSignIn? {
    try read(.pendingSignIn(digest)) { try $0.pendingSignIn(digest: digest) }
  }

  package func consoleSession(digest: String) throws -> ConsoleSession? {
    try read(.consoleSession(digest)) { try $0.consoleSession(digest: digest) }
  }

  package func consoleSessions(of account: OperatorName, limit: Int) throws -> [ConsoleSession] {
    try read(.operatorAccess(account)) { try $0.consoleSessions(of: account, limit: limit) }
  }

  package func passkey(credential: String) throws -> Passkey? {
    try read(.passkey(credential)) { try $0.passkey(credential: credential) }
  }

  package func passkeys(of account: OperatorName, limit: Int) throws -> [Passkey] {
    try read(.operatorAccess(account)) { try $0.passkeys(of: account, limit: limit) }
  }

  package func approval(_ id: String) throws -> Approval? { try read(.approval(id)) { try $0.approval(id) } }

  package func approvals(
    of app: AppIdentifier, askedSince moment: Timestamp, limit: Int
  ) throws -> [Approval] {
    try readWithoutKey { try $0.approvals(of: app, askedSince: moment, limit: limit) }
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

  package func put(_ pending: PendingSignIn) throws { try write(.access(.putPending(pending))) }

  package func put(_ session: ConsoleSession) throws { try write(.access(.putSession(session))) }

  package func insert(_ passkey: Passkey) throws { try write(.access(.insertPasskey(passkey))) }

  package func update(_ passkey: Passkey) throws { try write(.access(.updatePasskey(passkey))) }

  package func insert(_ approval: Approval) throws { try write(.access(.insertApproval(approval))) }

  package func update(_ approval: Approval) throws { try write(.access(.updateApproval(approval))) }

  package func insert(_ entry: AuditLogEntry) throws { try write(.access(.insertEntry(entry))) }

  package func redact(_ entry: AuditLogEntry) throws { try write(.access(.redactEntry(entry))) }
}
