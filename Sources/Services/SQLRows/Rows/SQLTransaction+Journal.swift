import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func journal(of order: OrderKey) throws -> [JournalEntry] {
    try all(
      JournalSQL.ofOrder,
      {
        $0.add(order.id)
        $0.add(order.appEnvironment)
      }, Self.entry)
  }

  func journal(of payment: PaymentKey) throws -> [JournalEntry] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(JournalSQL.ofPayment, { $0.add(identifier) }, Self.entry)
  }

  static func entry(_ row: inout Columns) throws -> JournalEntry {
    let appEnvironment = try row.appEnvironment()
    let moment = row.timestamp()
    let what = row.text()
    let order = try row.optionalOrderIdentifier()
    return JournalEntry(
      appEnvironment: appEnvironment, at: moment, stored: what, order: order, payment: try row.optionalPaymentKey(),
      details: row.text())
  }

  func insert(_ entry: JournalEntry) throws {
    let payment = try identifierForWriting(ofOptional: entry.payment)
    try write(JournalSQL.insert) {
      $0.add(entry.appEnvironment)
      $0.add(entry.at)
      $0.add(entry.what)
      $0.add(entry.order)
      $0.add(payment)
      $0.add(entry.details)
    }
  }
}

enum JournalSQL {
  /// The events that an operator lists; the condition of their index, word by word.
  private static let listedEvents = """
    what IN ('payment.contradicted', 'consumption.askedTooLate', 'consumption.answered', 'consumption.notAnswered', \
    'consumption.refused')
    """

  private static let columns =
    "j.app, j.environment, j.at, j.what, j.order_id, \(PaymentRow.keyColumns), j.details"

  static let ofOrder = SQL(
    """
    SELECT \(columns)
    FROM journal AS j \(hint: "journal_of_order") LEFT JOIN payment_keys AS k ON k.id = j.payment
    WHERE j.order_id = ? AND j.app = ? AND j.environment = ? ORDER BY j.id
    """)
  static let ofPayment = SQL(
    """
    SELECT \(columns)
    FROM journal AS j \(hint: "journal_of_payment") LEFT JOIN payment_keys AS k ON k.id = j.payment
    WHERE j.payment = ? ORDER BY j.id
    """)
  static let telling = SQL(
    """
    SELECT \(columns)
    FROM journal AS j \(hint: "journal_listed") LEFT JOIN payment_keys AS k ON k.id = j.payment
    WHERE j.app = ? AND j.environment = ? AND j.what = ? AND j.at >= ? AND j.\(listedEvents)
    ORDER BY j.id DESC LIMIT ?
    """)
  static let insert = SQL(
    "INSERT INTO journal (app, environment, at, what, order_id, payment, details) VALUES (?, ?, ?, ?, ?, ?, ?)")

  static let all = [ofOrder, ofPayment, telling, insert]
}
