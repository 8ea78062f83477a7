import PaymentModel
import PaymentPrimitives

/// Subscriptions, and shared entitlements.
extension InMemoryTransaction {
  // MARK: questions

  func subscription(_ key: PaymentKey) throws -> Subscription? {
    try proceed()
    return rows.subscriptions[key]
  }

  func subscriptionsToAsk(at now: Timestamp, in appEnvironment: AppEnvironment, limit: Int) throws -> [Subscription] {
    try proceed()
    return rows.subscriptions.values
      .filter { subscription in
        subscription.key.appEnvironment == appEnvironment && subscription.askAt.map { $0 <= now } == true
      }
      .sorted { ($0.askAt ?? now, $0.key) < ($1.askAt ?? now, $1.key) }
      .limited(to: limit)
  }

  func sharedEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [PaymentKey] {
    try proceed()
    return rows.shares.keys.filter { $0.user == user && $0.original.appEnvironment == appEnvironment }.map(\.original)
      .sorted()
  }

  func countOfShares(of original: PaymentKey) throws -> Int {
    try proceed()
    return rows.shares.keys.count { $0.original == original }
  }

  // MARK: writes

  func put(_ subscription: Subscription) throws {
    try proceed()
    set(\.subscriptions, subscription.key, value: subscription)
  }

  func share(_ original: PaymentKey, with user: UserIdentifier, at moment: Timestamp) throws {
    try proceed()
    let key = InMemoryRows.Share(original: original, user: user)
    if rows.shares[key] == nil { set(\.shares, key, value: moment) }
  }
}
