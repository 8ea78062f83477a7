import AppStoreProtocol
public import PaymentVocabulary

extension SimulatedAppStore {
  /// Shares a non-consumable with a member of the buyer's family: a transaction of the member's own, without a charge,
  /// a token or a notification (rules AS-FAM-1, AS-FAM-2).
  ///
  /// - Returns: the member's transaction.
  /// - Throws: `transactionUnknown`, `accountUnknown`, `fieldInvalid` when it cannot be shared, or `full`.
  public func share(
    _ id: TransactionIdentifier, with member: AppleAccountIdentifier
  ) async throws(Refusal<SimulatorErrorCode>) -> SimulatedTransaction {
    try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      let bought = try decision.transaction(id)
      let account = try decision.account(member)
      let app = try decision.app(bought.owner.bundleId)
      guard bought.type == .nonConsumable, bought.isCharge, bought.revocation?.isWhole != true,
        bought.owner.account != member, account.environment == bought.environment
      else { throw Refusal(.fieldInvalid, "Only a non-consumable is shared, once paid, with another account.") }
      guard decision.state.transactionOrder.count < SimulatorLimits.transactionsMax else {
        throw Refusal(.full, "It has \(SimulatorLimits.transactionsMax) transactions.")
      }
      let owner = AppOwner(account: member, bundleId: bought.owner.bundleId)
      let number = decision.state.lastNumbers.transactionId(account.environment, step: decision.step())
      let (download, isNew) = decision.download(owner, of: app)
      var shared = SimulatedTransaction(
        id: number, originalId: number, owner: owner, product: bought.product, type: bought.type, quantity: 1,
        price: bought.price, purchaseDate: decision.second, originalPurchaseDate: decision.second, period: nil,
        appAccountToken: nil, reason: .purchase, environment: account.environment, storefront: account.storefront,
        isCharge: false)
      shared.isFamilyShared = true
      decision.event = .transacted(shared, isNew ? download : nil, nil)
      return shared
    }
  }
}
