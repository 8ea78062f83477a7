import PaymentDatabase
import PaymentModel
import PaymentPrimitives

// What an operator lists.
extension SQLTransaction {
  func payments(_ query: PaymentQuery) throws -> [Payment] {
    try all(
      OperatorListSQL.payments(charges: query.charges, isContinued: query.before != nil),
      {
        $0.add(query.appEnvironment)
        $0.add(min(query.boughtUntil, query.before?.purchaseDate ?? query.boughtUntil))
        if let before = query.before {
          $0.add(before.purchaseDate)
          $0.add(before.transaction)
          $0.add(before.store.rawValue)
        }
        $0.add(max(0, query.limit))
      }, PaymentRow.readWithKey)
  }

  func subscriptions(
    after last: (askAt: Timestamp, key: PaymentKey)?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Subscription] {
    try all(
      last == nil ? OperatorListSQL.subscriptions : OperatorListSQL.subscriptionsAfter,
      {
        $0.add(appEnvironment)
        if let last {
          $0.add(last.askAt)
          $0.add(last.askAt)
          $0.add(last.key.store.rawValue)
          $0.add(last.key.transaction)
        }
        $0.add(max(0, limit))
      },
      { row in
        let key = try row.paymentKey()
        return try SubscriptionRow.read(key, &row)
      })
  }

  func reconciliations(
    from first: String, to last: String, at store: Store, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReconciliationRecord] {
    try all(
      OperatorListSQL.reconciliations,
      {
        $0.add(appEnvironment)
        $0.add(store.rawValue)
        $0.add(first)
        $0.add(last)
        $0.add(max(0, limit))
      },
      { row in
        let day = row.text()
        var record = ReconciliationRecord(
          appEnvironment: appEnvironment, store: store, day: day, triedAt: row.timestamp())
        record.doneAt = row.optionalTimestamp()
        record.report = row.optionalText()
        return record
      })
  }

  func consumptionRequests(in appEnvironment: AppEnvironment, limit: Int) throws -> [AppStoreTask] {
    try all(
      AppStoreSQL.consumptionRequests,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, AppStoreSQL.readAppStoreTask)
  }

  func journal(
    telling event: JournalEvent, since moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [JournalEntry] {
    try all(
      JournalSQL.telling,
      {
        $0.add(appEnvironment)
        $0.add(event.name)
        $0.add(moment)
        $0.add(max(0, limit))
      }, Self.entry)
  }

  func refundsStuck(in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund] {
    try all(
      OperatorListSQL.refundsStuck,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, RefundSQL.read)
  }

  func frozenOrders(in appEnvironment: AppEnvironment, limit: Int) throws -> [Order] {
    try all(
      OperatorListSQL.frozenOrders,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, OrderRow.read)
  }

  func frozenBalances(in appEnvironment: AppEnvironment, limit: Int) throws -> [Balance] {
    try all(
      OperatorListSQL.frozenBalances,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, Self.balance)
  }

  func attempts(of delivery: DeliveryIdentifier, about payment: PaymentKey) throws -> [DeliveryAttempt] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(
      OperatorListSQL.attempts,
      {
        $0.add(identifier)
        $0.add(delivery)
        $0.add(DeliveryAttempt.keptMax)
      },
      { row in
        let number = row.int()
        let moment = row.timestamp()
        let endpoint = row.text()
        let status = row.optionalInteger()
        var attempt = DeliveryAttempt(
          delivery, of: payment, number: number, at: moment, endpoint: endpoint, milliseconds: row.integer())
        attempt.status = status.map { Int($0) }
        attempt.problem = row.optionalText()
        attempt.answer = row.optionalBytes() ?? []
        return attempt
      })
  }

  func payments(
    ofOrderNumber number: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try all(
      OperatorListSQL.paymentsOfOrderNumber,
      {
        $0.add(appEnvironment)
        $0.add(number)
        $0.add(max(0, limit))
      }, PaymentRow.readWithKey)
  }

  // MARK: writes

  func insert(_ attempt: DeliveryAttempt) throws {
    let payment = try identifierForWriting(of: attempt.payment)
    try write(OperatorListSQL.insertAttempt) {
      $0.add(attempt.number)
      $0.add(attempt.at)
      $0.add(attempt.endpoint)
      $0.add(attempt.status.map { Int64($0) })
      $0.add(attempt.milliseconds)
      $0.add(attempt.problem)
      $0.add(attempt.answer.isEmpty ? nil : attempt.answer)
      $0.add(payment)
      $0.add(attempt.delivery)
    }
    try requireOneRowChanged("An attempt names a delivery that is not there.")
    guard attempt.number > DeliveryAttempt.keptMax else { return }
    try write(OperatorListSQL.removeAttempts) {
      $0.add(payment)
      $0.add(attempt.delivery)
      $0.add(attempt.number - DeliveryAttempt.keptMax)
    }
  }

  func noteOrderNumber(_ number: String, of payment: PaymentKey, at moment: Timestamp) throws {
    let identifier = try identifierForWriting(of: payment)
    try write(OperatorListSQL.noteOrderNumber) {
      $0.add(payment.appEnvironment)
      $0.add(number)
      $0.add(identifier)
      $0.add(moment)
    }
  }
}

enum OperatorListSQL {
  private static let paymentWithKey = "\(PaymentRow.keyColumns), \(PaymentRow.columns)"

  static func payments(charges: Bool, isContinued: Bool) -> SQL {
    if charges { return isContinued ? chargesBefore : charged }
    return isContinued ? boughtBefore : bought
  }

  private static let charged = payments("payments_charged", "IS NOT NULL")
  private static let chargesBefore = payments("payments_charged", "IS NOT NULL", and: before)
  private static let bought = payments("payments_bought", "IS NULL")
  private static let boughtBefore = payments("payments_bought", "IS NULL", and: before)

  private static let before = "AND (p.purchase_date, k.transaction_id, k.store) < (?, ?, ?)"

  private static func payments(_ index: String, _ merchant: String, and condition: String = "") -> SQL {
    SQL(
      """
      SELECT \(paymentWithKey) FROM payments AS p \(hint: index) JOIN payment_keys AS k ON k.id = p.id
      WHERE p.merchant \(merchant) AND p.app = ? AND p.environment = ? AND p.purchase_date <= ? \(condition)
      ORDER BY p.purchase_date DESC, k.transaction_id DESC, k.store DESC LIMIT ?
      """)
  }

  static let subscriptions = subscriptions("")
  static let subscriptionsAfter = subscriptions(
    "AND l.ask_at >= ? AND (l.ask_at, k.store, k.transaction_id) > (?, ?, ?)")

  private static func subscriptions(_ condition: String) -> SQL {
    SQL(
      """
      SELECT \(PaymentRow.keyColumns), \(SubscriptionRow.columns)
      FROM lines AS l \(hint: "lines_to_ask") JOIN payment_keys AS k ON k.id = l.id
      WHERE l.ask_at IS NOT NULL AND l.app = ? AND l.environment = ? \(condition)
      ORDER BY l.ask_at, k.store, k.transaction_id LIMIT ?
      """)
  }

  static let reconciliations = SQL(
    """
    SELECT day, tried_at, done_at, report FROM reconciliations
    WHERE app = ? AND environment = ? AND store = ? AND day BETWEEN ? AND ? ORDER BY day DESC LIMIT ?
    """)
  static let refundsStuck = RefundSQL.select(
    "refunds_stuck",
    "WHERE r.app = ? AND r.environment = ? AND r.state = 'stuck' ORDER BY r.created_at, r.number LIMIT ?")
  static let frozenOrders = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source("orders_frozen"))
    WHERE o.app = ? AND o.environment = ? AND o.frozen_because IS NOT NULL
    ORDER BY o.created_at, o.order_id LIMIT ?
    """)
  static let frozenBalances = SQL(
    """
    SELECT app, environment, user_id, unit, amount, frozen_since FROM balances \(hint: "balances_frozen")
    WHERE app = ? AND environment = ? AND frozen_since IS NOT NULL ORDER BY frozen_since, user_id, unit LIMIT ?
    """)
  static let attempts = SQL(
    """
    SELECT a.number, a.at, a.endpoint, a.status, a.milliseconds, a.problem, a.answer
    FROM deliveries AS d \(.joinNext) delivery_attempts AS a ON a.delivery = d.id
    WHERE d.payment = ? AND d.delivery_id = ? ORDER BY a.number LIMIT ?
    """)
  static let insertAttempt = SQL(
    """
    INSERT INTO delivery_attempts (delivery, number, at, endpoint, status, milliseconds, problem, answer)
    SELECT d.id, ?, ?, ?, ?, ?, ?, ? FROM deliveries AS d WHERE d.payment = ? AND d.delivery_id = ?
    """)
  static let removeAttempts = SQL(
    """
    DELETE FROM delivery_attempts
    WHERE delivery = (SELECT d.id FROM deliveries AS d WHERE d.payment = ? AND d.delivery_id = ?) AND number <= ?
    """)
  static let paymentsOfOrderNumber = SQL(
    """
    SELECT \(paymentWithKey) FROM store_order_numbers AS n
    \(.joinNext) payments AS p ON p.id = n.payment JOIN payment_keys AS k ON k.id = p.id
    WHERE n.app = ? AND n.environment = ? AND n.number = ?
    ORDER BY p.purchase_date, k.transaction_id, k.store LIMIT ?
    """)
  static let noteOrderNumber = SQL(
    """
    INSERT INTO store_order_numbers (app, environment, number, payment, learned_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)

  static let all = [
    charged, chargesBefore, bought, boughtBefore, subscriptions,
    subscriptionsAfter, reconciliations, refundsStuck,
    frozenOrders, frozenBalances, attempts, insertAttempt, removeAttempts, paymentsOfOrderNumber, noteOrderNumber,
  ]
}
