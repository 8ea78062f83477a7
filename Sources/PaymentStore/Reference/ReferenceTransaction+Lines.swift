import PaymentModel
import PaymentVocabulary

/// Subscription lines, and rights that are shared.
extension ReferenceTransaction {
  // MARK: questions

  func line(_ key: PaymentKey) throws -> SubscriptionLine? {
    try proceed()
    return rows.lines[key]
  }

  func linesToAsk(at now: Timestamp, in realm: Realm, limit: Int) throws -> [SubscriptionLine] {
    try proceed()
    return rows.lines.values
      .filter { line in line.key.realm == realm && line.askAt.map { $0 <= now } == true }
      .sorted { ($0.askAt ?? now, $0.key) < ($1.askAt ?? now, $1.key) }
      .limited(to: limit)
  }

  func sharedRights(of user: UserIdentifier, in realm: Realm) throws -> [PaymentKey] {
    try proceed()
    return rows.shares.keys.filter { $0.user == user && $0.original.realm == realm }.map(\.original).sorted()
  }

  func countOfShares(of original: PaymentKey) throws -> Int {
    try proceed()
    return rows.shares.keys.count { $0.original == original }
  }

  // MARK: writes

  func put(_ line: SubscriptionLine) throws {
    try proceed()
    set(\.lines, line.key, line)
  }

  func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws {
    try proceed()
    let key = ReferenceRows.Share(original: original, user: user)
    if rows.shares[key] == nil { set(\.shares, key, moment) }
  }
}
