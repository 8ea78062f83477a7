import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func delivery(_ id: DeliveryIdentifier) throws -> Delivery? {
    try first(DeliverySQL.byIdentifier, { $0.add(id) }, DeliveryRow.read)
  }

  func deliveries(of payment: PaymentKey) throws -> [Delivery] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(DeliverySQL.ofPayment, { $0.add(identifier) }, DeliveryRow.read)
  }

  func deliveries(_ query: DeliveryQuery) throws -> [Delivery] {
    var start: Timestamp?
    if let after = query.after {
      start = try first(
        DeliverySQL.place,
        {
          $0.add(after)
          $0.add(query.appEnvironment)
        }, { $0.timestamp() })
      if start == nil { return [] }
    }
    return try all(
      DeliverySQL.list(query.selection, isContinued: start != nil),
      {
        $0.add(query.appEnvironment)
        if let start, let after = query.after {
          $0.add(start)
          $0.add(start)
          $0.add(after)
        }
        $0.add(max(0, query.limit))
      }, DeliveryRow.read)
  }

  func dueDeliveries(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    try all(
      DeliverySQL.due,
      {
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(max(0, limit))
      }, DeliveryRow.read)
  }

  func nextDeliveryTime(in appEnvironment: AppEnvironment) throws -> Timestamp? {
    try first(DeliverySQL.nextTime, { $0.add(appEnvironment) }, { $0.timestamp() })
  }

  func deliveryBacklog(in appEnvironment: AppEnvironment) throws -> DeliveryBacklog {
    let pending = try first(
      DeliverySQL.pending, { $0.add(appEnvironment) }, { ($0.int(), $0.optionalTimestamp()) })
    let parked = try first(DeliverySQL.parked, { $0.add(appEnvironment) }, { $0.int() })
    return DeliveryBacklog(
      pending: pending?.0 ?? 0, parked: parked ?? 0, oldestPending: pending?.1)
  }

  // MARK: Writes

  func insert(_ delivery: Delivery) throws {
    let payment = try identifierForWriting(of: delivery.payment)
    try write(DeliveryRow.insert) {
      DeliveryRow.bind(delivery, payment: payment, &$0)
      $0.add(delivery.payment.appEnvironment)
    }
  }

  func update(_ delivery: Delivery) throws {
    let payment = try identifierForWriting(of: delivery.payment)
    try write(DeliveryRow.update) { DeliveryRow.bind(delivery, payment: payment, &$0) }
    try requireOneRowChanged("A delivery to be updated is missing or tells something else.")
  }
}

enum DeliverySQL {
  /// The block of a payment: 8192 payments in sequence share about one page of the index.
  private static func block(of payment: String) -> String { "\(payment) >> 13" }

  /// The row of an id, from the newest block of payments to the oldest: most queries are about recent deliveries.
  private static let number: SQLText = """
    (
      WITH RECURSIVE block (number) AS (
        SELECT \(Self.block(of: "max(payment)")) FROM deliveries
        UNION ALL SELECT number - 1 FROM block WHERE number > 0)
      SELECT found.id FROM block CROSS JOIN deliveries AS found \(hint: "deliveries_by_identifier")
      WHERE \(Self.block(of: "found.payment")) = block.number AND found.delivery_id = ? LIMIT 1)
    """
  static let byIdentifier = SQL(
    "SELECT \(DeliveryRow.columns) FROM \(DeliveryRow.source()) WHERE d.id = \(number)")
  static let ofPayment = SQL(
    """
    SELECT \(DeliveryRow.columns) FROM \(DeliveryRow.source())
    WHERE d.payment = ? ORDER BY d.sequence
    """)

  /// The condition that the backend has every earlier delivery of the payment.
  static let isNext = """
    NOT EXISTS (
      SELECT 1 FROM deliveries AS earlier
      WHERE earlier.payment = d.payment AND earlier.sequence < d.sequence
        AND earlier.state <> 'acknowledged')
    """
  static let due = SQL(
    """
    SELECT \(DeliveryRow.columns) FROM \(DeliveryRow.source("deliveries_ready"))
    WHERE d.state = 'pending' AND d.app = ? AND d.environment = ? AND d.ready_at <= ?
      AND \(isNext)
    ORDER BY d.ready_at, d.delivery_id LIMIT ?
    """)
  static let nextTime = SQL(
    """
    SELECT d.ready_at FROM deliveries AS d \(hint: "deliveries_ready")
    WHERE d.state = 'pending' AND d.app = ? AND d.environment = ? AND \(isNext)
    ORDER BY d.ready_at LIMIT 1
    """)
  static let pending = SQL(
    """
    SELECT count(*), min(created_at) FROM deliveries \(hint: "deliveries_ready")
    WHERE state = 'pending' AND app = ? AND environment = ?
    """)
  static let parked = SQL(
    """
    SELECT count(*) FROM deliveries \(hint: "deliveries_parked")
    WHERE state = 'parked' AND app = ? AND environment = ?
    """)
  static let place = SQL(
    "SELECT created_at FROM deliveries WHERE id = \(number) AND app = ? AND environment = ?")

  /// The list for a page, from the start or after a delivery.
  static func list(_ selection: DeliveryQuery.Selection, isContinued: Bool) -> SQL {
    switch selection {
    case .all: isContinued ? allAfter : allFromStart
    case .pending: isContinued ? pendingAfter : pendingFromStart
    case .parked: isContinued ? parkedAfter : parkedFromStart
    case .acknowledged: isContinued ? acknowledgedAfter : acknowledgedFromStart
    }
  }

  private static let allFromStart = page("deliveries_by_time", "", isContinued: false)
  private static let allAfter = page("deliveries_by_time", "", isContinued: true)
  private static let pendingFromStart = page("deliveries_ready", "AND d.state = 'pending'", isContinued: false)
  private static let pendingAfter = page("deliveries_ready", "AND d.state = 'pending'", isContinued: true)
  private static let parkedFromStart = page("deliveries_parked", "AND d.state = 'parked'", isContinued: false)
  private static let parkedAfter = page("deliveries_parked", "AND d.state = 'parked'", isContinued: true)
  private static let acknowledgedFromStart = page(
    "deliveries_by_time", "AND d.state = 'acknowledged'", isContinued: false)
  private static let acknowledgedAfter = page(
    "deliveries_by_time", "AND d.state = 'acknowledged'", isContinued: true)

  private static func page(_ index: String, _ state: String, isContinued: Bool) -> SQL {
    let after =
      isContinued ? "AND d.created_at >= ? AND (d.created_at > ? OR d.delivery_id > ?)" : ""
    return SQL(
      """
      SELECT \(DeliveryRow.columns) FROM \(DeliveryRow.source(index))
      WHERE d.app = ? AND d.environment = ? \(state) \(after)
      ORDER BY d.created_at, d.delivery_id LIMIT ?
      """)
  }

  static let all = [
    byIdentifier, ofPayment, due, nextTime, pending, parked, place,
    allFromStart, allAfter, pendingFromStart, pendingAfter, parkedFromStart, parkedAfter,
    acknowledgedFromStart, acknowledgedAfter, DeliveryRow.insert, DeliveryRow.update,
  ]
}
