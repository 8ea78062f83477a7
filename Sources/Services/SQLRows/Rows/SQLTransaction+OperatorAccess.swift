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
    try first(OperatorAccessSQL.session, { $0.add(digest) }) { row in
      let digest = row.text()
      let account: OperatorName = row.identifier()
      var session = ConsoleSession(digest: digest, account: account, createdAt: row.timestamp())
      session.seenAt = row.timestamp()
      session.endedAt = row.optionalTimestamp()
      return session
    }
  }

  func put(_ session: ConsoleSession) throws {
    try write(OperatorAccessSQL.putSession) {
      $0.add(session.digest)
      $0.add(session.account)
      $0.add(session.createdAt)
      $0.add(session.seenAt)
      $0.add(session.endedAt)
    }
  }
}

/// The statements about operators. Those of the audit log stand in `AuditLogSQL`.
enum OperatorAccessSQL {
  static let account = SQL("SELECT name, created_at, disabled_at FROM operator_accounts WHERE name = ?")
  static let accounts = SQL(
    "SELECT name, created_at, disabled_at FROM operator_accounts WHERE name > '' ORDER BY name LIMIT ?")
  static let roles = SQL("SELECT app, role FROM operator_roles WHERE account = ? ORDER BY app")
  static let putAccount = SQL(
    """
    INSERT INTO operator_accounts (name, created_at, disabled_at) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET disabled_at = excluded.disabled_at
    """)
  static let removeRoles = SQL("DELETE FROM operator_roles WHERE account = ?")
  static let insertRole = SQL("INSERT INTO operator_roles (account, app, role) VALUES (?, ?, ?)")
  static let link = SQL("SELECT digest, account, created_at, used_at FROM sign_in_links WHERE digest = ?")
  static let putLink = SQL(
    """
    INSERT INTO sign_in_links (digest, account, created_at, used_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at
    """)
  static let session = SQL(
    "SELECT digest, account, created_at, seen_at, ended_at FROM console_sessions WHERE digest = ?")
  static let putSession = SQL(
    """
    INSERT INTO console_sessions (digest, account, created_at, seen_at, ended_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET seen_at = excluded.seen_at, ended_at = excluded.ended_at
    """)

  static let all =
    [account, accounts, roles, putAccount, removeRoles, insertRole, link, putLink, session, putSession]
    + AuditLogSQL.all
}
