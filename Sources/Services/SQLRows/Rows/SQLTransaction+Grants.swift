import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension SQLTransaction {
  func grant(_ payment: PaymentKey) throws -> Grant? {
    guard let identifier = try identifier(of: payment) else { return nil }
    return try first(GrantSQL.byPayment, { $0.add(identifier) }) { try GrantRow.read(payment, &$0) }
  }

  func changes(of payment: PaymentKey) throws -> [GrantChange] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(GrantSQL.changes, { $0.add(identifier) }) {
      GrantChange(
        payment: payment, kind: try $0.rawValue(), cause: $0.text(), amount: $0.integer(),
        at: $0.timestamp())
    }
  }

  func entitlementSources(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [EntitlementSource] {
    try all(
      GrantSQL.entitlementSources,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(DatabaseLimits.entitlementsPerUser)
      },
      { row in
        let key = try row.paymentKey()
        let grant = try GrantRow.read(key, &row)
        let kind: ProductKind = try row.rawValue()
        let original = PaymentKey(
          app: key.app, store: key.store, environment: key.environment, transaction: row.identifier())
        var source = EntitlementSource(
          grant, kind: kind, original: original.transaction, storeProduct: row.identifier())
        source.isUpgraded = row.flag()
        source.revocationType = row.optionalText()
        source.renewal = try SubscriptionRow.renewal(of: original, &row)
        return source
      })
  }

  func promisedProducts() throws -> [PromisedProduct] {
    try all(GrantSQL.products, { _ in }) {
      PromisedProduct(
        app: $0.identifier(), product: $0.identifier(), isStoreProduct: $0.flag(), kind: try $0.rawValue())
    }
  }

  func newestGrant(of product: PromisedProduct) throws -> Grant? {
    try first(
      GrantSQL.newest,
      {
        $0.add(product.app)
        $0.add(product.product)
        $0.add(product.isStoreProduct)
        $0.add(product.kind.rawValue)
      },
      { row in
        let key = try row.paymentKey()
        return try GrantRow.read(key, &row)
      })
  }

  func waitingSubscriptions() throws -> [WaitingSubscription] {
    try all(GrantSQL.waitingSubscriptions, { _ in }) {
      WaitingSubscription(app: $0.identifier(), storeProduct: $0.identifier())
    }
  }

  func grantsOfUnknownPromise(in appEnvironment: AppEnvironment, limit: Int) throws -> [Grant] {
    try all(
      GrantSQL.ofUnknownPromise,
      {
        $0.add(appEnvironment)
        $0.add(max(0, limit))
      },
      { row in
        let key = try row.paymentKey()
        return try GrantRow.read(key, &row)
      })
  }

  func insert(_ grant: Grant) throws {
    let identifier = try identifierForWriting(of: grant.payment)
    try write(GrantSQL.insert) {
      GrantRow.bind(grant, &$0)
      $0.add(identifier)
      $0.add(grant.payment.appEnvironment)
    }
    try write(GrantSQL.noteProduct) {
      $0.add(grant.payment.app)
      $0.add(grant.promise.product)
      $0.add(grant.promise.isStoreProduct)
      $0.add(grant.promise.kind.rawValue)
    }
  }

  func update(_ grant: Grant) throws {
    let identifier = try identifierForWriting(of: grant.payment)
    try write(GrantSQL.update) {
      GrantRow.bind(grant, &$0)
      $0.add(identifier)
    }
    try requireOneRowChanged("A grant to be updated is missing.")
  }

  func insert(_ change: GrantChange) throws {
    let identifier = try identifierForWriting(of: change.payment)
    try write(GrantSQL.insertChange) {
      $0.add(identifier)
      $0.add(change.kind.rawValue)
      $0.add(change.cause)
      $0.add(change.amount)
      $0.add(change.at)
    }
  }
}

/// The row of a grant in the table `grants`.
enum GrantRow {
  static let columns =
    """
    g.user_id, g.gives, g.gives_name, g.amount, g.starts_at, g.ends_at, g.granted_at, g.taken_back, g.debt, g.product,
    g.product_is_stores, g.product_kind, g.piece_gives, g.piece_name, g.piece_amount
    """

  /// All columns except the payment, in the order of `GrantSQL.insert` and `GrantSQL.update`.
  static func bind(_ grant: Grant, _ row: inout Parameters) {
    row.add(grant.user)
    switch grant.content {
    case .units(let unit, let amount):
      row.add("units")
      row.add(unit)
      row.add(amount)
      row.addNull()
      row.addNull()
    case .entitlement(let name, let from, let until):
      row.add("entitlement")
      row.add(name)
      row.addNull()
      row.add(from)
      row.add(until)
    }
    row.add(grant.grantedAt)
    row.add(grant.takenBack)
    row.add(grant.debt.storedWord)
    bind(grant.promise, &row)
  }

  private static func bind(_ promise: GrantPromise, _ row: inout Parameters) {
    row.add(promise.product)
    row.add(promise.isStoreProduct)
    row.add(promise.kind.rawValue)
    switch promise.rule {
    case .units(let unit, let perPiece):
      row.add("units")
      row.add(unit)
      row.add(perPiece)
    case .entitlement(let name, let period):
      row.add("entitlement")
      row.add(name)
      row.add(period?.milliseconds)
    case nil:
      row.addNull()
      row.addNull()
      row.addNull()
    }
  }

  static func read(_ payment: PaymentKey, _ row: inout Columns) throws -> Grant {
    let user: UserIdentifier = row.identifier()
    let kind = row.text()
    let name = row.text()
    let amount = row.optionalInteger()
    let from = row.optionalTimestamp()
    let until = row.optionalTimestamp()
    let content: GrantContent
    switch (kind, amount, from) {
    case ("units", let amount?, nil): content = .units(UnitName(name), amount: amount)
    case ("entitlement", nil, let from?):
      content = .entitlement(EntitlementName(name), from: from, until: until)
    default: throw row.damage("what fits the kind of grant")
    }
    let grantedAt = row.timestamp()
    let takenBack = row.integer()
    var grant = Grant(
      payment: payment, user: user, content: content, promise: try promise(&row), grantedAt: grantedAt)
    grant.takenBack = takenBack
    return grant
  }

  private static func promise(_ row: inout Columns) throws -> GrantPromise {
    let debt = try DebtPolicy(storedWord: row.optionalText(), row)
    let product: ProductIdentifier = row.identifier()
    let isStoreProduct = row.flag()
    let kind: ProductKind = try row.rawValue()
    let gives = row.optionalText()
    let name = row.optionalText()
    let amount = row.optionalInteger()
    let rule: GrantRule?
    switch (gives, name, amount) {
    case ("units", let name?, let amount?): rule = .units(UnitName(name), perPiece: amount)
    case ("entitlement", let name?, let amount):
      rule = .entitlement(EntitlementName(name), period: amount.map { TimeSpan(milliseconds: $0) })
    case (nil, nil, nil): rule = nil
    default: throw row.damage("what a piece gives")
    }
    var promise = GrantPromise(product: product, kind: kind, rule: rule, debt: debt)
    promise.isStoreProduct = isStoreProduct
    return promise
  }
}

/// The statements for grants and their changes.
enum GrantSQL {
  static let byPayment = SQL("SELECT \(GrantRow.columns) FROM grants AS g WHERE g.payment = ?")
  static let entitlementSources = SQL(
    """
    SELECT \(PaymentRow.keyColumns), \(GrantRow.columns), p.kind,
      (SELECT transaction_id FROM payment_keys WHERE id = p.original), p.store_product, p.is_upgraded,
      p.revocation_type, \(SubscriptionRow.renewalColumns)
    FROM grants AS g \(hint: "grants_of_rights")
    JOIN payment_keys AS k ON k.id = g.payment JOIN payments AS p ON p.id = g.payment
    LEFT JOIN lines AS l ON l.id = p.original
    WHERE g.gives = 'entitlement' AND g.app = ? AND g.environment = ? AND g.user_id = ?
    ORDER BY g.granted_at DESC, k.store DESC, k.transaction_id DESC LIMIT ?
    """)
  static let insert = SQL(
    """
    INSERT INTO grants (
      user_id, gives, gives_name, amount, starts_at, ends_at, granted_at, taken_back, debt, product, product_is_stores,
      product_kind, piece_gives, piece_name, piece_amount, payment, app, environment)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let update = SQL(
    """
    UPDATE grants SET
      user_id = ?, gives = ?, gives_name = ?, amount = ?, starts_at = ?, ends_at = ?, granted_at = ?,
      taken_back = ?, debt = ?, product = ?, product_is_stores = ?, product_kind = ?, piece_gives = ?, piece_name = ?,
      piece_amount = ?
    WHERE payment = ?
    """)
  static let changes = SQL(
    "SELECT kind, cause, amount, at FROM grant_changes WHERE payment = ? ORDER BY id")
  static let insertChange = SQL(
    "INSERT INTO grant_changes (payment, kind, cause, amount, at) VALUES (?, ?, ?, ?, ?)")

  static let noteProduct = SQL(
    "INSERT INTO promised_products (app, product, is_stores, kind) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
  static let products = SQL(
    "SELECT app, product, is_stores, kind FROM promised_products ORDER BY app, product, is_stores, kind")
  static let newest = SQL(
    """
    SELECT \(PaymentRow.keyColumns), \(GrantRow.columns)
    FROM grants AS g \(hint: "grants_of_user")
    JOIN payments AS p ON p.id = g.payment JOIN payment_keys AS k ON k.id = g.payment
    WHERE g.app = ? AND g.product = ? AND g.product_is_stores = ? AND g.product_kind = ?
    ORDER BY p.purchase_date DESC, k.store DESC, k.environment DESC, k.transaction_id DESC LIMIT 1
    """)
  static let waitingSubscriptions = SQL(
    """
    SELECT DISTINCT app, store_product FROM payments \(hint: "payments_waiting")
    WHERE state <> 'fulfilled' AND state IN ('verified', 'unclaimed', 'held') AND kind = 'autoRenewable'
      AND hold_reason \(.isOther) 'productUnknown'
    ORDER BY app, store_product
    """)
  static let ofUnknownPromise = SQL(
    """
    SELECT \(PaymentRow.keyColumns), \(GrantRow.columns)
    FROM grants AS g \(hint: "grants_of_unknown_promise")
    JOIN payment_keys AS k ON k.id = g.payment
    WHERE g.piece_gives IS NULL AND g.app = ? AND g.environment = ?
    ORDER BY k.store, k.transaction_id LIMIT ?
    """)

  static let all = [
    byPayment, entitlementSources, insert, update, changes, insertChange, noteProduct, products, newest,
    waitingSubscriptions, ofUnknownPromise,
  ]
}

extension DebtPolicy {
  /// The value in a row: null for the default policy, which most rows have.
  var storedWord: String? { self == .negative ? nil : rawValue }

  init(storedWord: String?, _ row: Columns) throws {
    guard let storedWord else {
      self = .negative
      return
    }
    guard let policy = DebtPolicy(rawValue: storedWord) else { throw row.damage("a debt policy") }
    self = policy
  }
}
