import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The row of a delivery in the table `deliveries`.
enum DeliveryRow {
  /// The columns to read, from `deliveries AS d`; the payment's key comes from `payment_keys AS k`.
  static let columns = """
    d.delivery_id, \(PaymentRow.keyColumns), d.order_id, d.kind, d.sequence, d.body, d.created_at,
    d.state, d.state_at, d.attempts, d.next_attempt_at, d.lease_until, d.lease_fence, d.last_problem
    """

  /// The tables to read from; a hint may name an index.
  static func source(_ index: String? = nil) -> SQLText {
    "deliveries AS d \(hint: index) JOIN payment_keys AS k ON k.id = d.payment"
  }

  static let insert = SQL(
    """
    INSERT INTO deliveries (
      state, state_at, attempts, next_attempt_at, lease_until, lease_fence, last_problem,
      delivery_id, payment, order_id, kind, sequence, body, created_at, app, environment)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)

  /// Changes the mutable columns, if the row has the same fixed ones.
  static let update = SQL(
    """
    UPDATE deliveries SET
      state = ?, state_at = ?, attempts = ?, next_attempt_at = ?, lease_until = ?, lease_fence = ?,
      last_problem = ?
    WHERE delivery_id = ? AND payment = ? AND order_id \(.isSame) ? AND kind = ? AND sequence = ?
      AND body = ? AND created_at = ?
    """)

  /// All columns except the app environment, in the order of `insert` and `update`.
  static func bind(_ delivery: Delivery, payment: Int64, _ row: inout Parameters) {
    switch delivery.state {
    case .pending:
      row.add("pending")
      row.addNull()
    case .acknowledged(let moment):
      row.add("acknowledged")
      row.add(moment)
    case .parked(let moment):
      row.add("parked")
      row.add(moment)
    }
    row.add(delivery.attempts)
    row.add(delivery.nextAttemptAt)
    row.add(delivery.lease?.until)
    row.add(delivery.lease?.fence)
    row.add(delivery.lastProblem)
    row.add(delivery.id)
    row.add(payment)
    row.add(delivery.order)
    row.add(delivery.kind.rawValue)
    row.add(delivery.sequence)
    row.add(delivery.body)
    row.add(delivery.createdAt)
  }

  static func read(_ row: inout Columns) throws -> Delivery {
    let id: DeliveryIdentifier = row.identifier()
    let payment = try row.paymentKey()
    let order = try row.optionalOrderIdentifier()
    let kind: Delivery.Kind = try row.rawValue()
    let sequence = row.int()
    let body = row.text()
    var delivery = Delivery(
      id: id, payment: payment, order: order, kind: kind, sequence: sequence, body: body,
      createdAt: row.timestamp())
    delivery.state = try state(&row)
    delivery.attempts = row.int()
    delivery.nextAttemptAt = row.timestamp()
    let until = row.optionalTimestamp()
    let fence = row.optionalInteger()
    if let until, let fence { delivery.lease = Lease(until: until, fence: fence) }
    delivery.lastProblem = row.optionalText()
    return delivery
  }

  static func state(_ row: inout Columns) throws -> Delivery.State {
    let name = row.text()
    switch (name, row.optionalTimestamp()) {
    case ("pending", nil): return .pending
    case ("acknowledged", let moment?): return .acknowledged(at: moment)
    case ("parked", let moment?): return .parked(at: moment)
    default: throw row.damage("a state that fits its moment")
    }
  }
}
