import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  func operatorAccount(_ name: OperatorName) throws -> OperatorAccount? {
    try proceed()
    return rows.operatorAccounts[name]
  }

  func operatorAccounts(limit: Int) throws -> [OperatorAccount] {
    try proceed()
    return rows.operatorAccounts.values.sorted { $0.name < $1.name }.limited(to: limit)
  }

  func signInLink(digest: String) throws -> SignInLink? {
    try proceed()
    return rows.signInLinks[ExactText(digest)]
  }

  func consoleSession(digest: String) throws -> ConsoleSession? {
    try proceed()
    return rows.consoleSessions[ExactText(digest)]
  }

  func auditLogHead() throws -> AuditLogEntry? {
    try proceed()
    return rows.auditLog[Int64(rows.auditLog.count)]
  }

  func auditLogEntry(actionKey: String) throws -> AuditLogEntry? {
    try proceed()
    return rows.auditLogByAction[ExactText(actionKey)].flatMap { rows.auditLog[$0] }
  }

  func auditLog(after number: Int64, limit: Int) throws -> [AuditLogEntry] {
    try proceed()
    return rows.auditLog.values.filter { $0.number > number }.sorted { $0.number < $1.number }.limited(to: limit)
  }

  func auditLog(before number: Int64?, limit: Int) throws -> [AuditLogEntry] {
    try proceed()
    return rows.auditLog.values.filter { entry in number.map { entry.number < $0 } ?? true }
      .sorted { $0.number > $1.number }.limited(to: limit)
  }

  func put(_ account: OperatorAccount) throws {
    try proceed()
    let before = rows.operatorAccounts[account.name]
    try require(before.map { $0.createdAt == account.createdAt } ?? true, "An account was made at another time.")
    set(\.operatorAccounts, account.name, value: account)
  }

  func put(_ link: SignInLink) throws {
    try proceed()
    try require(rows.operatorAccounts[link.account] != nil, "A link names an account that is not there.")
    set(\.signInLinks, ExactText(link.digest), value: link)
  }

  func put(_ session: ConsoleSession) throws {
    try proceed()
    try require(rows.operatorAccounts[session.account] != nil, "A session names an account that is not there.")
    set(\.consoleSessions, ExactText(session.digest), value: session)
  }

  func insert(_ entry: AuditLogEntry) throws {
    try proceed()
    let head = rows.auditLog[Int64(rows.auditLog.count)]
    guard rows.auditLog[entry.number] == nil, rows.auditLogByAction[ExactText(entry.actionKey)] == nil else {
      throw conflict(on: "entry")
    }
    let previous = head?.hash ?? AuditLogEntry.firstPrevious
    try require(
      entry.number == (head?.number ?? 0) + 1 && entry.previous == previous, "An entry does not follow the last one.")
    set(\.auditLog, entry.number, value: entry)
    set(\.auditLogByAction, ExactText(entry.actionKey), value: entry.number)
  }

  func redact(_ entry: AuditLogEntry) throws {
    try proceed()
    let isUnderWay = rows.erasures.values.contains { $0.alias == entry.redactedBy && $0.doneAt == nil }
    let isSame = rows.auditLog[entry.number].map { $0.hash == entry.hash && $0.actionKey == entry.actionKey } ?? false
    try require(isUnderWay && isSame && entry.seal?.salt == nil, "Only an erasure under way changes an entry.")
    set(\.auditLog, entry.number, value: entry)
  }
}
