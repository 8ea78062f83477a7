import PaymentModel
import PaymentPrimitives

// What proves who an operator is, and what two of them decide.
extension InMemoryTransaction {
  func pendingSignIn(digest: String) throws -> PendingSignIn? {
    try proceed()
    return rows.pendingSignIns[ExactText(digest)]
  }

  func put(_ pending: PendingSignIn) throws {
    try proceed()
    try require(rows.operatorAccounts[pending.account] != nil, "A sign-in names an account that is not there.")
    set(\.pendingSignIns, ExactText(pending.digest), value: pending)
  }

  func consoleSessions(of account: OperatorName, limit: Int) throws -> [ConsoleSession] {
    try proceed()
    return rows.consoleSessions.values.filter { $0.account == account && $0.endedAt == nil }
      .sorted { ($0.createdAt, $0.digest) > ($1.createdAt, $1.digest) }.limited(to: limit)
  }

  func passkey(credential: String) throws -> Passkey? {
    try proceed()
    return rows.passkeys[ExactText(credential)]
  }

  func passkeys(of account: OperatorName, limit: Int) throws -> [Passkey] {
    try proceed()
    return rows.passkeys.values.filter { $0.account == account && $0.removedAt == nil }
      .sorted { ($0.createdAt, $0.credential) < ($1.createdAt, $1.credential) }.limited(to: limit)
  }

  func insert(_ passkey: Passkey) throws {
    try proceed()
    guard rows.passkeys[ExactText(passkey.credential)] == nil else { throw conflict(on: "passkey") }
    try require(rows.operatorAccounts[passkey.account] != nil, "A passkey names an account that is not there.")
    set(\.passkeys, ExactText(passkey.credential), value: passkey)
  }

  func update(_ passkey: Passkey) throws {
    try proceed()
    let before = rows.passkeys[ExactText(passkey.credential)]
    try require(before?.account == passkey.account, "A passkey to be updated is missing, or of another account.")
    set(\.passkeys, ExactText(passkey.credential), value: passkey)
  }

  func approval(_ id: String) throws -> Approval? {
    try proceed()
    return rows.approvals[ExactText(id)]
  }

  func approvals(of app: AppIdentifier, askedSince moment: Timestamp, limit: Int) throws -> [Approval] {
    try proceed()
    return rows.approvals.values.filter { $0.app == app && $0.askedAt >= moment }
      .sorted { ($0.askedAt, $0.id) > ($1.askedAt, $1.id) }.limited(to: limit)
  }

  func insert(_ approval: Approval) throws {
    try proceed()
    guard rows.approvals[ExactText(approval.id)] == nil else { throw conflict(on: "approval") }
    set(\.approvals, ExactText(approval.id), value: approval)
  }

  func update(_ approval: Approval) throws {
    try proceed()
    let before = rows.approvals[ExactText(approval.id)]
    try require(
      before?.digest == approval.digest && approval.decidedBy != approval.askedBy,
      "An approval to be updated is missing, asks for something else, or is decided by who asked.")
    set(\.approvals, ExactText(approval.id), value: approval)
  }
}
