import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What the server has of a user in one app environment, for the user's right of access.
package struct UserData: Hashable, Sendable {
  package let orders: [OrderDetails]
  /// The payments that were granted to the user, or paid an order of theirs, by key.
  package let payments: [Payment]
  package let balances: [Balance]
  /// The postings on each balance, by unit, the newest first.
  package let entries: [LedgerEntry]
  package let entitlements: [Entitlement]
  /// Entitlements of other users that are shared with the user, by their first payment.
  package let shared: [PaymentKey]
  package let consent: ConsumptionConsent?
  package let spending: [Spending]
  /// What the user was given without a payment, those that hold longest first.
  package let promotional: [PromotionalEntitlement]
  package let merge: UserMerge?
  /// Whether there is more of something than one answer has.
  package let hasMore: Bool
}

extension PaymentEngine {
  /// All that is kept under a user's id, in one consistent state. What moved to another user by a merge is theirs.
  ///
  /// - Throws: `userUnknown`.
  package func readUserData(of user: UserIdentifier, in appEnvironment: AppEnvironment) async throws -> UserData {
    let (most, now) = (limits.rowsPerMerge, now)
    return try await read { reader in
      var query = OrderQuery(appEnvironment: appEnvironment, limit: most + 1)
      query.user = user
      let orders = try reader.orders(query)
      let granted = try reader.payments(grantedTo: user, in: appEnvironment, limit: most + 1)
      let keys = Set(granted.map(\.key) + orders.compactMap(\.state.payment)).sorted()
      let balances = try reader.balances(of: user, in: appEnvironment)
      let entries = try balances.flatMap {
        try reader.entries(of: user, unit: $0.unit, in: appEnvironment, before: nil, limit: most + 1)
      }
      let merge = try reader.merge(of: user, in: appEnvironment)
      let consent = try reader.consumptionConsent(of: user, in: appEnvironment)
      let shared = try reader.sharedEntitlements(of: user, in: appEnvironment)
      let limits = try reader.spendingLimits(of: user, in: appEnvironment)
      let promotional = try reader.promotionalEntitlements(of: user, in: appEnvironment, limit: most + 1)
      let isEmpty =
        promotional.isEmpty && orders.isEmpty && keys.isEmpty && balances.isEmpty && shared.isEmpty && limits.isEmpty
      guard !isEmpty || merge != nil || consent != nil else { throw CodedError<EngineErrorCode>(.userUnknown) }
      let count = SpendingCount(reader: reader, user: user, appEnvironment: appEnvironment, now: now)
      return UserData(
        orders: try orders.prefix(most).map { try OrderDetails($0, in: reader) },
        payments: try keys.compactMap { try reader.payment($0) }, balances: balances, entries: entries,
        entitlements: Entitlement.all(
          from: try reader.entitlementSources(of: user, in: appEnvironment), at: now),
        shared: shared, consent: consent,
        spending: try limits.map {
          Spending(limit: $0, spent: try count.spent(in: $0.currency), since: count.monthBegin)
        },
        promotional: Array(promotional.prefix(most)), merge: merge,
        hasMore: orders.count > most || promotional.count > most || granted.count > most || entries.count > most)
    }
  }
}
