import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func orderWithPayment(
    _ id: OrderIdentifier, of app: AppIdentifier, in environments: [StoreEnvironment], user: UserIdentifier?
  ) throws -> OrderWithPayment? {
    guard let last = environments.last else { return nil }
    let orders = try all(
      OrderWithPaymentSQL.orders,
      {
        $0.add(app)
        $0.add(id)
        for position in 0..<OrderWithPaymentSQL.environmentsMax {
          $0.add((position < environments.count ? environments[position] : last).rawValue)
        }
      }, OrderRow.read
    ).filter { user == nil || $0.user == user }
    let order = environments.lazy.compactMap { environment in
      orders.first { $0.key.appEnvironment.environment == environment }
    }.first
    guard let order else { return nil }
    guard let key = order.state.payment else { return OrderWithPayment(order, payment: nil, deliveries: []) }
    let rows = try all(
      OrderWithPaymentSQL.payment,
      {
        $0.add(order.key.id)
        $0.add(key)
      }, Self.readPaymentWithDelivery)
    return OrderWithPayment(order, payment: rows.first?.payment, deliveries: rows.compactMap(\.delivery))
  }

  /// A row for each delivery, each with the payment; one row if there is no delivery.
  private static func readPaymentWithDelivery(
    _ row: inout Columns
  ) throws -> (payment: Payment, delivery: Delivery?) {
    let payment = try PaymentRow.readWithKey(&row)
    guard row.flag() else { return (payment, nil) }
    return (payment, try DeliveryRow.read(&row))
  }
}

enum OrderWithPaymentSQL {
  /// A statement has a fixed number of parameters; with fewer environments the last one is repeated.
  static let environmentsMax = StoreEnvironment.allCases.count

  static let orders = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source())
    WHERE o.app = ? AND o.order_id = ?
      AND o.environment IN (\(Array(repeating: "?", count: environmentsMax).joined(separator: ", ")))
    """)
  static let payment = SQL(
    """
    SELECT \(PaymentRow.keyColumns), \(PaymentRow.columns), d.payment IS NOT NULL, \(DeliveryRow.columns)
    FROM payment_keys AS k \(.joinNext) payments AS p ON p.id = k.id
    LEFT JOIN deliveries AS d ON d.payment = p.id AND d.order_id = ?
    WHERE k.app = ? AND k.store = ? AND k.environment = ? AND k.transaction_id = ?
    ORDER BY d.sequence
    """)

  static let all = [orders, payment]
}
