import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Actions that two operators decide.
extension SQLTransaction {
  func approval(_ id: String) throws -> Approval? {
    try first(ApprovalSQL.byIdentifier, { $0.add(id) }, Self.approval)
  }

  func approvals(of app: AppIdentifier, askedSince moment: Timestamp, limit: Int) throws -> [Approval] {
    try all(
      ApprovalSQL.ofApp,
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
    try write(ApprovalSQL.insert) {
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
    try write(ApprovalSQL.update) {
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

/// The statements about approvals.
enum ApprovalSQL {
  private static let asked = """
    id, app, environment, action, object_kind, object, arguments, digest, reason, asked_by, asked_at
    """
  private static let columns = asked + ", decided_by, decided_at, decision, done_at, problem"
  static let byIdentifier = SQL("SELECT \(columns) FROM approvals WHERE id = ?")
  static let ofApp = SQL(
    """
    SELECT \(columns) FROM approvals WHERE app = ? AND asked_at >= ?
    ORDER BY asked_at DESC, id DESC LIMIT ?
    """)
  static let insert = SQL("INSERT INTO approvals (\(asked)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  static let update = SQL(
    """
    UPDATE approvals SET decided_by = ?, decided_at = ?, decision = ?, done_at = ?, problem = ?
    WHERE id = ? AND digest = ?
    """)

  static let all = [byIdentifier, ofApp, insert, update]
}
