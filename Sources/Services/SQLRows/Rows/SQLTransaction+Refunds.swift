import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func refund(_ number: String, in appEnvironment: AppEnvironment) throws -> Refund? {
    try first(
      RefundSQL.byNumber,
      {
        $0.add(appEnvironment)
        $0.add(number)
      }, RefundSQL.read)
  }

  func refunds(of payment: PaymentKey) throws -> [Refund] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(
      RefundSQL.ofPayment,
      {
        $0.add(identifier)
        $0.add(DatabaseLimits.refundsPerPayment)
      }, RefundSQL.read)
  }

  func refundsToAsk(at now: Timestamp, limit: Int) throws -> [Refund] {
    try all(
      RefundSQL.toAsk,
      {
        $0.add(now)
        $0.add(max(0, limit))
      }, RefundSQL.read)
  }

  func refunds(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, number: String)?, in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Refund] {
    try all(
      last == nil ? RefundSQL.made : RefundSQL.madeAfter,
      {
        $0.add(appEnvironment)
        $0.add(max(last?.date ?? range.lowerBound, range.lowerBound))
        $0.add(range.upperBound)
        if let last {
          $0.add(last.date)
          $0.add(last.number)
        }
        $0.add(max(0, limit))
      }, RefundSQL.read)
  }

  // MARK: Writes

  func insert(_ refund: Refund) throws {
    let payment = try identifierForWriting(of: refund.payment)
    guard try self.payment(refund.payment) != nil else {
      throw inconsistent("A refund names a payment that is not there.")
    }
    try write(RefundSQL.insert) {
      RefundSQL.bindPromise(refund, payment: payment, &$0)
      RefundSQL.bindPresent(refund, &$0)
    }
  }

  func update(_ refund: Refund) throws {
    guard let before = try self.refund(refund.number, in: refund.appEnvironment), before.promisesTheSame(as: refund)
    else {
      throw inconsistent("A refund to be updated is missing or is another.")
    }
    try write(RefundSQL.update) {
      RefundSQL.bindPresent(refund, &$0)
      $0.add(refund.appEnvironment)
      $0.add(refund.number)
    }
  }
}

enum RefundSQL {
  private static let columns = """
    r.app, r.environment, r.number, r.order_id, k.app, k.store, k.environment, k.transaction_id,
    r.amount, r.total, r.currency, r.reason, r.body, r.created_at,
    r.state, r.done_at, r.failure, r.store_number, r.signed_date, r.next_question_at, r.questions
    """

  static func select(_ index: String? = nil, _ rest: SQLText) -> SQL {
    SQL("SELECT \(columns) FROM refunds AS r \(hint: index) JOIN payment_keys AS k ON k.id = r.payment \(rest)")
  }

  static let byNumber = select(nil, "WHERE r.app = ? AND r.environment = ? AND r.number = ?")
  static let ofPayment = select(
    "refunds_of_payment", "WHERE r.payment = ? ORDER BY r.created_at, r.number LIMIT ?")
  static let toAsk = select(
    "refunds_to_ask",
    """
    WHERE r.next_question_at IS NOT NULL AND r.next_question_at <= ?
    ORDER BY r.next_question_at, r.app, r.environment, r.number LIMIT ?
    """)
  static let made = select("refunds_made", made(""))
  static let madeAfter = select("refunds_made", made("AND (r.created_at, r.number) > (?, ?)"))
  static let nextQuestion = SQL(
    """
    SELECT min(next_question_at) FROM refunds \(hint: "refunds_to_ask") WHERE next_question_at IS NOT NULL
    """)
  static let insert = SQL(
    """
    INSERT INTO refunds (
      app, environment, number, order_id, payment, amount, total, currency, reason, body, created_at,
      state, done_at, failure, store_number, signed_date, next_question_at, questions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let update = SQL(
    """
    UPDATE refunds SET
      state = ?, done_at = ?, failure = ?, store_number = ?, signed_date = ?, next_question_at = ?, questions = ?
    WHERE app = ? AND environment = ? AND number = ?
    """)

  private static func made(_ condition: SQLText) -> SQLText {
    """
    WHERE \(listed: "r") AND r.created_at >= ? AND r.created_at < ? \(condition)
    ORDER BY r.created_at, r.number LIMIT ?
    """
  }

  static let all = [byNumber, ofPayment, toAsk, made, madeAfter, nextQuestion, insert, update]

  static func bindPromise(_ refund: Refund, payment: Int64, _ row: inout Parameters) {
    row.add(refund.appEnvironment)
    row.add(refund.number)
    row.add(refund.order)
    row.add(payment)
    row.add(refund.amount.minorUnits)
    row.add(refund.total.minorUnits)
    row.add(refund.amount.currency.code)
    row.add(refund.reason)
    row.add(refund.body)
    row.add(refund.createdAt)
  }

  static func bindPresent(_ refund: Refund, _ row: inout Parameters) {
    row.add(refund.state.name)
    if case .done(let moment) = refund.state { row.add(moment) } else { row.addNull() }
    if case .failed(let name) = refund.state { row.add(name) } else { row.addNull() }
    row.add(refund.storeNumber)
    row.add(refund.signedDate)
    row.add(refund.nextQuestionAt)
    row.add(refund.questions)
  }

  static func read(_ row: inout Columns) throws -> Refund {
    let appEnvironment = try row.appEnvironment()
    let number = row.text()
    let order = try row.optionalOrderIdentifier()
    let payment = try row.paymentKey()
    let amount = row.integer()
    let total = row.integer()
    guard let currency = CurrencyCode(row.text()) else { throw row.damage("a currency") }
    let reason = row.optionalText()
    let body = row.optionalText()
    var refund = Refund(
      appEnvironment: appEnvironment, number: number, order: order, payment: payment,
      amount: Money(minorUnits: amount, currency: currency), total: Money(minorUnits: total, currency: currency),
      reason: reason, body: body, createdAt: row.timestamp())
    refund.state = try state(&row)
    refund.storeNumber = row.optionalText()
    refund.signedDate = row.optionalTimestamp()
    refund.nextQuestionAt = row.optionalTimestamp()
    refund.questions = row.int()
    return refund
  }

  private static func state(_ row: inout Columns) throws -> Refund.State {
    let name = row.text()
    let doneAt = row.optionalTimestamp()
    let failure = row.optionalText()
    switch (name, doneAt, failure) {
    case ("asked", nil, nil): return .asked
    case ("underWay", nil, nil): return .underWay
    case ("done", let moment?, nil): return .done(at: moment)
    case ("failed", nil, let name?): return .failed(name)
    case ("stuck", nil, nil): return .stuck
    default: throw row.damage("a state that fits its particulars")
    }
  }
}
