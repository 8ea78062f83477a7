import Counterfoil

@MainActor func showWhatHeHas(_ purchasing: Purchasing, _ shop: Shop) async {
  // snippet: what-users-have
  do throws(PurchasingError) {
    for right in try await purchasing.entitlements() where right.state.givesAccess {
      shop.unlock(right.entitlement, until: right.expiresAt)
    }
    for balance in try await purchasing.balances() {
      shop.show("\(balance.amount) \(balance.unit)")
    }
  } catch {
    // Unknown for now. It does not mean that the user has nothing.
    shop.show(purchasing.message(for: error))
  }
  // snippet: end
}
