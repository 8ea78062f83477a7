import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import Testing

@Suite struct `A purchase that is shared in a family` {
  @Test func `cannot be a consumable, over, or shared with its buyer (AS-FAM-1)`() async throws {
    let shop = try await SimulatedShop()
    var bought = [
      try await shop.buy(SimulatedShop.coins).transaction, try await shop.buy(SimulatedShop.season).transaction,
    ]
    let month = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.subscriptions.setAutoRenew(month.id, to: false)
    await shop.pass(.days(31))
    bought.append(month)
    for transaction in bought {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
        try await shop.store.familySharing.share(transaction.id, with: SimulatedShop.bob.account)
      }
    }
    let theme = try await shop.buy(SimulatedShop.theme)
    await #expect(throws: CodedError<SimulatorErrorCode>.self) {
      try await shop.store.familySharing.share(theme.transaction.id, with: SimulatedShop.alice.account)
    }
    _ = try await shop.store.familySharing.share(theme.transaction.id, with: SimulatedShop.bob.account)
    await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid), "no member has it twice") {
      try await shop.store.familySharing.share(theme.transaction.id, with: SimulatedShop.bob.account)
    }
  }

  @Test func `is the member's own transaction, without charge or token, and is notified (AS-FAM-1, AS-FAM-2)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.theme) { $0.appAccountToken = SimulatedShop.token }
    let charges = await shop.store.charges().count
    let shared = try await shop.store.familySharing.share(bought.transaction.id, with: SimulatedShop.bob.account)
    #expect(shared.id != bought.transaction.id && shared.owner == SimulatedShop.bob)
    #expect(shared.isFamilyShared && !shared.isCharge && shared.appAccountToken == nil)
    #expect(await shop.store.charges().count == charges)
    let told = try await shop.lastTold()
    #expect(told.title == "ONE_TIME_CHARGE")
    #expect(told.transaction?.verified?.payload.inAppOwnershipType == .known(.familyShared))
    let his = try await shop.store.signedTransactions(of: SimulatedShop.bob)
    let payload = try #require(his.last { $0.transaction.id == shared.id })
    #expect(payload.transaction.isFamilyShared)
  }

  @Test func `follows the buyer's subscription from period to period, and ends with it (AS-FAM-3)`() async throws {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.month).transaction
    await shop.pass(.days(3))
    let shared = try await shop.store.familySharing.share(bought.id, with: SimulatedShop.bob.account)
    #expect(shared.period?.expiresDate == bought.period?.expiresDate && shared.originalId == shared.id)
    #expect(try await shop.lastTold().title == "SUBSCRIBED INITIAL_BUY")
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.renew(shared.id)
    }
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.setAutoRenew(shared.id, to: false)
    }
    await shop.pass(.days(31))
    let second = try await shop.latest(SimulatedShop.month, SimulatedShop.bob)
    #expect(second.originalId == shared.id && second.isFamilyShared && !second.isCharge && second.reason == .renewal)
    #expect(second.purchaseDate == shared.period?.expiresDate && second.appAccountToken == nil)
    #expect(await shop.store.charges().count == 2)
    try await shop.store.subscriptions.setAutoRenew(bought.id, to: false)
    await shop.pass(.days(31))
    #expect(try await shop.renewal(of: shared.id).status == .expired)
    #expect(try await shop.renewal(of: bought.id).status == .expired)
    #expect(try await shop.titles().count { $0 == "EXPIRED VOLUNTARY" } == 2)
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test func `is taken from the member who leaves, and only what was shared (AS-FAM-4)`() async throws {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.theme).transaction
    let shared = try await shop.store.familySharing.share(bought.id, with: SimulatedShop.bob.account)
    await #expect(throws: CodedError(SimulatorErrorCode.nothingToRefund)) {
      try await shop.store.familySharing.end(bought.id)
    }
    try await shop.store.familySharing.end(shared.id)
    await #expect(throws: CodedError(SimulatorErrorCode.alreadyRefunded)) {
      try await shop.store.familySharing.end(shared.id)
    }
    let told = try await shop.lastTold()
    let payload = try #require(told.transaction?.verified?.payload)
    #expect(told.title == "REVOKE" && payload.transactionId == shared.id.text)
    #expect(payload.revocationType == .known(.familyRevoke) && payload.revocationPercentage == nil)
    #expect(payload.revocationDate != nil)
    #expect(await shop.store.charges().map(\.refundedPercentage) == [0])
    await #expect(throws: CodedError(SimulatorErrorCode.nothingToRefund)) {
      try await shop.store.refunds.reverse(shared.id)
    }
  }

  @Test func `is lost to every member after a full refund to the buyer (AS-FAM-4)`() async throws {
    let shop = try await SimulatedShop()
    for product in [SimulatedShop.theme, SimulatedShop.month] {
      let bought = try await shop.buy(product).transaction
      let shared = try await shop.store.familySharing.share(bought.id, with: SimulatedShop.bob.account)
      _ = try await shop.store.refunds.refund(bought.id, percentage: 50_000)
      #expect(
        try await shop.verified(try await shop.store.signedTransaction(shared.id).signedTransaction)
          .revocationDate == nil, "half a refund is not a full refund")
      _ = try await shop.store.refunds.refund(bought.id)
      #expect(
        try await shop.verified(try await shop.store.signedTransaction(shared.id).signedTransaction)
          .revocationType == .known(.familyRevoke))
    }
    #expect(try await shop.titles().count { $0 == "REVOKE" } == 2)
    #expect(await shop.store.state.content == (try await shop.restarted().store.state.content))
  }
}
