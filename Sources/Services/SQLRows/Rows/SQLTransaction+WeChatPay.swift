import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func weChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    if let known = try knownWeChatPayOrder(key) { return known }
    let order = try first(WeChatPayOrderSQL.byKey, { $0.add(key) }, WeChatPayOrderSQL.read)
    if let order { note(order) }
    return order
  }

  func weChatPayOrdersToAsk(at now: Timestamp, limit: Int) throws -> [WeChatPayOrder] {
    try all(
      WeChatPayOrderSQL.toAsk,
      {
        $0.add(now)
        $0.add(max(0, limit))
      }, WeChatPayOrderSQL.read)
  }

  func nextStoreQuestion() throws -> Timestamp? {
    let order = try first(WeChatPayOrderSQL.nextQuestion, { _ in }, { $0.optionalTimestamp() }) ?? nil
    let refund = try first(RefundSQL.nextQuestion, { _ in }, { $0.optionalTimestamp() }) ?? nil
    return [order, refund].compactMap(\.self).min()
  }

  func reconciliation(of day: String, at store: Store, in appEnvironment: AppEnvironment) throws
    -> ReconciliationRecord?
  {
    try first(
      WeChatPayOrderSQL.reconciliation,
      {
        $0.add(appEnvironment)
        $0.add(store.rawValue)
        $0.add(day)
      },
      { row in
        var record = ReconciliationRecord(
          appEnvironment: appEnvironment, store: store, day: day, triedAt: row.timestamp())
        record.doneAt = row.optionalTimestamp()
        record.report = row.optionalText()
        return record
      })
  }

  // MARK: Writes

  func insert(_ order: WeChatPayOrder) throws {
    guard try self.order(order.order) != nil else {
      throw inconsistent("An order at WeChat Pay names an order that is not there.")
    }
    try write(WeChatPayOrderSQL.insert) {
      $0.add(order.order)
      WeChatPayOrderSQL.bindPromise(order, &$0)
      WeChatPayOrderSQL.bindPresent(order, &$0)
    }
    note(order)
  }

  func update(_ order: WeChatPayOrder) throws {
    try write(WeChatPayOrderSQL.update) {
      WeChatPayOrderSQL.bindPresent(order, &$0)
      $0.add(order.order)
      WeChatPayOrderSQL.bindPromise(order, &$0)
    }
    try requireOneRowChanged("An order at WeChat Pay is missing or promised something else.")
    note(order)
  }

  func put(_ record: ReconciliationRecord) throws {
    try write(WeChatPayOrderSQL.putReconciliation) {
      $0.add(record.appEnvironment)
      $0.add(record.store.rawValue)
      $0.add(record.day)
      $0.add(record.triedAt)
      $0.add(record.doneAt)
      $0.add(record.report)
    }
  }
}

/// The statements for orders at WeChat Pay, and for bills.
enum WeChatPayOrderSQL {
  private static let columns = """
    app, environment, order_id, merchant, store_app, trade_type, amount, currency, prepay_body,
    state, close_reason, handle, handle_at, transaction_id, next_question_at, questions
    """

  static let byKey = SQL(
    "SELECT \(columns) FROM wechat_pay_orders WHERE app = ? AND environment = ? AND order_id = ?")
  static let toAsk = SQL(
    """
    SELECT \(columns) FROM wechat_pay_orders \(hint: "wechat_pay_orders_to_ask")
    WHERE next_question_at IS NOT NULL AND next_question_at <= ?
    ORDER BY next_question_at, app, environment, order_id LIMIT ?
    """)
  static let nextQuestion = SQL(
    """
    SELECT min(next_question_at) FROM wechat_pay_orders \(hint: "wechat_pay_orders_to_ask")
    WHERE next_question_at IS NOT NULL
    """)
  static let insert = SQL(
    """
    INSERT INTO wechat_pay_orders (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  /// Finds the row only if its promises are the same.
  static let update = SQL(
    """
    UPDATE wechat_pay_orders SET
      state = ?, close_reason = ?, handle = ?, handle_at = ?, transaction_id = ?, next_question_at = ?, questions = ?
    WHERE app = ? AND environment = ? AND order_id = ? AND merchant = ? AND store_app = ? AND trade_type = ?
      AND amount = ? AND currency = ? AND prepay_body = ?
    """)
  static let reconciliation = SQL(
    """
    SELECT tried_at, done_at, report FROM reconciliations
    WHERE app = ? AND environment = ? AND store = ? AND day = ?
    """)
  static let putReconciliation = SQL(
    """
    INSERT INTO reconciliations (app, environment, store, day, tried_at, done_at, report)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (app, environment, store, day) DO UPDATE SET
      tried_at = excluded.tried_at, done_at = excluded.done_at, report = excluded.report
    """)

  static let all = [byKey, toAsk, nextQuestion, insert, update, reconciliation, putReconciliation]

  static func bindPromise(_ order: WeChatPayOrder, _ row: inout Parameters) {
    row.add(order.merchant)
    row.add(order.storeApp)
    row.add(order.tradeType)
    row.add(order.amount.minorUnits)
    row.add(order.amount.currency.code)
    row.add(order.prepayBody)
  }

  static func bindPresent(_ order: WeChatPayOrder, _ row: inout Parameters) {
    row.add(order.state.name)
    if case .closing(let reason) = order.state { row.add(reason.rawValue) } else { row.addNull() }
    row.add(order.handle?.text)
    row.add(order.handle?.issuedAt)
    row.add(order.transaction)
    row.add(order.nextQuestionAt)
    row.add(order.questions)
  }

  static func read(_ row: inout Columns) throws -> WeChatPayOrder {
    let key = OrderKey(appEnvironment: try row.appEnvironment(), id: try row.orderIdentifier())
    let merchant = row.text()
    let storeApp = row.text()
    let tradeType = row.text()
    let amount = row.integer()
    guard let currency = CurrencyCode(row.text()) else { throw row.damage("a currency") }
    var order = WeChatPayOrder(
      order: key, merchant: merchant, storeApp: storeApp, tradeType: tradeType,
      amount: Money(minorUnits: amount, currency: currency), prepayBody: row.text(),
      nextQuestionAt: Timestamp(milliseconds: 0))
    order.state = try state(&row)
    let handle = row.optionalText()
    let issuedAt = row.optionalTimestamp()
    if let handle, let issuedAt { order.handle = WeChatPayOrder.Handle(handle, issuedAt: issuedAt) }
    order.transaction = row.optionalIdentifier()
    order.nextQuestionAt = row.optionalTimestamp()
    order.questions = row.int()
    return order
  }

  private static func state(_ row: inout Columns) throws -> WeChatPayOrderState {
    let name = row.text()
    let reason = row.optionalText()
    switch (name, reason.map { CloseReason(rawValue: $0) }) {
    case ("preparing", nil): return .preparing
    case ("unknown", nil): return .unknown
    case ("prepared", nil): return .prepared
    case ("closing", .some(let reason?)): return .closing(reason)
    case ("closed", nil): return .closed
    case ("paid", nil): return .paid
    default: throw row.damage("a state that fits its particulars")
    }
  }
}
