import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `An offer of a subscription` {
  private static let trial = SimulatedOffer(.introductoryOffer, nil, payment: .freeTrial, period: .week)
  private static let loyal = SimulatedShop.loyal
  private static let code = SimulatedOffer(
    .offerCode, "code", payment: .payUpFront, period: .threeMonths, price: 40_000)
  private static let back = SimulatedOffer(
    .winBackOffer, "back", payment: .payAsYouGo, period: .month, count: 1, price: 5000)

  private func shop() async throws -> SimulatedShop {
    let shop = try await SimulatedShop()
    try await shop.offer([Self.trial, Self.loyal, Self.code, Self.back])
    return shop
  }

  @Test func `is refused if the customer is not eligible or the offer does not exist (AS-OFF-2)`() async throws {
    let shop = try await shop()
    for name in ["none", "back"] {
      await #expect(throws: CodedError(SimulatorErrorCode.offerNotAllowed)) {
        try await shop.buy(SimulatedShop.month) { $0.offerIdentifier = name }
      }
    }
    try await shop.buy(SimulatedShop.month)
    await #expect(throws: CodedError(SimulatorErrorCode.offerNotAllowed)) {
      try await shop.buy(SimulatedShop.month) { $0.offerIdentifier = "back" }
    }
    #expect(await shop.store.charges().count == 1)
  }

  @Test func `that introduces applies by itself, once, and lasts as long as it states (AS-OFF-1, AS-OFF-4)`()
    async throws
  {
    let shop = try await shop()
    let first = try await shop.buy(SimulatedShop.month)
    let payload = try await shop.verified(first.signedTransaction)
    #expect(payload.offerType == .known(.introductoryOffer) && payload.offerDiscountType == .known(.freeTrial))
    #expect(payload.price == 0 && payload.offerPeriod == "P1W" && payload.offerIdentifier == nil)
    #expect(payload.expiresDate == first.transaction.purchaseDate + .days(7))
    #expect(try await shop.renewal(of: first.transaction.id).info.renewalPrice == 25_000)
    await shop.pass(.days(7))
    let second = try #require(await shop.store.charges().last?.transaction)
    #expect(second.price.milliunits == 25_000 && second.offer == nil)
    try await shop.store.subscriptions.setAutoRenew(first.transaction.id, to: false)
    await shop.pass(.days(40))
    #expect(try await shop.buy(SimulatedShop.month).transaction.offer == nil, "no second introductory offer")
  }

  @Test func `by code is paid up front, for every customer (AS-OFF-1, AS-OFF-2)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(SimulatedShop.month) { $0.offerIdentifier = "code" }
    let payload = try await shop.verified(first.signedTransaction)
    #expect(payload.offerType == .known(.offerCode) && payload.offerIdentifier == "code" && payload.price == 40_000)
    #expect(payload.expiresDate == Timestamp(iso8601: "2027-02-20T12:00:00Z"))
    #expect(try await shop.titles() == ["SUBSCRIBED INITIAL_BUY"])
  }

  @Test func `of a subscriber applies from the renewal, for its number of periods (AS-OFF-2, AS-OFF-3, AS-OFF-4)`()
    async throws
  {
    let shop = try await SimulatedShop()
    try await shop.offer([Self.loyal])
    let first = try await shop.buy(SimulatedShop.month).transaction
    let redeemed = try await shop.buyLoyal(SimulatedShop.month)
    #expect(redeemed.outcome == .renewalChanged && redeemed.transaction.id == first.id)
    let info = try await shop.renewal(of: first.id).info
    #expect(info.offerType == .known(.promotionalOffer) && info.offerIdentifier == "loyal")
    #expect(info.renewalPrice == 9000 && info.offerDiscountType == .known(.payAsYouGo))
    await shop.pass(.days(100))
    #expect(await shop.store.charges().map(\.milliunits) == [25_000, 9000, 9000, 25_000])
    #expect(try await shop.titles().prefix(2) == ["SUBSCRIBED INITIAL_BUY", "OFFER_REDEEMED"])
  }

  @Test func `with a better product applies at once, with a lower one later (AS-OFF-3)`() async throws {
    let shop = try await SimulatedShop()
    var basic = SimulatedProduct(
      id: "com.example.basic", kind: .autoRenewable(group: "21752814", period: .month),
      price: StatedPrice(milliunits: 12_000, currency: "CNY"))
    basic.level = 2
    basic.offers = [Self.loyal]
    try await shop.store.catalog.setProduct(basic, bundleId: SimulatedShop.app.bundleId)
    try await shop.offer([Self.loyal])
    let first = try await shop.buy(basic).transaction
    let up = try await shop.buyLoyal(SimulatedShop.month)
    #expect(up.outcome == .charged && up.transaction.price.milliunits == 9000)
    let down = try await shop.buyLoyal(basic)
    #expect(down.outcome == .renewalChanged && down.transaction.id == up.transaction.id)
    #expect(try await shop.renewal(of: first.id).info.offerIdentifier == "loyal")
    #expect(
      Set(try await shop.titles()) == [
        "SUBSCRIBED INITIAL_BUY", "OFFER_REDEEMED UPGRADE", "OFFER_REDEEMED DOWNGRADE",
      ])
  }

  @Test func `wins back a former subscriber (AS-OFF-2, AS-OFF-4)`() async throws {
    let shop = try await shop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.subscriptions.setAutoRenew(first.id, to: false)
    await shop.pass(.days(8))
    #expect(try await shop.renewal(of: first.id).info.eligibleWinBackOfferIds == ["back"])
    let back = try await shop.buy(SimulatedShop.month) { $0.offerIdentifier = "back" }
    let payload = try await shop.verified(back.signedTransaction)
    #expect(payload.offerType == .known(.winBackOffer) && payload.price == 5000)
    #expect(payload.originalTransactionId == first.id.text)
    #expect(try await shop.lastTold().title == "SUBSCRIBED RESUBSCRIBE")
  }

  @Test func `has a unique name within its product (AS-OFF-1)`() async throws {
    let shop = try await SimulatedShop()
    for offers in [
      [Self.loyal, Self.loyal], [SimulatedOffer(.promotionalOffer, nil, payment: .freeTrial, period: .week)],
      [SimulatedOffer(.introductoryOffer, "named", payment: .freeTrial, period: .week)],
    ] {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) { try await shop.offer(offers) }
    }
  }
}

@Suite struct `A price increase of a subscription` {
  @Test func `is refused if the price is not higher, or if no increase waits for consent (AS-RAISE-1)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    for price: Int64 in [0, 25_000] {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
        try await shop.store.priceIncreases.raise(of: first.id, to: price, needsConsent: true)
      }
    }
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.priceIncreases.accept(of: first.id)
    }
  }

  @Test func `without the customer's consent ends the subscription (AS-RAISE-1)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.priceIncreases.raise(of: first.id, to: 30_000, needsConsent: true)
    let waiting = try await shop.renewal(of: first.id).info
    #expect(waiting.priceIncreaseStatus == .known(.customerHasNotResponded) && waiting.renewalPrice == 30_000)
    await shop.pass(.days(31))
    let (status, info) = try await shop.renewal(of: first.id)
    #expect(status == .expired && info.expirationIntent == .known(.customerDidNotConsentToPriceIncrease))
    #expect(info.autoRenewStatus == .known(.off))
    #expect(
      try await shop.titles() == ["SUBSCRIBED INITIAL_BUY", "PRICE_INCREASE PENDING", "EXPIRED PRICE_INCREASE"])
  }

  @Test(arguments: [true, false])
  func `with consent, or without need of it, applies from the next renewal (AS-RAISE-1, AS-RAISE-2)`(
    needsConsent: Bool
  ) async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.priceIncreases.raise(of: first.id, to: 30_000, needsConsent: needsConsent)
    if needsConsent { try await shop.store.priceIncreases.accept(of: first.id) }
    let info = try await shop.renewal(of: first.id).info
    #expect(info.priceIncreaseStatus == .known(.customerConsentedOrWasNotifiedWithoutNeedingConsent))
    await shop.pass(.days(70))
    #expect(await shop.store.charges().map(\.milliunits) == [25_000, 30_000, 30_000])
    #expect(try await shop.titles().contains("PRICE_INCREASE ACCEPTED"))
    #expect(try await shop.renewal(of: first.id).info.priceIncreaseStatus == nil)
  }
}

@Suite struct `Extending a renewal date` {
  @Test func `is refused beyond ninety days, and after the subscription has ended (AS-EXT-1)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    for days: Int64 in [0, 91] {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
        try await shop.store.renewalExtensions.extend(of: first.id, byDays: days)
      }
    }
    shop.time.advance(by: .days(40))
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.renewalExtensions.extend(of: first.id, byDays: 5)
    }
  }

  @Test func `moves the end of the period under the same transaction id (AS-EXT-1)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    let end = try #require(first.period?.expiresDate)
    #expect(try await shop.store.renewalExtensions.extend(of: first.id, byDays: 10) == end + .days(10))
    let told = try await shop.lastTold()
    #expect(told.title == "RENEWAL_EXTENDED")
    #expect(told.transaction?.verified?.payload.transactionId == first.id.text)
    #expect(told.transaction?.verified?.payload.expiresDate == end + .days(10))
    #expect(told.renewalInfo?.verified?.payload.renewalDate == end + .days(10))
    await shop.pass(until: end, plus: .days(5))
    #expect(await shop.store.charges().count == 1)
    await shop.pass(until: end, plus: .days(10))
    #expect(await shop.store.charges().last?.transaction.purchaseDate == end + .days(10))
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test func `of a whole product notifies each subscription, and counts (AS-EXT-2)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.month)
    try await shop.set(canPay: false)
    await shop.pass(.days(33))
    try await shop.buy(SimulatedShop.month, by: SimulatedShop.bob)
    let counts = try await shop.store.renewalExtensions.extendAll(
      of: SimulatedShop.month.id, bundleId: SimulatedShop.app.bundleId, byDays: 3, requestIdentifier: "outage")
    #expect(counts.succeeded == 1 && counts.failed == 1)
    let told = try await shop.told()
    #expect(Set(told.suffix(3).dropLast().map(\.title)) == ["RENEWAL_EXTENDED", "RENEWAL_EXTENSION FAILURE"])
    #expect(told.last?.title == "RENEWAL_EXTENSION SUMMARY")
    let summary = told.compactMap { $0.notification.verified?.payload.summary }.first
    #expect(summary?.succeededCount == 1 && summary?.failedCount == 1 && summary?.requestIdentifier == "outage")
  }
}
