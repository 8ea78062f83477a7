import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `A change within a subscription group` {
  private static let basic = product("com.example.basic", .month, level: 2)
  private static let counterpart = product("com.example.twin", .month, level: 1)

  private static func product(
    _ id: StoreProductIdentifier, _ period: SubscriptionPeriod, level: Int
  ) -> SimulatedProduct {
    var product = SimulatedProduct(
      id: id, kind: .autoRenewable(group: "21752814", period: period),
      price: StatedPrice(milliunits: 12_000, currency: "CNY"))
    product.level = level
    return product
  }

  /// A shop with `basic` below `month`, and `counterpart` and `year` beside it.
  private func shop() async throws -> SimulatedShop {
    let shop = try await SimulatedShop()
    for product in [Self.basic, Self.counterpart] {
      try await shop.store.catalog.setProduct(product, bundleId: SimulatedShop.app.bundleId)
    }
    return shop
  }

  private func renewalInfo(
    _ line: SimulatedTransaction, _ shop: SimulatedShop
  ) async throws -> JWSRenewalInfoDecodedPayload {
    let signed = try await shop.store.signedRenewalInfo(line.originalId).signedRenewalInfo
    let verdict = try shop.verifier()
      .verifyRenewalInfo(signed, expecting: SimulatedShop.expectations, at: shop.time.now)
    return try #require(verdict.verified?.payload)
  }

  private func titles(_ shop: SimulatedShop) async throws -> [String] {
    await shop.sender.sendDue()
    return try await shop.received().map(\.title)
  }

  @Test func `refuses a level that does not exist in the group`() async throws {
    let shop = try await shop()
    for level in [0, -1, 101] {
      var product = Self.basic
      product.level = level
      await #expect(throws: CodedError<SimulatorErrorCode>.self) {
        try await shop.store.catalog.setProduct(product, bundleId: SimulatedShop.app.bundleId)
      }
    }
  }

  @Test func `limits a later refund to what the upgrade has not paid back (AS-SUB-7, AS-REF-1)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(Self.basic).transaction
    shop.time.advance(by: .days(15))
    try await shop.buy(SimulatedShop.month)
    let back = try #require(await shop.store.charges().first?.upgradeRefundPercentage)
    await #expect(throws: CodedError<SimulatorErrorCode>.self) {
      try await shop.store.refunds.refund(first.id, percentage: 100_000 - back + 1)
    }
    #expect(try await shop.store.refunds.refund(first.id).revocation?.percentage == 100_000 - back)
    await #expect(throws: CodedError<SimulatorErrorCode>.self) { try await shop.store.refunds.refund(first.id) }
  }

  @Test func `to a better level replaces the current one at once (AS-SUB-7)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(Self.basic).transaction
    shop.time.advance(by: .days(15))
    let purchase = try await shop.buy(SimulatedShop.month)
    #expect(purchase.outcome == .charged)
    let new = try await shop.verified(purchase.signedTransaction)
    #expect(new.originalTransactionId == first.id.text && new.transactionId != first.id.text)
    #expect(new.webOrderLineItemId != first.period?.webOrderLineItemId)
    #expect(new.productId == SimulatedShop.month.id.text && new.transactionReason == .known(.purchase))
    #expect(new.purchaseDate == Timestamp(seconds: shop.time.now.seconds) && new.isUpgraded == nil)
    #expect(new.appAccountToken == SimulatedShop.token.text && new.originalPurchaseDate == first.originalPurchaseDate)
    let old = try await shop.verified(try await shop.store.signedTransaction(first.id).signedTransaction)
    #expect(old.isUpgraded == true && old.revocationDate == nil && old.expiresDate == first.period?.expiresDate)
    // Half of the thirty days was left.
    #expect(await shop.store.charges().map(\.upgradeRefundPercentage) == [50_000, 0])
    #expect(await shop.store.charges().map(\.refundedPercentage) == [0, 0])
    #expect(try await renewalInfo(first, shop).autoRenewProductId == SimulatedShop.month.id.text)
    #expect(try await renewalInfo(first, shop).recentSubscriptionStartDate == first.purchaseDate)
    #expect(try await titles(shop) == ["SUBSCRIBED INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF UPGRADE"])
    let told = try await shop.received().last?.transaction?.verified?.payload
    #expect(told?.transactionId == new.transactionId)
    // The log contains it.
    let again = try await shop.restarted()
    #expect(await again.store.state.content == shop.store.state.content)
  }

  @Test func `to a lower level changes nothing until the next renewal (AS-SUB-8)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.purchases.finish(first.id, of: SimulatedShop.alice)
    try await shop.store.subscriptions.setAutoRenew(first.id, to: false)
    let purchase = try await shop.buy(Self.basic)
    #expect(purchase.outcome == .renewalChanged && purchase.transaction.id == first.id)
    #expect(try await shop.buy(Self.basic).outcome == .renewalChanged, "a repeat changes nothing")
    #expect(await shop.store.charges().count == 1)
    #expect(try await shop.store.unfinishedTransactions(of: SimulatedShop.alice).isEmpty)
    let info = try await renewalInfo(first, shop)
    #expect(info.productId == SimulatedShop.month.id.text && info.autoRenewProductId == Self.basic.id.text)
    #expect(info.renewalPrice == 12_000 && info.autoRenewStatus == .known(.on))
    let again = try await shop.restarted()
    #expect(await again.store.state.content == shop.store.state.content)
    shop.time.advance(by: .hours(29 * 24 + 12))
    let second = try await shop.store.subscriptions.renew(first.id)
    #expect(second.product == Self.basic.id && second.price.milliunits == 12_000 && second.reason == .renewal)
    #expect(second.appAccountToken == first.appAccountToken && second.purchaseDate == first.period?.expiresDate)
    let old = try await shop.verified(try await shop.store.signedTransaction(first.id).signedTransaction)
    #expect(old.isUpgraded == nil)
    #expect(try await renewalInfo(first, shop).autoRenewProductId == Self.basic.id.text)
    #expect(
      try await titles(shop) == [
        "SUBSCRIBED INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_RENEW",
      ])
  }

  @Test func `to an equal level applies at once for the same duration, later for another (AS-SUB-9)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    let later = try await shop.buy(SimulatedShop.year)
    #expect(later.outcome == .renewalChanged && later.transaction.id == first.id)
    let now = try await shop.buy(Self.counterpart)
    #expect(now.outcome == .charged && now.transaction.originalId == first.id)
    #expect(
      try await renewalInfo(first, shop).autoRenewProductId == Self.counterpart.id.text, "no planned change")
    #expect(
      try await titles(shop) == [
        "SUBSCRIBED INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF UPGRADE",
      ])
  }

  @Test func `is undone by buying the current product again (AS-SUB-10)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.buy(Self.basic)
    let back = try await shop.buy(SimulatedShop.month)
    #expect(back.outcome == .renewalChanged && back.transaction.id == first.id)
    #expect(try await renewalInfo(first, shop).autoRenewProductId == SimulatedShop.month.id.text)
    await #expect(throws: CodedError(SimulatorErrorCode.alreadySubscribed)) { try await shop.buy(SimulatedShop.month) }
    #expect(
      try await titles(shop) == [
        "SUBSCRIBED INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
      ])
    #expect(await shop.store.charges().count == 1)
  }
}
