import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Complaints of customers at a store.
extension SQLTransaction {
  func complaint(_ id: String, in appEnvironment: AppEnvironment) throws -> Complaint? {
    try first(
      ComplaintSQL.byIdentifier,
      {
        $0.add(appEnvironment)
        $0.add(id)
      }, ComplaintSQL.read)
  }

  func openComplaints(in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint] {
    try all(
      ComplaintSQL.open,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, ComplaintSQL.read)
  }

  func complaints(
    in appEnvironment: AppEnvironment, before last: (openedAt: Timestamp, id: String)?, limit: Int
  ) throws -> [Complaint] {
    try all(
      last == nil ? ComplaintSQL.opened : ComplaintSQL.openedBefore,
      {
        $0.add(appEnvironment)
        if let last {
          $0.add(last.openedAt)
          $0.add(last.id)
        }
        $0.add(max(0, limit))
      }, ComplaintSQL.read)
  }

  func complaints(of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint] {
    try all(
      ComplaintSQL.ofUser,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(max(0, limit))
      }, ComplaintSQL.read)
  }

  func put(_ complaint: Complaint) throws {
    try write(ComplaintSQL.put) {
      $0.add(complaint.appEnvironment)
      $0.add(complaint.id)
      $0.add(complaint.openedAt)
      $0.add(complaint.state)
      $0.add(complaint.times)
      $0.add(complaint.begunAt)
      $0.add(complaint.answeredAt)
      $0.add(complaint.doneAt)
      $0.add(complaint.awaitsReply)
      $0.add(complaint.order)
      $0.add(complaint.user)
      $0.add(complaint.facts)
      $0.add(complaint.history)
      $0.add(complaint.signedDate)
    }
    try requireOneRowChanged("A complaint to be replaced was opened at another time.")
  }
}

/// The statements about complaints.
enum ComplaintSQL {
  private static let columns = """
    app, environment, id, opened_at, state, times, begun_at, answered_at, done_at, awaits_reply, order_id, user_id,
    facts, history, signed_date
    """
  static let byIdentifier = SQL("SELECT \(columns) FROM complaints WHERE app = ? AND environment = ? AND id = ?")
  static let open = SQL(
    """
    SELECT \(columns) FROM complaints \(hint: "complaints_open")
    WHERE \(listed: "complaints") AND done_at IS NULL ORDER BY begun_at, id LIMIT ?
    """)
  static let opened = SQL(
    """
    SELECT \(columns) FROM complaints \(hint: "complaints_opened")
    WHERE \(listed: "complaints") ORDER BY opened_at DESC, id DESC LIMIT ?
    """)
  static let openedBefore = SQL(
    """
    SELECT \(columns) FROM complaints \(hint: "complaints_opened")
    WHERE \(listed: "complaints") AND (opened_at, id) < (?, ?) ORDER BY opened_at DESC, id DESC LIMIT ?
    """)
  static let ofUser = SQL(
    """
    SELECT \(columns) FROM complaints \(hint: "complaints_of_user")
    WHERE \(listed: "complaints") AND user_id = ? ORDER BY opened_at DESC, id DESC LIMIT ?
    """)
  static let put = SQL(
    """
    INSERT INTO complaints (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, id) DO UPDATE SET
      state = excluded.state, times = excluded.times, begun_at = excluded.begun_at,
      answered_at = excluded.answered_at, done_at = excluded.done_at, awaits_reply = excluded.awaits_reply,
      order_id = excluded.order_id, user_id = excluded.user_id, facts = excluded.facts, history = excluded.history,
      signed_date = excluded.signed_date
    WHERE complaints.opened_at = excluded.opened_at
    """)

  static let all = [byIdentifier, open, opened, openedBefore, ofUser, put]

  static func read(_ row: inout Columns) throws -> Complaint {
    let appEnvironment = try row.appEnvironment()
    let id = row.text()
    let openedAt = row.timestamp()
    let state = row.text()
    let times = row.integer()
    let begunAt = row.timestamp()
    let answeredAt = row.optionalTimestamp()
    let doneAt = row.optionalTimestamp()
    let awaitsReply = row.flag()
    let order = try row.optionalOrderIdentifier()
    let user: UserIdentifier? = row.optionalIdentifier()
    let facts = row.text()
    let history = row.text()
    var complaint = Complaint(
      appEnvironment: appEnvironment, id: id, openedAt: openedAt, state: state, facts: facts,
      signedDate: row.timestamp())
    (complaint.times, complaint.begunAt, complaint.answeredAt) = (times, begunAt, answeredAt)
    (complaint.doneAt, complaint.awaitsReply, complaint.history) = (doneAt, awaitsReply, history)
    (complaint.order, complaint.user) = (order, user)
    return complaint
  }
}
