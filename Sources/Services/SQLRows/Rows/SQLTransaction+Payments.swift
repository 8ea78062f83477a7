import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  // MARK: Queries

  func payment(_ key: PaymentKey) throws -> Payment? {
    guard let identifier = try identifier(of: key) else { return nil }
    return try first(PaymentSQL.byKey, { $0.add(identifier) }, { try PaymentRow.read(key, &$0) })
  }

  func payments(ofOriginal original: PaymentKey) throws -> [Payment] {
    guard let identifier = try identifier(of: original) else { return [] }
    return try all(
      PaymentSQL.ofOriginal,
      {
        $0.add(identifier)
        $0.add(identifier)
        $0.add(identifier)
        $0.add(DatabaseLimits.paymentsPerSubscription)
      }, PaymentRow.readWithKey)
  }

  func payment(paying order: OrderKey) throws -> Payment? {
    try first(PaymentSQL.ofOrder, { $0.add(order) }, PaymentRow.readWithKey)
  }

  func payments(
    inState name: String, firstSeenBefore moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    // The index omits fulfilled payments, which are nearly all.
    try all(
      name == PaymentState.fulfilled.name ? PaymentSQL.fulfilled : PaymentSQL.waiting,
      {
        $0.add(appEnvironment)
        $0.add(name)
        $0.add(moment)
        $0.add(max(0, limit))
      }, PaymentRow.readWithKey)
  }

  func paymentsWithDisagreeingIds(in appEnvironment: AppEnvironment, limit: Int) throws -> [Payment] {
    try all(
      PaymentSQL.inDoubt,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      }, PaymentRow.readWithKey)
  }

  func payments(after key: PaymentKey?, limit: Int) throws -> [Payment] {
    try all(
      key == nil ? PaymentSQL.fromStart : PaymentSQL.afterKey,
      {
        if let key { $0.add(key) }
        $0.add(max(0, limit))
      }, PaymentRow.readWithKey)
  }

  func charges(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, transaction: TransactionIdentifier)?,
    in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Payment] {
    try all(
      last == nil ? PaymentSQL.charged : PaymentSQL.chargedAfter,
      {
        $0.add(appEnvironment)
        $0.add(max(last?.date ?? range.lowerBound, range.lowerBound))
        $0.add(range.upperBound)
        if let last {
          $0.add(last.date)
          $0.add(last.transaction)
        }
        $0.add(max(0, limit))
      }, PaymentRow.readWithKey)
  }

  // MARK: Writes

  func insert(_ payment: Payment) throws {
    let identifier = try identifierForWriting(of: payment.key)
    let original = try original(of: payment)
    try write(PaymentRow.insert) {
      PaymentRow.bind(payment, original: original, &$0)
      $0.add(identifier)
      $0.add(payment.key.appEnvironment)
    }
  }

  func update(_ payment: Payment) throws {
    let identifier = try identifierForWriting(of: payment.key)
    let original = try original(of: payment)
    try write(PaymentRow.update) {
      PaymentRow.bind(payment, original: original, &$0)
      $0.add(identifier)
    }
    try requireOneRowChanged("A payment to be updated is missing.")
  }

  /// The number of the first payment of its subscription, which may be the payment itself, and may be unknown here.
  private func original(of payment: Payment) throws -> Int64 {
    let key = payment.key
    return try identifierForWriting(
      of: PaymentKey(
        app: key.app, store: key.store, environment: key.environment,
        transaction: payment.facts.originalTransaction))
  }
}

enum PaymentSQL {
  private static let withKey = "\(PaymentRow.keyColumns), \(PaymentRow.columns)"

  static let byKey = SQL("SELECT \(PaymentRow.columns) FROM payments AS p WHERE p.id = ?")
  /// The original by its own number, all later ones by the index that omits the original.
  static let ofOriginal = SQL(
    """
    SELECT \(withKey) FROM payments AS p JOIN payment_keys AS k ON k.id = p.id
    WHERE p.id IN (
      SELECT id FROM payments WHERE id = ? AND original = ?
      UNION ALL SELECT id FROM payments WHERE original = ? AND original <> id)
    ORDER BY p.purchase_date, k.transaction_id LIMIT ?
    """)
  static let ofOrder = SQL(
    """
    SELECT \(withKey) FROM payments AS p \(hint: "payments_of_order")
    JOIN payment_keys AS k ON k.id = p.id
    WHERE p.app = ? AND p.environment = ? AND p.order_id = ?
    """)
  static let waiting = SQL(inState("payments_waiting", "p.state <> 'fulfilled' AND"))
  static let fulfilled = SQL(inState(nil, ""))
  static let inDoubt = SQL(
    """
    SELECT \(withKey) FROM payments AS p \(hint: "payments_in_doubt") JOIN payment_keys AS k ON k.id = p.id
    WHERE p.app = ? AND p.environment = ? AND p.ids_disagree_since IS NOT NULL
    ORDER BY p.ids_disagree_since, k.app, k.store, k.environment, k.transaction_id LIMIT ?
    """)
  static let charged = SQL(charges(""))
  static let chargedAfter = SQL(charges("AND (p.purchase_date, k.transaction_id) > (?, ?)"))
  static let fromStart = SQL(
    """
    SELECT \(withKey) FROM payment_keys AS k \(.joinNext) payments AS p ON p.id = k.id
    ORDER BY k.app, k.store, k.environment, k.transaction_id LIMIT ?
    """)
  static let afterKey = SQL(
    """
    SELECT \(withKey) FROM payment_keys AS k \(.joinNext) payments AS p ON p.id = k.id
    WHERE (k.app, k.store, k.environment, k.transaction_id) > (?, ?, ?, ?)
    ORDER BY k.app, k.store, k.environment, k.transaction_id LIMIT ?
    """)

  private static func charges(_ condition: String) -> SQLText {
    """
    SELECT \(withKey) FROM payments AS p \(hint: "payments_charged") JOIN payment_keys AS k ON k.id = p.id
    WHERE p.merchant IS NOT NULL AND p.app = ? AND p.environment = ?
      AND p.purchase_date >= ? AND p.purchase_date < ? \(condition)
    ORDER BY p.purchase_date, k.transaction_id, k.store LIMIT ?
    """
  }

  private static func inState(_ index: String?, _ condition: String) -> SQLText {
    """
    SELECT \(withKey) FROM payments AS p \(hint: index) JOIN payment_keys AS k ON k.id = p.id
    WHERE \(condition) p.app = ? AND p.environment = ? AND p.state = ? AND p.first_seen_at < ?
    ORDER BY p.first_seen_at, k.store, k.transaction_id LIMIT ?
    """
  }

  static let all = [
    byKey, ofOriginal, ofOrder, waiting, fulfilled, inDoubt, charged, chargedAfter, fromStart, afterKey,
    PaymentRow.insert, PaymentRow.update,
  ]
}
