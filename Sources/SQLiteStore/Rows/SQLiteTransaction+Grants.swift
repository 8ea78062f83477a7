import PaymentModel
import PaymentStore
import PaymentVocabulary

extension SQLiteTransaction {
  func grant(_ payment: PaymentKey) throws -> Grant? {
    guard let identifier = try identifier(of: payment) else { return nil }
    return try first(GrantSQL.byPayment, { $0.add(identifier) }) { try GrantRow.read(payment, &$0) }
  }

  func changes(of payment: PaymentKey) throws -> [GrantChange] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(GrantSQL.changes, { $0.add(identifier) }) {
      GrantChange(
        payment: payment, kind: try $0.word(), cause: $0.text(), amount: $0.integer(),
        at: $0.timestamp())
    }
  }

  func rightSources(of user: UserIdentifier, in realm: Realm) throws -> [RightSource] {
    try all(
      GrantSQL.rights,
      {
        $0.add(realm)
        $0.add(user)
        $0.add(StoreLimit.entitlementsPerUser)
      },
      { row in
        let key = try row.paymentKey()
        let grant = try GrantRow.read(key, &row)
        let kind: ProductKind = try row.word()
        let line = PaymentKey(
          app: key.app, store: key.store, environment: key.environment, transaction: row.identifier())
        var source = RightSource(grant, kind: kind, original: line.transaction, storeProduct: row.identifier())
        source.isUpgraded = row.flag()
        source.revocationType = row.optionalText()
        source.renewal = try LineRow.renewal(of: line, &row)
        return source
      })
  }

  func insert(_ grant: Grant) throws {
    let identifier = try identifierForWriting(of: grant.payment)
    try write(GrantSQL.insert) {
      GrantRow.bind(grant, &$0)
      $0.add(identifier)
      $0.add(grant.payment.realm)
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

/// How a grant stands in the table `grants`.
enum GrantRow {
  static let columns =
    "g.user_id, g.gives, g.gives_name, g.amount, g.starts_at, g.ends_at, g.granted_at, g.taken_back, g.debt"

  /// All but the payment, in the order of `GrantSQL.insert` and `GrantSQL.update`.
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
    var grant = Grant(payment: payment, user: user, content: content, grantedAt: row.timestamp())
    grant.takenBack = row.integer()
    grant.debt = try DebtPolicy(storedWord: row.optionalText(), row)
    return grant
  }
}

/// The statements about grants and their changes.
enum GrantSQL {
  static let byPayment = SQL("SELECT \(GrantRow.columns) FROM grants AS g WHERE g.payment = ?")
  static let rights = SQL(
    """
    SELECT \(PaymentRow.keyColumns), \(GrantRow.columns), p.kind,
      (SELECT transaction_id FROM payment_keys WHERE id = p.original), p.store_product, p.is_upgraded,
      p.revocation_type, \(LineRow.renewalColumns)
    FROM grants AS g INDEXED BY grants_of_rights
    JOIN payment_keys AS k ON k.id = g.payment JOIN payments AS p ON p.id = g.payment
    LEFT JOIN lines AS l ON l.id = p.original
    WHERE g.gives = 'entitlement' AND g.app = ? AND g.environment = ? AND g.user_id = ?
    ORDER BY g.granted_at DESC, k.store DESC, k.transaction_id DESC LIMIT ?
    """)
  static let insert = SQL(
    """
    INSERT INTO grants (
      user_id, gives, gives_name, amount, starts_at, ends_at, granted_at, taken_back, debt, payment, app,
      environment)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
  static let update = SQL(
    """
    UPDATE grants SET
      user_id = ?, gives = ?, gives_name = ?, amount = ?, starts_at = ?, ends_at = ?, granted_at = ?,
      taken_back = ?, debt = ?
    WHERE payment = ?
    """)
  static let changes = SQL(
    "SELECT kind, cause, amount, at FROM grant_changes WHERE payment = ? ORDER BY id")
  static let insertChange = SQL(
    "INSERT INTO grant_changes (payment, kind, cause, amount, at) VALUES (?, ?, ?, ?, ?)")

  static let all = [byPayment, rights, insert, update, changes, insertChange]
}

extension DebtPolicy {
  /// How it stands in a row: most rows have the usual policy, and say nothing.
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
