package import PaymentModel
package import PaymentPrimitives

/// Who may work in the console, and what they did.
package protocol OperatorAccessReader {
  func operatorAccount(_ name: OperatorName) throws -> OperatorAccount?
  /// All accounts, by name; at most `limit`.
  func operatorAccounts(limit: Int) throws -> [OperatorAccount]
  func signInLink(digest: String) throws -> SignInLink?
  func pendingSignIn(digest: String) throws -> PendingSignIn?
  func consoleSession(digest: String) throws -> ConsoleSession?
  /// Sessions of an account that nobody ended, the newest first; at most `limit`. They may be too old to count.
  func consoleSessions(of account: OperatorName, limit: Int) throws -> [ConsoleSession]
  func passkey(credential: String) throws -> Passkey?
  /// Passkeys of an account that were not removed, the oldest first; at most `limit`.
  func passkeys(of account: OperatorName, limit: Int) throws -> [Passkey]
  func approval(_ id: String) throws -> Approval?
  /// Approvals of an app asked at or after a moment, the newest first; at most `limit`.
  func approvals(of app: AppIdentifier, askedSince moment: Timestamp, limit: Int) throws -> [Approval]
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
  /// Adds an account, or replaces its roles, its codes and whether it is disabled.
  func put(_ account: OperatorAccount) throws
  /// Adds a link, or replaces when it was used. Its account must exist.
  func put(_ link: SignInLink) throws
  /// Adds a sign-in, or replaces its wrong codes and when it ended. Its account must exist.
  func put(_ pending: PendingSignIn) throws
  /// Adds a session, or replaces when it was seen, proved and ended, and its wrong codes. Its account must exist.
  func put(_ session: ConsoleSession) throws
  /// Adds a passkey. Unique: its credential. Its account must exist.
  func insert(_ passkey: Passkey) throws
  /// Replaces its number of uses, and when it was used and removed.
  func update(_ passkey: Passkey) throws
  /// Adds an approval. Unique: its id.
  func insert(_ approval: Approval) throws
  /// Replaces what was decided and what became of it. The asker is never who decides: `inconsistent`.
  func update(_ approval: Approval) throws
  /// Adds an entry; only `redact` changes it, and nothing removes it. Unique: its number, its action key. It must
  /// follow the last entry.
  func insert(_ entry: AuditLogEntry) throws
  /// Replaces the object, the reason, the salt and the erasure of an entry by its number. Unless the erasure is under
  /// way: `inconsistent`.
  func redact(_ entry: AuditLogEntry) throws
}
