import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

extension PaymentEngine {
  /// A user's entitlements in an app environment, by name, computed from signed facts only; shared ones are included.
  package func readEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) async throws
    -> [Entitlement]
  {
    try await readAllEntitlements(of: user, in: appEnvironment).paid
  }

  /// The same, with what the user was given without a payment. Neither changes the other.
  package func readAllEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) async throws
    -> UserEntitlements
  {
    let (now, most) = (self.now, limits.promotionalListed)
    let shares = apps[appEnvironment.app]?.restore == .share
    let found = try await read { reader in
      var (own, user) = (try reader.entitlementSources(of: user, in: appEnvironment), user)
      var promotional = try reader.promotionalEntitlements(of: user, in: appEnvironment, limit: most)
      // Nothing stays with a user who was merged.
      if own.isEmpty, promotional.isEmpty, case let present = try reader.present(user, in: appEnvironment),
        present != user
      {
        user = present
        own = try reader.entitlementSources(of: user, in: appEnvironment)
        promotional = try reader.promotionalEntitlements(of: user, in: appEnvironment, limit: most)
      }
      let sources = shares ? try own + Self.sharedSources(with: user, in: appEnvironment, reader) : own
      return (sources: sources, promotional: promotional)
    }
    return UserEntitlements(
      paid: Entitlement.all(from: found.sources, at: now),
      promotional: PromotionalEntitlement.shown(found.promotional, at: now))
  }

  /// The sources of entitlements that another user shares with this one.
  private static func sharedSources(
    with user: UserIdentifier, in appEnvironment: AppEnvironment, _ reader: any DatabaseReader
  ) throws -> [EntitlementSource] {
    try reader.sharedEntitlements(of: user, in: appEnvironment).flatMap { original -> [EntitlementSource] in
      let renewal = try reader.subscription(original)?.renewal
      return try reader.payments(ofOriginal: original).compactMap { payment in
        guard let grant = try reader.grant(payment.key), case .entitlement = grant.content, grant.user != user else {
          return nil
        }
        return EntitlementSource(grant, of: payment.facts, renewal: renewal)
      }
    }
  }

  /// A user's balances in an app environment, by unit.
  package func readBalances(of user: UserIdentifier, in appEnvironment: AppEnvironment) async throws -> [Balance] {
    try await read { reader in
      let own = try reader.balances(of: user, in: appEnvironment)
      guard own.allSatisfy({ $0.amount == 0 }) else { return own }
      let present = try reader.present(user, in: appEnvironment)
      return present == user ? own : try reader.balances(of: present, in: appEnvironment)
    }
  }

  /// Records that the client has finished these transactions at the store; only those of the user count.
  ///
  /// - Returns: how many were recorded.
  package func reportFinished(
    _ transactions: [TransactionIdentifier], of user: UserIdentifier?, for app: AppPolicy
  ) async throws -> Int {
    let environments = Set([app.home, .sandbox, .xcode, .localTesting]).sorted()
    return try await transact { reader in
      let user = try user.map { try reader.present($0, in: app.homeEnvironment) }
      var noted = 0
      for identifier in Set(transactions).sorted() {
        for environment in environments {
          let key = PaymentKey(
            app: app.id, store: .appStore, environment: environment, transaction: identifier)
          guard var payment = try reader.payment(key), payment.finishedAt == nil,
            user == nil || payment.owner == user || payment.presenter == user
          else { continue }
          payment.finishedAt = reader.now
          try reader.update(payment)
          noted += 1
        }
      }
      return noted
    }
  }
}
