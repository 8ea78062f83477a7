import PaymentDatabase
import PaymentModel
import PaymentPrimitives

// What an operator searches for.
extension SQLTransaction {
  func orders(referenceFromApp text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Order] {
    try all(
      SearchSQL.ordersByAppReference, { Self.bind(text, in: appEnvironment, limit: limit, to: &$0) }, OrderRow.read)
  }

  func orderIdentifiers(
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [OrderIdentifier] {
    try all(
      SearchSQL.orderIdentifiers,
      {
        $0.add(appEnvironment)
        $0.add(range.lowerBound)
        $0.add(range.upperBound)
        $0.add(max(0, limit))
      }, { try $0.orderIdentifier() })
  }

  func payments(ofLineItem item: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try all(
      SearchSQL.paymentsByLineItem, { Self.bind(item, in: appEnvironment, limit: limit, to: &$0) },
      PaymentRow.readWithKey)
  }

  func payments(
    withUnmatchedToken token: OrderIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try all(
      SearchSQL.paymentsByUnmatchedToken,
      {
        $0.add(appEnvironment)
        $0.add(token)
        $0.add(max(0, limit))
      }, PaymentRow.readWithKey)
  }

  func payments(grantedTo user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try all(
      SearchSQL.paymentsGranted, { Self.bind(user.text, in: appEnvironment, limit: limit, to: &$0) },
      PaymentRow.readWithKey)
  }

  func refunds(storeNumber text: String, in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund] {
    try all(
      SearchSQL.refundsByStoreNumber, { Self.bind(text, in: appEnvironment, limit: limit, to: &$0) }, RefundSQL.read)
  }

  private static func bind(_ text: String, in appEnvironment: AppEnvironment, limit: Int, to row: inout Parameters) {
    row.add(appEnvironment)
    row.add(text)
    row.add(max(0, limit))
  }
}

enum SearchSQL {
  private static let paymentWithKey = "\(PaymentRow.keyColumns), \(PaymentRow.columns)"

  static let ordersByAppReference = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source("orders_by_app_reference"))
    WHERE o.app = ? AND o.environment = ? AND o.reference = ? AND o.reference_from = 'app'
    ORDER BY o.created_at DESC, o.order_id DESC LIMIT ?
    """)
  /// Only the index is read: it contains the ids.
  static let orderIdentifiers = SQL(
    """
    SELECT o.order_id FROM orders AS o \(hint: "orders_by_time")
    WHERE \(listed: "o") AND o.created_at BETWEEN ? AND ?
    ORDER BY o.created_at DESC, o.order_id DESC LIMIT ?
    """)
  static let paymentsByLineItem = SQL(
    """
    SELECT \(paymentWithKey) FROM payments AS p \(hint: "payments_by_line_item")
    JOIN payment_keys AS k ON k.id = p.id
    WHERE p.app = ? AND p.environment = ? AND p.web_order_line_item = ?
    ORDER BY p.purchase_date, k.transaction_id, k.store LIMIT ?
    """)
  static let paymentsByUnmatchedToken = SQL(
    """
    SELECT \(paymentWithKey) FROM payments AS p \(hint: "payments_unmatched_token")
    JOIN payment_keys AS k ON k.id = p.id
    WHERE p.app = ? AND p.environment = ? AND p.token = ? AND p.order_id IS NULL AND p.state <> 'fulfilled'
    ORDER BY p.first_seen_at, k.store, k.transaction_id LIMIT ?
    """)
  static let paymentsGranted = SQL(
    """
    SELECT \(paymentWithKey) FROM grants AS g \(hint: "grants_of_user")
    \(.joinNext) payments AS p ON p.id = g.payment JOIN payment_keys AS k ON k.id = p.id
    WHERE g.app = ? AND g.environment = ? AND g.user_id = ?
    ORDER BY g.granted_at DESC, k.store DESC, k.transaction_id DESC LIMIT ?
    """)
  static let refundsByStoreNumber = RefundSQL.select(
    "refunds_by_store_number",
    "WHERE r.app = ? AND r.environment = ? AND r.store_number = ? ORDER BY r.number LIMIT ?")

  static let all = [
    ordersByAppReference, orderIdentifiers, paymentsByLineItem, paymentsByUnmatchedToken, paymentsGranted,
    refundsByStoreNumber,
  ]
}
