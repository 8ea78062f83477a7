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
}

/// The statements about second factors.
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

  static let all = [pending, putPending, passkey, passkeysOfAccount, insertPasskey, updatePasskey]
}
