import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func auditLogHead() throws -> AuditLogEntry? { try first(AuditLogSQL.head, { _ in }, Self.entry) }

  func auditLogEntry(actionKey: String) throws -> AuditLogEntry? {
    try first(AuditLogSQL.byAction, { $0.add(actionKey) }, Self.entry)
  }

  func auditLog(after number: Int64, limit: Int) throws -> [AuditLogEntry] {
    try all(
      AuditLogSQL.after,
      {
        $0.add(number)
        $0.add(max(0, limit))
      }, Self.entry)
  }

  func auditLog(before number: Int64?, limit: Int) throws -> [AuditLogEntry] {
    try all(
      AuditLogSQL.before,
      {
        $0.add(number ?? .max)
        $0.add(max(0, limit))
      }, Self.entry)
  }

  func insert(_ entry: AuditLogEntry) throws {
    try write(AuditLogSQL.insert) { row in
      row.add(entry.number)
      row.add(entry.at)
      row.add(entry.app)
      row.add(entry.environment?.rawValue)
      row.add(entry.actorKind.rawValue)
      row.add(entry.actor)
      row.add(entry.role?.rawValue)
      row.add(entry.address)
      row.add(entry.action)
      row.add(entry.objectKind)
      row.add(entry.object)
      row.add(entry.reason)
      row.add(entry.requestId)
      row.add(entry.outcome.rawValue)
      row.add(entry.problem)
      row.add(entry.actionKey)
      row.add(entry.previous)
      row.add(entry.hash)
      row.add(entry.seal?.digest)
      row.add(entry.seal?.salt)
    }
  }

  func redact(_ entry: AuditLogEntry) throws {
    try write(AuditLogSQL.redact) { row in
      row.add(entry.object)
      row.add(entry.reason)
      row.add(entry.redactedBy)
      row.add(entry.number)
    }
    try requireOneRowChanged("An entry to be redacted is missing.")
  }

  private static func entry(_ row: inout Columns) throws -> AuditLogEntry {
    let number = row.integer()
    let moment = row.timestamp()
    let app: AppIdentifier? = row.optionalIdentifier()
    let environment: StoreEnvironment? = try row.optionalRawValue()
    let actorKind: AuditLogEntry.ActorKind = try row.rawValue()
    let actor = row.text()
    let role: OperatorRole? = try row.optionalRawValue()
    let address = row.optionalText()
    let action = row.text()
    let objectKind = row.optionalText()
    let object = row.optionalText()
    let reason = row.optionalText()
    let requestId = row.optionalText()
    let outcome: AuditLogEntry.Outcome = try row.rawValue()
    let problem = row.optionalText()
    let actionKey = row.text()
    let previous = row.optionalBytes() ?? []
    let hash = row.optionalBytes() ?? []
    let digest = row.optionalBytes()
    let salt = row.optionalBytes()
    var entry = AuditLogEntry(
      number: number, at: moment, app: app, environment: environment, actorKind: actorKind, actor: actor, role: role,
      address: address, action: action, objectKind: objectKind, object: object, reason: reason, requestId: requestId,
      outcome: outcome, problem: problem, actionKey: actionKey, previous: previous, hash: hash)
    entry.seal = digest.map { AuditLogEntry.Seal(digest: $0, salt: salt) }
    entry.redactedBy = row.optionalIdentifier()
    return entry
  }
}

/// The statements about the audit log. None removes an entry, and only an erasure changes one; triggers refuse the
/// rest.
enum AuditLogSQL {
  private static let columns = """
    id, at, app, environment, actor_kind, actor, role, address, action, object_kind, object, reason, request_id, \
    outcome, problem, action_key, previous, hash, personal_digest, salt, redacted_by
    """

  static let head = SQL("SELECT \(columns) FROM audit_log WHERE id > 0 ORDER BY id DESC LIMIT 1")
  static let byAction = SQL("SELECT \(columns) FROM audit_log WHERE action_key = ?")
  static let after = SQL("SELECT \(columns) FROM audit_log WHERE id > ? ORDER BY id LIMIT ?")
  static let before = SQL("SELECT \(columns) FROM audit_log WHERE id < ? ORDER BY id DESC LIMIT ?")
  static let insert = SQL(
    """
    INSERT INTO audit_log
      (id, at, app, environment, actor_kind, actor, role, address, action, object_kind, object, reason, request_id,
       outcome, problem, action_key, previous, hash, personal_digest, salt)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let redact = SQL(
    "UPDATE audit_log SET object = ?, reason = ?, salt = NULL, redacted_by = ? WHERE id = ?")

  static let all = [head, byAction, after, before, insert, redact]
}
