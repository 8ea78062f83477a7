import PaymentModel
import PaymentPrimitives

/// Subscriptions, and shared entitlements.
extension InMemoryTransaction {
  // MARK: questions

  func line(_ key: PaymentKey) throws -> Subscription? {
    try proceed()
    return rows.lines[key]
  }

  func linesToAsk(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Subscription] {
    try proceed()
    return rows.lines.values
      .filter { line in line.key.appEnvironment == appEnvironment && line.askAt.map { $0 <= now } == true }
      .sorted { ($0.askAt ?? now, $0.key) < ($1.askAt ?? now, $1.key) }
      .limited(to: limit)
  }

  func sharedRights(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [PaymentKey] {
    try proceed()
    return rows.shares.keys.filter { $0.user == user && $0.original.appEnvironment == appEnvironment }.map(\.original)
      .sorted()
  }

  func countOfShares(of original: PaymentKey) throws -> Int {
    try proceed()
    return rows.shares.keys.count { $0.original == original }
  }

  // MARK: writes

  func put(_ line: Subscription) throws {
    try proceed()
    set(\.lines, line.key, value: line)
  }

  func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws {
    try proceed()
    let key = InMemoryRows.Share(original: original, user: user)
    if rows.shares[key] == nil { set(\.shares, key, value: moment) }
  }
}
