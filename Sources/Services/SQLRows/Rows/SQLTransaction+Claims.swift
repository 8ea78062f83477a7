import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The data for decisions about claims: users known for an Apple account, claims of the day.
extension SQLTransaction {
  func users(
    ofAppTransaction identifier: String, in appEnvironment: AppEnvironment
  ) throws -> Set<UserIdentifier> {
    let users: [UserIdentifier] = try all(
      ClaimSQL.users,
      {
        $0.add(appEnvironment)
        $0.add(identifier)
      }, { $0.identifier() })
    return Set(users)
  }

  func noteUser(
    _ user: UserIdentifier, ofAppTransaction identifier: String, in appEnvironment: AppEnvironment
  ) throws {
    try write(ClaimSQL.noteUser) {
      $0.add(appEnvironment)
      $0.add(identifier)
      $0.add(user)
    }
  }

  func claims(by user: UserIdentifier, since moment: Timestamp, in appEnvironment: AppEnvironment) throws -> Int {
    try first(
      ClaimSQL.count,
      {
        $0.add(appEnvironment)
        $0.add(user)
        $0.add(moment)
      }, { $0.int() }) ?? 0
  }

  func noteClaim(by user: UserIdentifier, of payment: PaymentKey, at moment: Timestamp) throws {
    let identifier = try identifierForWriting(of: payment)
    try write(ClaimSQL.noteClaim) {
      $0.add(payment.appEnvironment)
      $0.add(user)
      $0.add(identifier)
      $0.add(moment)
    }
  }
}

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

  static let all = [users, noteUser, count, noteClaim]
}
