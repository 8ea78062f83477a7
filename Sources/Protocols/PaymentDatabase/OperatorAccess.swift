package import PaymentModel
import PaymentPrimitives

/// Who may work in the console, and what they did.
package protocol OperatorAccessReader {
  func operatorAccount(_ name: OperatorName) throws -> OperatorAccount?
  /// All accounts, by name; at most `limit`.
  func operatorAccounts(limit: Int) throws -> [OperatorAccount]
  func signInLink(digest: String) throws -> SignInLink?
  func consoleSession(digest: String) throws -> ConsoleSession?
  /// The last entry of the audit log; nil if it is empty.
  func auditLogHead() throws -> AuditLogEntry?
  /// The entry of one press of a button.
  func auditLogEntry(actionKey: String) throws -> AuditLogEntry?
  /// Entries after a number, in order; at most `limit`.
  func auditLog(after number: Int64, limit: Int) throws -> [AuditLogEntry]
  /// Entries before a number, or all, the newest first; at most `limit`.
  func auditLog(before number: Int64?, limit: Int) throws -> [AuditLogEntry]
}

/// The writes about them.
package protocol OperatorAccessWriter {
  /// Adds an account, or replaces its roles and whether it is disabled.
  func put(_ account: OperatorAccount) throws
  /// Adds a link, or replaces when it was used. Its account must exist.
  func put(_ link: SignInLink) throws
  /// Adds a session, or replaces when it was seen and ended. Its account must exist.
  func put(_ session: ConsoleSession) throws
  /// Adds an entry; nothing changes or removes it. Unique: its number, its action key. It must follow the last entry.
  func insert(_ entry: AuditLogEntry) throws
}
