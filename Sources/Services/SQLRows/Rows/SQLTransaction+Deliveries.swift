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
    var start: Int64?
    if let after = query.after {
      start = try first(
        DeliverySQL.place,
        {
          $0.add(after)
          $0.add(query.appEnvironment)
        }, { $0.integer() })
      if start == nil { return [] }
    }
    return try all(
      DeliverySQL.list(query.selection),
      {
        $0.add(query.appEnvironment)
        $0.add(start ?? 0)
        $0.add(query.upTo)
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
  static let place = SQL("SELECT id FROM deliveries WHERE id = \(number) AND app = ? AND environment = ?")

  /// The list for a page, after a delivery's number and up to another.
  static func list(_ selection: DeliveryQuery.Selection) -> SQL {
    switch selection {
    case .all: listed
    case .pending: listedPending
    case .parked: listedParked
    case .acknowledged: listedAcknowledged
    }
  }

  private static let listed = page("deliveries_in_order", "", by: "d.id")
  private static let listedAcknowledged = page("deliveries_in_order", "AND d.state = 'acknowledged'", by: "d.id")
  // Few are pending or parked: their index finds them, and not the walk through all in their order.
  private static let listedPending = page("deliveries_ready", "AND d.state = 'pending'", by: "d.id + 0")
  private static let listedParked = page("deliveries_parked", "AND d.state = 'parked'", by: "d.id + 0")

  private static func page(_ index: String, _ state: String, by number: String) -> SQL {
    SQL(
      """
      SELECT \(DeliveryRow.columns) FROM \(DeliveryRow.source(index))
      WHERE d.app = ? AND d.environment = ? \(state) AND \(number) > ? AND \(number) <= ?
      ORDER BY \(number) LIMIT ?
      """)
  }

  static let all = [
    byIdentifier, ofPayment, due, nextTime, pending, parked, place,
    listed, listedPending, listedParked, listedAcknowledged, DeliveryRow.insert, DeliveryRow.update,
  ]
}
