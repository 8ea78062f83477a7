import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Duplicate ids of payments, with the store's statement under each.
extension SQLTransaction {
  func duplicate(_ key: PaymentKey) throws -> DuplicateTransaction? {
    guard let identifier = try identifier(of: key) else { return nil }
    return try first(DuplicateSQL.byKey, { $0.add(identifier) }, DuplicateSQL.read)
  }

  func duplicates(ofOriginal original: PaymentKey) throws -> [DuplicateTransaction] {
    guard let identifier = try identifier(of: original) else { return [] }
    return try all(
      DuplicateSQL.ofOriginal,
      {
        $0.add(identifier)
        $0.add(DatabaseLimits.paymentsPerSubscription)
      }, DuplicateSQL.read)
  }

  func insert(_ duplicate: DuplicateTransaction) throws {
    let identifier = try identifierForWriting(of: duplicate.key)
    let payment = try identifierForWriting(of: duplicate.of)
    let original = try identifierForWriting(of: duplicate.original)
    try write(DuplicateSQL.insert) {
      DuplicateSQL.bind(duplicate, payment: payment, &$0)
      $0.add(duplicate.firstSeenAt)
      $0.add(original)
      $0.add(identifier)
    }
  }

  func update(_ duplicate: DuplicateTransaction) throws {
    let identifier = try identifierForWriting(of: duplicate.key)
    let payment = try identifierForWriting(of: duplicate.of)
    let original = try identifierForWriting(of: duplicate.original)
    try write(DuplicateSQL.update) {
      DuplicateSQL.bind(duplicate, payment: payment, &$0)
      $0.add(identifier)
      $0.add(original)
    }
    try requireOneRowChanged("A duplicate id to be updated is missing.")
  }

  func removeDuplicate(_ key: PaymentKey) throws {
    guard let identifier = try identifier(of: key) else { return }
    try write(DuplicateSQL.remove) { $0.add(identifier) }
  }
}

enum DuplicateSQL {
  private static let columns = """
    \(PaymentRow.keyColumns), o.app, o.store, o.environment, o.transaction_id,
    l.app, l.store, l.environment, l.transaction_id, e.first_seen_at, e.refund_reversed_at, e.refund_history,
    e.signed_date IS NOT NULL, l.transaction_id,
    e.web_order_line_item, e.store_product, e.kind, e.quantity, e.purchase_date,
    e.original_purchase_date, e.expires_date, e.signed_date, e.token, e.ownership, e.app_transaction,
    e.revocation_date, e.revocation_reason, e.revocation_type, e.revocation_percentage,
    e.price_milliunits, e.price_currency, e.is_renewal, e.is_upgraded, e.storefront, e.offer
    """
  private static let tables = """
    echoes AS e JOIN payment_keys AS k ON k.id = e.id JOIN payment_keys AS o ON o.id = e.payment
    JOIN payment_keys AS l ON l.id = e.line
    """

  static let byKey = SQL("SELECT \(columns) FROM \(tables) WHERE e.id = ?")
  static let ofOriginal = SQL(
    """
    SELECT \(columns) FROM \(tables) WHERE e.line = ?
    ORDER BY k.app, k.store, k.environment, k.transaction_id LIMIT ?
    """)
  static let insert = SQL(
    """
    INSERT INTO echoes (
      payment, refund_reversed_at, refund_history,
      web_order_line_item, store_product, kind, quantity, purchase_date, original_purchase_date,
      expires_date, signed_date, token, ownership, app_transaction, revocation_date, revocation_reason,
      revocation_type, revocation_percentage, price_milliunits, price_currency, is_renewal, is_upgraded,
      storefront, offer, first_seen_at, line, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let update = SQL(
    """
    UPDATE echoes SET
      payment = ?, refund_reversed_at = ?, refund_history = ?,
      web_order_line_item = ?, store_product = ?, kind = ?, quantity = ?, purchase_date = ?,
      original_purchase_date = ?, expires_date = ?, signed_date = ?, token = ?, ownership = ?,
      app_transaction = ?, revocation_date = ?, revocation_reason = ?, revocation_type = ?,
      revocation_percentage = ?, price_milliunits = ?, price_currency = ?, is_renewal = ?, is_upgraded = ?,
      storefront = ?, offer = ?
    WHERE id = ? AND line = ?
    """)
  static let remove = SQL("DELETE FROM echoes WHERE id = ?")

  static let all = [byKey, ofOriginal, insert, update, remove]

  /// The mutable columns of one, in the order of `insert` and `update`.
  static func bind(_ duplicate: DuplicateTransaction, payment: Int64, _ row: inout Parameters) {
    row.add(payment)
    row.add(duplicate.refundReversedAt)
    row.add(duplicate.refundHistory.text)
    if let facts = duplicate.facts {
      PaymentRow.bind(facts, &row)
    } else {
      for _ in 0..<PaymentRow.factCount { row.addNull() }
    }
  }

  static func read(_ row: inout Columns) throws -> DuplicateTransaction {
    let key = try row.paymentKey()
    let payment = try row.paymentKey()
    let original = try row.paymentKey()
    var duplicate = DuplicateTransaction(key: key, of: payment, original: original, firstSeenAt: row.timestamp())
    duplicate.refundReversedAt = row.optionalTimestamp()
    duplicate.refundHistory = try PaymentRow.refundHistory(&row)
    guard row.flag() else { return duplicate }
    duplicate.facts = try PaymentRow.facts(key, &row)
    return duplicate
  }
}
