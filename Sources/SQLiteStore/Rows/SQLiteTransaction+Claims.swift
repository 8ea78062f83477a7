import PaymentModel
import PaymentStore
import PaymentVocabulary

/// What decides about claims: users known for an Apple account, claims of the day, the earlier system's deliveries.
extension SQLiteTransaction {
  func users(
    ofAppTransaction identifier: String, in realm: Realm
  ) throws -> Set<UserIdentifier> {
    let users: [UserIdentifier] = try all(
      ClaimSQL.users,
      {
        $0.add(realm)
        $0.add(identifier)
      }, { $0.identifier() })
    return Set(users)
  }

  func noteUser(
    _ user: UserIdentifier, ofAppTransaction identifier: String, in realm: Realm
  ) throws {
    try write(ClaimSQL.noteUser) {
      $0.add(realm)
      $0.add(identifier)
      $0.add(user)
    }
  }

  func claims(by user: UserIdentifier, since moment: Timestamp, in realm: Realm) throws -> Int {
    try first(
      ClaimSQL.count,
      {
        $0.add(realm)
        $0.add(user)
        $0.add(moment)
      }, { $0.int() }) ?? 0
  }

  func noteClaim(by user: UserIdentifier, of payment: PaymentKey, at moment: Timestamp) throws {
    let identifier = try identifierForWriting(of: payment)
    try write(ClaimSQL.noteClaim) {
      $0.add(payment.realm)
      $0.add(user)
      $0.add(identifier)
      $0.add(moment)
    }
  }

  func earlierDelivery(of key: PaymentKey) throws -> CutOver.Earlier {
    func isThere(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Bool {
      try first(sql, bind, { $0.integer() }) != nil
    }
    let isLoaded = try isThere(ClaimSQL.earlierList) {
      $0.add(key.realm)
      $0.add(key.store.rawValue)
    }
    guard isLoaded else { return .notLoaded }
    let isListed = try isThere(ClaimSQL.earlierDelivery) {
      $0.add(key.realm)
      $0.add(key.store.rawValue)
      $0.add(key.transaction)
    }
    return isListed ? .delivered : .notDelivered
  }

  func noteEarlierDeliveries(
    _ transactions: [TransactionIdentifier], at store: Store, in realm: Realm
  ) throws {
    try write(ClaimSQL.noteEarlierList) {
      $0.add(realm)
      $0.add(store.rawValue)
    }
    for transaction in transactions {
      try write(ClaimSQL.noteEarlierDelivery) {
        $0.add(realm)
        $0.add(store.rawValue)
        $0.add(transaction)
      }
    }
  }
}

/// The statements about claims.
enum ClaimSQL {
  static let users = SQL(
    "SELECT user_id FROM known_users WHERE app = ? AND environment = ? AND app_transaction = ?")
  static let noteUser = SQL(
    """
    INSERT INTO known_users (app, environment, app_transaction, user_id) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)
  static let count = SQL(
    "SELECT count(*) FROM claims WHERE app = ? AND environment = ? AND user_id = ? AND at >= ?")
  static let noteClaim = SQL(
    "INSERT INTO claims (app, environment, user_id, payment, at) VALUES (?, ?, ?, ?, ?)")
  static let earlierList = SQL(
    "SELECT 1 FROM earlier_lists WHERE app = ? AND environment = ? AND store = ?")
  static let earlierDelivery = SQL(
    """
    SELECT 1 FROM earlier_deliveries
    WHERE app = ? AND environment = ? AND store = ? AND transaction_id = ?
    """)
  static let noteEarlierList = SQL(
    "INSERT INTO earlier_lists (app, environment, store) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  static let noteEarlierDelivery = SQL(
    """
    INSERT INTO earlier_deliveries (app, environment, store, transaction_id) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)

  static let all = [
    users, noteUser, count, noteClaim, earlierList, earlierDelivery, noteEarlierList,
    noteEarlierDelivery,
  ]
}
