import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func foresee(_ order: OrderKey) -> Bool {
    guard connection.asksTogether, failure == nil, known.order(order) == nil else { return false }
    // The answer is not read here. If it is not there yet, the closure runs again.
    try? connection.rows(OrderSQL.byKey, { $0.add(order) }, { _ in false })
    return true
  }

  func order(_ key: OrderKey) throws -> Order? {
    if let known = try knownOrder(key) { return known }
    let order = try first(OrderSQL.byKey, { $0.add(key) }, OrderRow.read)
    if let order { note(order) }
    return order
  }

  func order(referenceFromBackend text: String, in appEnvironment: AppEnvironment) throws -> Order? {
    try first(
      OrderSQL.byBackendReference,
      {
        $0.add(appEnvironment)
        $0.add(text)
      }, OrderRow.read)
  }

  func order(
    referenceFromApp text: String, of user: UserIdentifier, in appEnvironment: AppEnvironment
  ) throws -> Order? {
    try first(
      OrderSQL.byAppReference,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(text)
      }, OrderRow.read)
  }

  func order(idempotencyKey key: String, of caller: String, in appEnvironment: AppEnvironment) throws -> Order? {
    try first(
      OrderSQL.byIdempotencyKey,
      {
        $0.add(appEnvironment)
        $0.add(caller)
        $0.add(key)
      }, OrderRow.read)
  }

  func orders(_ query: OrderQuery) throws -> [Order] {
    try all(
      OrderSQL.list(ofUser: query.user != nil, openOnly: query.openOnly, before: query.before != nil),
      {
        $0.add(query.appEnvironment)
        if let user = query.user { $0.add(user) }
        if let before = query.before {
          $0.add(before.createdAt)
          $0.add(before.id)
        }
        $0.add(max(0, query.limit))
      }, OrderRow.read)
  }

  func unpaidOrders(
    of user: UserIdentifier, for product: ProductIdentifier, at store: Store,
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [Order] {
    try all(
      OrderSQL.unpaid,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(product)
        $0.add(store.rawValue)
        $0.add(range.lowerBound)
        $0.add(range.upperBound)
        $0.add(DatabaseLimits.ordersPerUser)
      }, OrderRow.read)
  }

  func openOrders(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Order] {
    try all(
      OrderSQL.open,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(DatabaseLimits.ordersPerUser)
      }, OrderRow.read)
  }

  func ordersToExpire(at now: Timestamp, limit: Int) throws -> [Order] {
    try all(
      OrderSQL.toExpire,
      {
        $0.add(now)
        $0.add(max(0, limit))
      }, OrderRow.read)
  }

  func orders(after key: OrderKey?, limit: Int) throws -> [Order] {
    try all(
      key == nil ? OrderSQL.fromStart : OrderSQL.afterKey,
      {
        if let key { $0.add(key) }
        $0.add(max(0, limit))
      }, OrderRow.read)
  }

  // MARK: Writes

  func insert(_ order: Order) throws {
    let derivedPayment = try identifierForWriting(ofOptional: order.derivation?.payment)
    let paidBy = try identifierForWriting(ofOptional: order.state.payment)
    try write(OrderRow.insert) {
      OrderRow.bindPromise(order, derivedPayment: derivedPayment, &$0)
      OrderRow.bindPresent(order, paidBy: paidBy, &$0)
    }
    note(order)
  }

  func update(_ order: Order) throws {
    let isSame =
      try isKnownToPromiseTheSame(as: order)
      ?? self.order(order.key)?.promisesTheSame(as: order) ?? false
    guard isSame else {
      throw inconsistent("An order to be updated is missing or promised something else.")
    }
    let paidBy = try identifierForWriting(ofOptional: order.state.payment)
    try write(OrderRow.update) {
      OrderRow.bindPresent(order, paidBy: paidBy, &$0)
      $0.add(order.key)
    }
    note(order)
  }

  func move(_ order: Order, to user: UserIdentifier, keepsReference: Bool) throws {
    let moved = order.moved(to: user, keepsReference: keepsReference)
    try write(OrderSQL.move) {
      $0.add(user)
      $0.add(moved.reference?.text)
      $0.add(moved.reference?.origin.rawValue)
      $0.add(order.key)
      $0.add(order.user)
    }
    try requireOneRowChanged("An order to be moved is missing or another user's.")
    note(moved)
  }
}

/// The queries for orders.
enum OrderSQL {
  static let byKey = one("o.app = ? AND o.environment = ? AND o.order_id = ?")
  static let byBackendReference = one(
    "o.app = ? AND o.environment = ? AND o.reference = ? AND o.reference_from = 'backend'")
  static let byAppReference = one(
    "o.app = ? AND o.environment = ? AND o.user_id = ? AND o.reference = ? AND o.reference_from = 'app'")
  static let byIdempotencyKey = one(
    "o.app = ? AND o.environment = ? AND o.idempotency_caller = ? AND o.idempotency_key = ?")

  static let unpaid = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source("orders_unpaid"))
    WHERE o.state <> 'paid' AND o.state IN ('awaitingPayment', 'closed')
      AND o.app = ? AND o.environment = ? AND o.user_id = ? AND o.product = ? AND o.store = ?
      AND o.created_at BETWEEN ? AND ?
    ORDER BY o.created_at, o.order_id LIMIT ?
    """)
  static let open = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source("orders_unpaid"))
    WHERE o.state <> 'paid' AND o.state = 'awaitingPayment'
      AND o.app = ? AND o.environment = ? AND o.user_id = ?
    ORDER BY o.created_at, o.order_id LIMIT ?
    """)
  static let toExpire = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source("orders_to_expire"))
    WHERE o.state = 'awaitingPayment' AND o.store = 'appStore' AND o.expires_at <= ?
    ORDER BY o.expires_at, o.app, o.environment, o.order_id LIMIT ?
    """)
  static let fromStart = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source())
    ORDER BY o.app, o.environment, o.order_id LIMIT ?
    """)
  static let afterKey = SQL(
    """
    SELECT \(OrderRow.columns) FROM \(OrderRow.source())
    WHERE (o.app, o.environment, o.order_id) > (?, ?, ?)
    ORDER BY o.app, o.environment, o.order_id LIMIT ?
    """)

  static let move = SQL(
    """
    UPDATE orders SET user_id = ?, reference = ?, reference_from = ?
    WHERE app = ? AND environment = ? AND order_id = ? AND user_id = ?
    """)

  private static func one(_ condition: String) -> SQL {
    SQL("SELECT \(OrderRow.columns) FROM \(OrderRow.source()) WHERE \(condition)")
  }

  /// The list for a page, by its filters.
  static func list(ofUser: Bool, openOnly: Bool, before: Bool) -> SQL {
    lists[(ofUser ? 4 : 0) + (openOnly ? 2 : 0) + (before ? 1 : 0)]
  }

  private static let lists = (0..<8).map { choice in
    var conditions: SQLText = "\(listed: "o")"
    if choice & 4 != 0 { conditions = "\(conditions) AND o.user_id = ?" }
    if choice & 2 != 0 { conditions = "\(conditions) AND o.state = 'awaitingPayment'" }
    if choice & 1 != 0 { conditions = "\(conditions) AND (o.created_at, o.order_id) < (?, ?)" }
    // Both lists are in index order; for a user's open orders the planner would otherwise sort.
    let index = choice & 4 != 0 ? "orders_of_user" : "orders_by_time"
    return SQL(
      """
      SELECT \(OrderRow.columns) FROM \(OrderRow.source(index))
      WHERE \(conditions) ORDER BY o.created_at DESC, o.order_id DESC LIMIT ?
      """)
  }

  static let all =
    [
      byKey, byBackendReference, byAppReference, byIdempotencyKey, unpaid, open, toExpire, fromStart,
      afterKey, move, OrderRow.insert, OrderRow.update,
    ] + lists
}
