import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func apiKey(_ id: CredentialIdentifier) throws -> APIKey? {
    try first(InstallationSQL.keyByIdentifier, { $0.add(id) }, Self.key)
  }

  func apiKeys(of app: AppIdentifier) throws -> [APIKey] {
    try all(InstallationSQL.keysOfApp, { $0.add(app) }, Self.key)
  }

  private static func key(_ row: inout Columns) throws -> APIKey {
    let id: CredentialIdentifier = row.identifier()
    let app: AppIdentifier = row.identifier()
    let kind: APIKey.Kind = try row.rawValue()
    let digest = row.text()
    let label = row.text()
    let createdAt = row.timestamp()
    let revokedAt = row.optionalTimestamp()
    let role: OperatorRole? = try row.optionalRawValue()
    let expiresAt = row.optionalTimestamp()
    let usedAt = row.optionalTimestamp()
    var key = APIKey(
      id: id, app: app, kind: kind, digest: digest, label: label, createdAt: createdAt, role: role,
      expiresAt: expiresAt, mayCredit: row.flag(), mayGiveEntitlements: row.flag(), mayErase: row.flag())
    key.revokedAt = revokedAt
    key.usedAt = usedAt
    return key
  }

  func setting(_ name: String) throws -> String? {
    try first(InstallationSQL.setting, { $0.add(name) }, { $0.text() })
  }

  func insert(_ key: APIKey) throws {
    try write(InstallationSQL.insertKey) { Self.bind(key, &$0) }
  }

  func update(_ key: APIKey) throws {
    try write(InstallationSQL.updateKey) { Self.bind(key, &$0) }
    try requireOneRowChanged("A key to be updated is missing or differs in more than its revocation and use.")
  }

  private static func bind(_ key: APIKey, _ row: inout Parameters) {
    row.add(key.revokedAt)
    row.add(key.usedAt)
    row.add(key.id)
    row.add(key.app)
    row.add(key.kind.rawValue)
    row.add(key.digest)
    row.add(key.label)
    row.add(key.createdAt)
    row.add(key.role?.rawValue)
    row.add(key.expiresAt)
    row.add(key.mayCredit)
    row.add(key.mayGiveEntitlements)
    row.add(key.mayErase)
  }

  func set(_ name: String, to value: String) throws {
    try write(InstallationSQL.set) {
      $0.add(name)
      $0.add(value)
    }
  }
}

/// The statements for keys and settings.
enum InstallationSQL {
  private static let keyColumns = """
    key_id, app, kind, digest, label, created_at, revoked_at, role, expires_at, used_at, may_credit,
    may_give_entitlements, may_erase
    """

  static let keyByIdentifier = SQL("SELECT \(keyColumns) FROM api_keys WHERE key_id = ?")
  static let keysOfApp = SQL(
    "SELECT \(keyColumns) FROM api_keys WHERE app = ? ORDER BY created_at, key_id")
  static let insertKey = SQL(
    """
    INSERT INTO api_keys
      (revoked_at, used_at, key_id, app, kind, digest, label, created_at, role, expires_at, may_credit,
      may_give_entitlements, may_erase)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let updateKey = SQL(
    """
    UPDATE api_keys SET revoked_at = ?, used_at = ?
    WHERE key_id = ? AND app = ? AND kind = ? AND digest = ? AND label = ? AND created_at = ?
      AND role \(.isSame) ? AND expires_at \(.isSame) ? AND may_credit = ?
      AND may_give_entitlements = ? AND may_erase = ?
    """)
  static let setting = SQL("SELECT value FROM settings WHERE name = ?")
  static let set = SQL(
    """
    INSERT INTO settings (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    """)

  static let all = [keyByIdentifier, keysOfApp, insertKey, updateKey, setting, set]
}
