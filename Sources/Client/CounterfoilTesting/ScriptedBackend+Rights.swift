public import Counterfoil
import CounterfoilAPI
import HTTPMessages
public import PaymentPrimitives
import StrictJSON
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// Sets the entitlements of a user, replacing the earlier ones.
  public func setEntitlements(_ entitlements: Entitlement..., of user: UserIdentifier) {
    setEntitlements(entitlements, of: user)
  }

  /// Sets the entitlements of a user, as a list.
  public func setEntitlements(_ entitlements: [Entitlement], of user: UserIdentifier) {
    state.withLock { $0.entitlements[user] = entitlements }
  }

  /// Sets a balance of a user besides their purchases, replacing an earlier one of the same unit: an initial amount,
  /// or a negative amount for spent units.
  public func setBalance(_ balance: Balance, of user: UserIdentifier) {
    state.withLock { state in
      state.balances[user, default: []].removeAll { $0.unit == balance.unit && $0.environment == balance.environment }
      state.balances[user, default: []].append(balance)
    }
  }

  func rights(_ route: String, _ caller: UserIdentifier, state: State) -> HTTPResponse {
    guard caller.text != "" else { return Self.problem(403, "not_allowed") }
    guard route == "balances" else {
      let all = (state.entitlements[caller] ?? []).map { EntitlementBody($0) }
      let answer = ReadEntitlements.Response(
        entitlements: all.filter { $0.source == .payment }, promotional: all.filter { $0.source != .payment })
      return HTTPResponse(status: 200, json: answer.json)
    }
    let balances = balances(of: caller, state).map { BalanceBody($0) }
    return HTTPResponse(status: 200, json: ReadBalances.Response(balances: balances).json)
  }

  /// The number in a pack's name is its amount of coins: `coins60` gives sixty per piece.
  private func balances(of user: UserIdentifier, _ state: State) -> [Balance] {
    var balances = state.balances[user] ?? []
    let bought = state.grants.filter { $0.user == user }.reduce(Int64(0)) { sum, grant in
      let name = state.orders[grant.order]?.body.product.text ?? ""
      return sum + (Int64(name.dropFirst("coins".count)) ?? 0) * Int64(grant.quantity)
    }
    if let index = balances.firstIndex(where: { $0.unit == "coins" && $0.environment == .simulated }) {
      balances[index].amount += bought
    } else if bought != 0 {
      balances.append(Balance("coins", amount: bought, environment: .simulated))
    }
    return balances
  }
}

extension BalanceBody {
  fileprivate init(_ balance: Balance) {
    self.init(unit: balance.unit, amount: balance.amount, environment: balance.environment)
    frozenSince = balance.frozenSince
  }
}
