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
    var entry = JournalEntry(
      appEnvironment: appEnvironment, at: moment, stored: what, order: order, payment: try row.optionalPaymentKey(),
      details: row.text())
    entry.event = row.optionalText()
    return entry
  }

  func journal(_ query: JournalQuery) throws -> JournalPage {
    let scanned = try first(
      JournalSQL.numberAtScanMax,
      {
        $0.add(query.after)
        $0.add(query.upTo)
      }, { $0.integer() })
    let end = scanned ?? query.upTo
    let entries = try all(
      JournalSQL.page,
      {
        $0.add(query.appEnvironment)
        $0.add(query.after)
        $0.add(end)
        $0.add(max(0, query.limit))
      }, Self.numberedEntry)
    guard entries.count < query.limit else { return JournalPage(entries: entries, last: entries.last) }
    let last = try first(
      JournalSQL.last,
      {
        $0.add(query.after)
        $0.add(end)
      }, Self.numberedEntry)
    return JournalPage(entries: entries, last: last)
  }

  func firstJournalEntry(from number: Int64) throws -> NumberedJournalEntry? {
    try first(JournalSQL.firstFrom, { $0.add(number) }, Self.numberedEntry)
  }

  private static func numberedEntry(_ row: inout Columns) throws -> NumberedJournalEntry {
    let number = row.integer()
    let user = row.optionalText().map { UserIdentifier($0) }
    let reference = try OrderRow.reference(&row)
    return NumberedJournalEntry(number: number, entry: try entry(&row), user: user, reference: reference)
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
      $0.add(entry.event)
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
    "j.app, j.environment, j.at, j.what, j.order_id, \(PaymentRow.keyColumns), j.details, j.event"

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
  /// A column of the order that an entry tells of. As a join, PostgreSQL may look through all orders of the app.
  private static func orderColumn(_ column: String) -> String {
    """
    (SELECT o.\(column) FROM orders AS o
      WHERE o.app = j.app AND o.environment = j.environment AND o.order_id = j.order_id)
    """
  }

  private static let numbered: SQLText = """
    SELECT j.id, \(orderColumn("user_id")), \(orderColumn("reference")), \(orderColumn("reference_from")), \(columns)
    FROM journal AS j LEFT JOIN payment_keys AS k ON k.id = j.payment
    """
  static let page = SQL(
    """
    \(numbered) WHERE j.app = ? AND j.environment = ? AND j.id > ? AND j.id <= ? ORDER BY j.id LIMIT ?
    """)
  static let last = SQL("\(numbered) WHERE j.id > ? AND j.id <= ? ORDER BY j.id DESC LIMIT 1")
  static let firstFrom = SQL("\(numbered) WHERE j.id >= ? ORDER BY j.id LIMIT 1")
  /// The number of the last entry of a page that would look through more than it may.
  static let numberAtScanMax = SQL(
    "SELECT id FROM journal WHERE id > ? AND id <= ? ORDER BY id LIMIT 1 OFFSET \("\(JournalQuery.scanMax - 1)")")
  static let insert = SQL(
    """
    INSERT INTO journal (app, environment, at, what, order_id, payment, details, event)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """)

  static let all = [ofOrder, ofPayment, telling, page, last, firstFrom, numberAtScanMax, insert]
}
