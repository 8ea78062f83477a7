import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func operatorAccount(_ name: OperatorName) throws -> OperatorAccount? {
    try first(OperatorAccessSQL.account, { $0.add(name) }, Self.account).map(withRoles)
  }

  func operatorAccounts(limit: Int) throws -> [OperatorAccount] {
    try all(OperatorAccessSQL.accounts, { $0.add(max(0, limit)) }, Self.account).map(withRoles)
  }

  private static func account(_ row: inout Columns) -> OperatorAccount {
    let name: OperatorName = row.identifier()
    var account = OperatorAccount(name: name, createdAt: row.timestamp())
    account.disabledAt = row.optionalTimestamp()
    let salt = row.optionalText()
    let since = row.optionalTimestamp()
    if let salt, let since { account.codes = CodeSetUp(salt: salt, since: since) }
    return account
  }

  private func withRoles(_ account: OperatorAccount) throws -> OperatorAccount {
    var account = account
    let roles = try all(OperatorAccessSQL.roles, { $0.add(account.name) }) { row in
      let app: AppIdentifier = row.identifier()
      return (app, try row.rawValue(OperatorRole.self))
    }
    account.roles = Dictionary(roles) { first, _ in first }
    return account
  }

  func put(_ account: OperatorAccount) throws {
    try write(OperatorAccessSQL.putAccount) {
      $0.add(account.name)
      $0.add(account.createdAt)
      $0.add(account.disabledAt)
      $0.add(account.codes?.salt)
      $0.add(account.codes?.since)
    }
    try write(OperatorAccessSQL.removeRoles) { $0.add(account.name) }
    for (app, role) in account.roles.sorted(by: { $0.key < $1.key }) {
      try write(OperatorAccessSQL.insertRole) {
        $0.add(account.name)
        $0.add(app)
        $0.add(role.rawValue)
      }
    }
  }

  func signInLink(digest: String) throws -> SignInLink? {
    try first(OperatorAccessSQL.link, { $0.add(digest) }) { row in
      let digest = row.text()
      let account: OperatorName = row.identifier()
      var link = SignInLink(digest: digest, account: account, createdAt: row.timestamp())
      link.usedAt = row.optionalTimestamp()
      return link
    }
  }

  func put(_ link: SignInLink) throws {
    try write(OperatorAccessSQL.putLink) {
      $0.add(link.digest)
      $0.add(link.account)
      $0.add(link.createdAt)
      $0.add(link.usedAt)
    }
  }

  func consoleSession(digest: String) throws -> ConsoleSession? {
    try first(OperatorAccessSQL.session, { $0.add(digest) }, Self.session)
  }

  func consoleSessions(of account: OperatorName, limit: Int) throws -> [ConsoleSession] {
    try all(
      OperatorAccessSQL.sessionsOfAccount,
      {
        $0.add(account)
        $0.add(max(0, limit))
      }, Self.session)
  }

  private static func session(_ row: inout Columns) -> ConsoleSession {
    let digest = row.text()
    let account: OperatorName = row.identifier()
    let createdAt = row.timestamp()
    let seenAt = row.timestamp()
    let endedAt = row.optionalTimestamp()
    var session = ConsoleSession(
      digest: digest, account: account, createdAt: createdAt, provedAt: row.timestamp())
    session.seenAt = seenAt
    session.endedAt = endedAt
    session.wrongCodes = Int(row.integer())
    return session
  }

  func put(_ session: ConsoleSession) throws {
    try write(OperatorAccessSQL.putSession) {
      $0.add(session.digest)
      $0.add(session.account)
      $0.add(session.createdAt)
      $0.add(session.seenAt)
      $0.add(session.endedAt)
      $0.add(session.provedAt)
      $0.add(session.wrongCodes)
    }
  }
}

/// The statements about operators. Those of the audit log stand in `AuditLogSQL`.
enum OperatorAccessSQL {
  private static let accountColumns = "name, created_at, disabled_at, code_salt, codes_since"
  static let account = SQL("SELECT \(accountColumns) FROM operator_accounts WHERE name = ?")
  static let accounts = SQL(
    "SELECT \(accountColumns) FROM operator_accounts WHERE name > '' ORDER BY name LIMIT ?")
  static let roles = SQL("SELECT app, role FROM operator_roles WHERE account = ? ORDER BY app")
  static let putAccount = SQL(
    """
    INSERT INTO operator_accounts (name, created_at, disabled_at, code_salt, codes_since) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET
      disabled_at = excluded.disabled_at, code_salt = excluded.code_salt, codes_since = excluded.codes_since
    """)
  static let removeRoles = SQL("DELETE FROM operator_roles WHERE account = ?")
  static let insertRole = SQL("INSERT INTO operator_roles (account, app, role) VALUES (?, ?, ?)")
  static let link = SQL("SELECT digest, account, created_at, used_at FROM sign_in_links WHERE digest = ?")
  static let putLink = SQL(
    """
    INSERT INTO sign_in_links (digest, account, created_at, used_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at
    """)
  private static let sessionColumns = "digest, account, created_at, seen_at, ended_at, proved_at, wrong_codes"
  static let session = SQL("SELECT \(sessionColumns) FROM console_sessions WHERE digest = ?")
  static let sessionsOfAccount = SQL(
    """
    SELECT \(sessionColumns) FROM console_sessions WHERE account = ? AND ended_at IS NULL
    ORDER BY created_at DESC, digest DESC LIMIT ?
    """)
  static let putSession = SQL(
    """
    INSERT INTO console_sessions (digest, account, created_at, seen_at, ended_at, proved_at, wrong_codes)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET
      seen_at = excluded.seen_at, ended_at = excluded.ended_at, wrong_codes = excluded.wrong_codes
    """)

  static let all =
    [account, accounts, roles, putAccount, removeRoles, insertRole, link, putLink, session, sessionsOfAccount]
    + [putSession] + SecondFactorSQL.all + ApprovalSQL.all + AuditLogSQL.all
}
