public import PaymentModel
import PaymentStore
public import PaymentVocabulary

/// A user's right as it stands at a moment, from all payments that give it.
public struct Right: Hashable, Sendable {
  /// The right.
  public let entitlement: EntitlementName
  /// Whether it holds now.
  public let state: State
  /// Its end; nil when it lasts.
  public let until: Timestamp?
  /// The store whose payment gives it longest.
  public let store: Store

  /// Whether a right holds.
  public enum State: String, CaseIterable, Sendable {
    /// It holds.
    case active
    /// Its time is over.
    case expired
    /// The store took it back.
    case revoked
  }
}

extension PaymentEngine {
  /// A user's rights in a realm, by name, computed from signed facts only.
  public func readEntitlements(of user: UserIdentifier, in realm: Realm) async throws -> [Right] {
    let now = surroundings.now()
    let grants = try await read { try $0.entitlementGrants(of: user, in: realm) }
    var byName: [EntitlementName: [Grant]] = [:]
    for grant in grants {
      guard case .entitlement(let name, _, _) = grant.content else { continue }
      byName[name, default: []].append(grant)
    }
    return byName.sorted { $0.key < $1.key }.map { Self.right($0.key, $0.value, at: now) }
  }

  /// The grant in force that lasts longest decides; without one, the latest end; only revoked ones leave it revoked.
  private static func right(
    _ name: EntitlementName, _ grants: [Grant], at now: Timestamp
  ) -> Right {
    func end(_ grant: Grant) -> Timestamp {
      guard case .entitlement(_, _, let until) = grant.content else { return now }
      return until ?? Timestamp(milliseconds: .max)
    }
    let standing = grants.filter(\.isInForce)
    let best = (standing.isEmpty ? grants : standing).max {
      (end($0), $1.payment) < (end($1), $0.payment)
    }
    let until = best.map(end) ?? now
    let state: Right.State = standing.isEmpty ? .revoked : until > now ? .active : .expired
    return Right(
      entitlement: name, state: state, until: until.milliseconds == .max ? nil : until,
      store: best?.payment.store ?? .appStore)
  }

  /// A user's balances in a realm, by unit.
  public func readBalances(of user: UserIdentifier, in realm: Realm) async throws -> [Balance] {
    try await read { try $0.balances(of: user, in: realm) }
  }

  /// The client has finished these transactions at the store; noted for those that are the user's own.
  ///
  /// - Returns: how many were noted.
  public func reportFinished(
    _ transactions: [TransactionIdentifier], of user: UserIdentifier?, for app: AppSettings
  ) async throws -> Int {
    let environments = Set([app.home, .sandbox, .xcode, .localTesting]).sorted()
    return try await transact { store in
      var noted = 0
      for identifier in Set(transactions).sorted() {
        for environment in environments {
          let key = PaymentKey(
            app: app.id, store: .appStore, environment: environment, transaction: identifier)
          guard var payment = try store.payment(key), payment.finishedAt == nil,
            user == nil || payment.owner == user || payment.presenter == user
          else { continue }
          payment.finishedAt = store.now
          try store.update(payment)
          noted += 1
        }
      }
      return noted
    }
  }
}
