import AppStoreProtocol
import AppStoreSimulator
import PaymentVocabulary
import Testing

@Suite struct `A purchase that is shared in a family` {
  @Test func `is none of a consumable, of a subscription, or with the buyer himself (AS-FAM-1)`() async throws {
    let shop = try await SimulatedShop()
    for product in [SimulatedShop.coins, SimulatedShop.season, SimulatedShop.month] {
      let bought = try await shop.buy(product)
      await #expect(throws: Refusal<SimulatorErrorCode>.self) {
        try await shop.store.share(bought.transaction.id, with: SimulatedShop.bob.account)
      }
    }
    let theme = try await shop.buy(SimulatedShop.theme)
    await #expect(throws: Refusal<SimulatorErrorCode>.self) {
      try await shop.store.share(theme.transaction.id, with: SimulatedShop.alice.account)
    }
  }

  @Test func `is the member's own transaction, without a charge, a token or a notification (AS-FAM-1, AS-FAM-2)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.theme) { $0.appAccountToken = SimulatedShop.token }
    let (charges, told) = (await shop.store.charges().count, await shop.store.notifications().count)
    let shared = try await shop.store.share(bought.transaction.id, with: SimulatedShop.bob.account)
    #expect(shared.id != bought.transaction.id && shared.owner == SimulatedShop.bob)
    #expect(shared.isFamilyShared && !shared.isCharge && shared.appAccountToken == nil)
    #expect(await shop.store.charges().count == charges)
    #expect(await shop.store.notifications().count == told)
    let his = try await shop.store.signedTransactions(of: SimulatedShop.bob)
    let payload = try #require(his.last { $0.transaction.id == shared.id })
    #expect(payload.transaction.isFamilyShared)
  }
}
