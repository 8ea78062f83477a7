import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Subscriptions, and shared entitlements.
extension SQLTransaction {
  func subscription(_ key: PaymentKey) throws -> Subscription? {
    guard let identifier = try identifier(of: key) else { return nil }
    return try first(SubscriptionSQL.byKey, { $0.add(identifier) }) { try SubscriptionRow.read(key, &$0) }
  }

  func subscriptionsToAsk(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Subscription] {
    try all(
      SubscriptionSQL.toAsk,
      {
        $0.add(appEnvironment)
        $0.add(now)
        $0.add(max(0, limit))
      },
      { row in
        let key = try row.paymentKey()
        return try SubscriptionRow.read(key, &row)
      })
  }

  func put(_ subscription: Subscription) throws {
    let identifier = try identifierForWriting(of: subscription.key)
    try write(SubscriptionSQL.put) {
      $0.add(identifier)
      $0.add(subscription.key.appEnvironment)
      SubscriptionRow.bind(subscription, &$0)
    }
  }

  func sharedEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [PaymentKey] {
    try all(
      SubscriptionSQL.shared,
      {
        $0.add(appEnvironment)
        $0.add(user)
      }, { try $0.paymentKey() })
  }

  func countOfShares(of original: PaymentKey) throws -> Int {
    guard let identifier = try identifier(of: original) else { return 0 }
    return try first(SubscriptionSQL.countShares, { $0.add(identifier) }, { $0.int() }) ?? 0
  }

  func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws {
    let identifier = try identifierForWriting(of: original)
    try write(SubscriptionSQL.share) {
      $0.add(original.appEnvironment)
      $0.add(user)
      $0.add(identifier)
      $0.add(moment)
    }
  }
}

/// The row of a subscription in the table `lines`.
enum SubscriptionRow {
  /// The store's statement about the renewal, from `lines AS l`.
  static let renewalColumns = """
    l.renewal_signed_at, l.renews, l.renews_to, l.expiration, l.in_billing_retry, l.grace_until, l.renewal_date,
    l.price_increase, l.renewal_price_milliunits, l.renewal_price_currency
    """

  /// The columns to read, from `lines AS l`, after the key.
  static let columns =
    "l.claimant, l.transferred_to, l.transferred_at, l.period_end, l.ask_at, " + renewalColumns

  /// All columns except the key, in the order of `SubscriptionSQL.put`.
  static func bind(_ subscription: Subscription, _ row: inout Parameters) {
    row.add(subscription.claimant)
    row.add(subscription.transfer?.user)
    row.add(subscription.transfer?.at)
    row.add(subscription.periodEnd)
    row.add(subscription.askAt)
    let renewal = subscription.renewal
    row.add(renewal?.signedDate)
    row.add(renewal.map { $0.willRenew ? Int64(1) : 0 })
    row.add(renewal?.renewsTo)
    row.add(renewal?.expiration?.rawValue)
    row.add(renewal.map { $0.isInBillingRetry ? Int64(1) : 0 })
    row.add(renewal?.gracePeriodExpiresDate)
    row.add(renewal?.renewalDate)
    row.add(renewal?.priceIncrease?.rawValue)
    row.add(renewal?.renewalPrice?.milliunits)
    row.add(renewal?.renewalPrice?.currency)
  }

  static func read(_ key: PaymentKey, _ row: inout Columns) throws -> Subscription {
    var subscription = Subscription(key: key, claimant: row.optionalIdentifier())
    let user: UserIdentifier? = row.optionalIdentifier()
    let at = row.optionalTimestamp()
    if let user, let at { subscription.transfer = Subscription.Transfer(to: user, at: at) }
    subscription.periodEnd = row.optionalTimestamp()
    subscription.askAt = row.optionalTimestamp()
    subscription.renewal = try renewal(of: key, &row)
    return subscription
  }

  /// Reads `renewalColumns`; nil if the store has stated nothing, or if there is no row.
  static func renewal(of key: PaymentKey, _ row: inout Columns) throws -> VerifiedRenewal? {
    let signedDate = row.optionalTimestamp()
    let renews = row.optionalInteger()
    let renewsTo: StoreProductIdentifier? = row.optionalIdentifier()
    let expiration: VerifiedRenewal.Expiration? = try row.optionalRawValue()
    let isInBillingRetry = row.optionalInteger()
    let grace = row.optionalTimestamp()
    let renewalDate = row.optionalTimestamp()
    let priceIncrease: VerifiedRenewal.PriceIncrease? = try row.optionalRawValue()
    let milliunits = row.optionalInteger()
    let currency = row.optionalText()
    guard let signedDate else { return nil }
    var renewal = VerifiedRenewal(subscription: key, signedDate: signedDate, willRenew: renews == 1)
    renewal.renewsTo = renewsTo
    renewal.expiration = expiration
    renewal.isInBillingRetry = isInBillingRetry == 1
    renewal.gracePeriodExpiresDate = grace
    renewal.renewalDate = renewalDate
    renewal.priceIncrease = priceIncrease
    if let milliunits, let currency {
      renewal.renewalPrice = StatedPrice(milliunits: milliunits, currency: currency)
    }
    return renewal
  }
}

/// The statements for subscriptions and shared entitlements.
enum SubscriptionSQL {
  static let byKey = SQL("SELECT \(SubscriptionRow.columns) FROM lines AS l WHERE l.id = ?")
  static let toAsk = SQL(
    """
    SELECT \(PaymentRow.keyColumns), \(SubscriptionRow.columns)
    FROM lines AS l \(hint: "lines_to_ask") JOIN payment_keys AS k ON k.id = l.id
    WHERE l.ask_at IS NOT NULL AND l.app = ? AND l.environment = ? AND l.ask_at <= ?
    ORDER BY l.ask_at, k.store, k.transaction_id LIMIT ?
    """)
  static let put = SQL(
    """
    INSERT INTO lines (
      id, app, environment, claimant, transferred_to, transferred_at, period_end, ask_at, renewal_signed_at, renews,
      renews_to, expiration, in_billing_retry, grace_until, renewal_date, price_increase, renewal_price_milliunits,
      renewal_price_currency)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      claimant = excluded.claimant, transferred_to = excluded.transferred_to,
      transferred_at = excluded.transferred_at, period_end = excluded.period_end, ask_at = excluded.ask_at,
      renewal_signed_at = excluded.renewal_signed_at, renews = excluded.renews, renews_to = excluded.renews_to,
      expiration = excluded.expiration, in_billing_retry = excluded.in_billing_retry,
      grace_until = excluded.grace_until, renewal_date = excluded.renewal_date,
      price_increase = excluded.price_increase, renewal_price_milliunits = excluded.renewal_price_milliunits,
      renewal_price_currency = excluded.renewal_price_currency
    """)
  static let shared = SQL(
    """
    SELECT \(PaymentRow.keyColumns) FROM shared_rights AS s JOIN payment_keys AS k ON k.id = s.original
    WHERE s.app = ? AND s.environment = ? AND s.user_id = ? ORDER BY k.store, k.transaction_id
    """)
  static let countShares = SQL("SELECT count(*) FROM shared_rights \(hint: "shared_rights_of") WHERE original = ?")
  static let share = SQL(
    """
    INSERT INTO shared_rights (app, environment, user_id, original, since) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)

  static let all = [byKey, toAsk, put, shared, countShares, share]
}
