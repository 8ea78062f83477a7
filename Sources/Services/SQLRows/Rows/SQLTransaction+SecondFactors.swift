import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func pendingSignIn(digest: String) throws -> PendingSignIn? {
    try first(SecondFactorSQL.pending, { $0.add(digest) }) { row in
      let digest = row.text()
      let account: OperatorName = row.identifier()
      var pending = PendingSignIn(digest: digest, account: account, createdAt: row.timestamp())
      pending.wrongCodes = Int(row.integer())
      pending.endedAt = row.optionalTimestamp()
      return pending
    }
  }

  func put(_ pending: PendingSignIn) throws {
    try write(SecondFactorSQL.putPending) {
      $0.add(pending.digest)
      $0.add(pending.account)
      $0.add(pending.createdAt)
      $0.add(pending.wrongCodes)
      $0.add(pending.endedAt)
    }
  }

  func passkey(credential: String) throws -> Passkey? {
    try first(SecondFactorSQL.passkey, { $0.add(credential) }, Self.passkey)
  }

  func passkeys(of account: OperatorName, limit: Int) throws -> [Passkey] {
    try all(
      SecondFactorSQL.passkeysOfAccount,
      {
        $0.add(account)
        $0.add(max(0, limit))
      }, Self.passkey)
  }

  private static func passkey(_ row: inout Columns) -> Passkey {
    let credential = row.text()
    let account: OperatorName = row.identifier()
    let publicKey = row.optionalBytes() ?? []
    let label = row.text()
    let createdAt = row.timestamp()
    var passkey = Passkey(
      credential: credential, account: account, publicKey: publicKey, label: label, createdAt: createdAt,
      signCount: row.integer())
    passkey.usedAt = row.optionalTimestamp()
    passkey.removedAt = row.optionalTimestamp()
    return passkey
  }

  func insert(_ passkey: Passkey) throws {
    try write(SecondFactorSQL.insertPasskey) {
      $0.add(passkey.credential)
      $0.add(passkey.account)
      $0.add(passkey.publicKey)
      $0.add(passkey.label)
      $0.add(passkey.createdAt)
      $0.add(passkey.signCount)
      $0.add(passkey.usedAt)
      $0.add(passkey.removedAt)
    }
  }

  func update(_ passkey: Passkey) throws {
    try write(SecondFactorSQL.updatePasskey) {
      $0.add(passkey.signCount)
      $0.add(passkey.usedAt)
      $0.add(passkey.removedAt)
      $0.add(passkey.credential)
      $0.add(passkey.account)
    }
    try requireOneRowChanged("A passkey to be updated is missing, or of another account.")
  }

  func approval(_ id: String) throws -> Approval? {
    try first(SecondFactorSQL.approval, { $0.add(id) }, Self.approval)
  }

  func approvals(of app: AppIdentifier, askedSince moment: Timestamp, limit: Int) throws -> [Approval] {
    try all(
      SecondFactorSQL.approvalsOfApp,
      {
        $0.add(app)
        $0.add(moment)
        $0.add(max(0, limit))
      }, Self.approval)
  }

  private static func approval(_ row: inout Columns) throws -> Approval {
    let id = row.text()
    let app: AppIdentifier = row.identifier()
    let environment: StoreEnvironment = try row.rawValue()
    let action = row.text()
    let objectKind = row.text()
    let object = row.text()
    let arguments = row.text()
    let digest = row.text()
    let reason = row.text()
    let askedBy: OperatorName = row.identifier()
    var approval = Approval(
      id: id, app: app, environment: environment, action: action, objectKind: objectKind, object: object,
      arguments: arguments, digest: digest, reason: reason, askedBy: askedBy, askedAt: row.timestamp())
    approval.decidedBy = row.optionalIdentifier()
    approval.decidedAt = row.optionalTimestamp()
    approval.isApproved = row.optionalText() == "approved"
    approval.doneAt = row.optionalTimestamp()
    approval.problem = row.optionalText()
    return approval
  }

  func insert(_ approval: Approval) throws {
    try write(SecondFactorSQL.insertApproval) {
      $0.add(approval.id)
      $0.add(approval.app)
      $0.add(approval.environment.rawValue)
      $0.add(approval.action)
      $0.add(approval.objectKind)
      $0.add(approval.object)
      $0.add(approval.arguments)
      $0.add(approval.digest)
      $0.add(approval.reason)
      $0.add(approval.askedBy)
      $0.add(approval.askedAt)
    }
  }

  func update(_ approval: Approval) throws {
    try write(SecondFactorSQL.updateApproval) {
      $0.add(approval.decidedBy)
      $0.add(approval.decidedAt)
      $0.add(approval.decidedAt.map { _ in approval.isApproved ? "approved" : "refused" })
      $0.add(approval.doneAt)
      $0.add(approval.problem)
      $0.add(approval.id)
      $0.add(approval.digest)
    }
    try requireOneRowChanged("An approval to be updated is missing, or asks for something else.")
  }
}

/// The statements about second factors and approvals.
enum SecondFactorSQL {
  static let pending = SQL(
    "SELECT digest, account, created_at, wrong_codes, ended_at FROM pending_sign_ins WHERE digest = ?")
  static let putPending = SQL(
    """
    INSERT INTO pending_sign_ins (digest, account, created_at, wrong_codes, ended_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET wrong_codes = excluded.wrong_codes, ended_at = excluded.ended_at
    """)
  private static let passkeyColumns = """
    credential, account, public_key, label, created_at, sign_count, used_at, removed_at
    """
  static let passkey = SQL("SELECT \(passkeyColumns) FROM passkeys WHERE credential = ?")
  static let passkeysOfAccount = SQL(
    """
    SELECT \(passkeyColumns) FROM passkeys WHERE account = ? AND removed_at IS NULL
    ORDER BY created_at, credential LIMIT ?
    """)
  static let insertPasskey = SQL("INSERT INTO passkeys (\(passkeyColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  static let updatePasskey = SQL(
    "UPDATE passkeys SET sign_count = ?, used_at = ?, removed_at = ? WHERE credential = ? AND account = ?")
  private static let asked = """
    id, app, environment, action, object_kind, object, arguments, digest, reason, asked_by, asked_at
    """
  private static let approvalColumns = asked + ", decided_by, decided_at, decision, done_at, problem"
  static let approval = SQL("SELECT \(approvalColumns) FROM approvals WHERE id = ?")
  static let approvalsOfApp = SQL(
    """
    SELECT \(approvalColumns) FROM approvals WHERE app = ? AND asked_at >= ?
    ORDER BY asked_at DESC, id DESC LIMIT ?
    """)
  static let insertApproval = SQL("INSERT INTO approvals (\(asked)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  static let updateApproval = SQL(
    """
    UPDATE approvals SET decided_by = ?, decided_at = ?, decision = ?, done_at = ?, problem = ?
    WHERE id = ? AND digest = ?
    """)

  static let all = [
    pending, putPending, passkey, passkeysOfAccount, insertPasskey, updatePasskey, approval, approvalsOfApp,
    insertApproval, updateApproval,
  ]
}
