import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `The calendar of the simulated App Store` {
  @Test func `does nothing in manual mode, before its time, or twice (AS-CAL-1, AS-CAL-2)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.renewByHand, to: 1)
    let first = try await shop.buy(SimulatedShop.month).transaction
    let end = try #require(first.period?.expiresDate)
    await shop.pass(until: end, plus: .days(2))
    #expect(await shop.store.charges().count == 1)
    #expect(try await shop.renewal(of: first.id).status == .billingRetry)
    try await shop.store.setBehaviour(.renewByHand, to: 0)
    #expect(await shop.calendar.keep() == 1)
    #expect(await shop.calendar.keep() == 0)
    #expect(await shop.store.charges().count == 2)
    let early = try await SimulatedShop()
    let bought = try await early.buy(SimulatedShop.month).transaction
    await early.pass(until: try #require(bought.period?.expiresDate), plus: -.milliseconds(1))
    #expect(await early.store.charges().count == 1)
  }

  @Test func `renews at the end of each period and dates a late renewal at that end (AS-CAL-1)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    let end = try #require(first.period?.expiresDate)
    await shop.pass(until: end, plus: .days(70))
    let charges = await shop.store.charges().map(\.transaction)
    #expect(
      charges.map(\.purchaseDate.iso8601) == [
        "2026-11-20T12:00:00.000Z", "2026-12-20T12:00:00.000Z", "2027-01-20T12:00:00.000Z", "2027-02-20T12:00:00.000Z",
      ])
    #expect(charges.allSatisfy { $0.originalId == first.id && $0.appAccountToken == SimulatedShop.token })
    #expect(try await shop.titles() == ["SUBSCRIBED INITIAL_BUY", "DID_RENEW", "DID_RENEW", "DID_RENEW"])
    let dates = try await shop.received().compactMap(\.signedDate).sorted()
    #expect(Array(dates.dropFirst()) == charges.dropFirst().map(\.purchaseDate))
    #expect(try await shop.renewal(of: first.id).status == .active)
    // The log contains the state, with what is due next.
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test func `runs by itself, and wakes at its time and at a purchase (AS-CAL-1)`() async throws {
    let shop = try await SimulatedShop()
    let idle = TimeSpan.minutes(10)
    let running = Task { await shop.calendar.run() }
    await shop.time.untilSomebodySleeps(until: shop.time.now + idle)
    let first = try await shop.buy(SimulatedShop.month).transaction
    let end = try #require(first.period?.expiresDate)
    shop.time.advance(by: end - .minutes(5) - shop.time.now)
    await shop.time.untilSomebodySleeps(until: end)
    #expect(await shop.store.charges().count == 1)
    shop.time.advance(by: .minutes(5))
    await shop.time.untilSomebodySleeps(until: end + idle)
    running.cancel()
    await running.value
    #expect(await shop.store.charges().map(\.transaction.originalId) == [first.id, first.id])
  }

  @Test func `ends a subscription without renewal at the end of its period (AS-CAL-3)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.subscriptions.setAutoRenew(first.id, to: false)
    let end = try #require(first.period?.expiresDate)
    await shop.pass(until: end)
    #expect(try await shop.lastTold().title == "EXPIRED VOLUNTARY")
    let (status, info) = try await shop.renewal(of: first.id)
    #expect(status == .expired && info.expirationIntent == .known(.customerCancelled))
    #expect(info.autoRenewStatus == .known(.off) && info.isInBillingRetryPeriod == false)
    #expect(try await shop.lastTold().data?.status == .known(.expired))
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.renew(first.id)
    }
    // A returning customer continues under the first transaction id, and the cancellation is cleared.
    let again = try await shop.buy(SimulatedShop.month).transaction
    #expect(again.originalId == first.id)
    #expect(try await shop.renewal(of: first.id).status == .active)
    #expect(try await shop.lastTold().title == "SUBSCRIBED RESUBSCRIBE")
  }

  @Test func `ends a subscription to a product that is no longer for sale, and sells no more of it (AS-CAL-4)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    var gone = SimulatedShop.month
    gone.isForSale = false
    try await shop.store.catalog.setProduct(gone, bundleId: SimulatedShop.app.bundleId)
    await #expect(throws: CodedError(SimulatorErrorCode.productUnknown)) {
      try await shop.buy(SimulatedShop.month, by: SimulatedShop.bob)
    }
    await shop.pass(until: try #require(first.period?.expiresDate))
    #expect(try await shop.lastTold().title == "EXPIRED PRODUCT_NOT_FOR_SALE")
    #expect(try await shop.renewal(of: first.id).info.expirationIntent == .known(.productNotAvailable))
  }

  @Test func `ends without a reason only by command, and after the period (AS-CAL-5)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.end(first.id)
    }
    shop.time.advance(by: .days(31))
    try await shop.store.subscriptions.end(first.id)
    #expect(try await shop.lastTold().title == "EXPIRED")
    #expect(try await shop.renewal(of: first.id).info.expirationIntent == .known(.other))
    #expect(await shop.calendar.keep() == 0)
  }

  @Test func `renews twelve times where periods last minutes (AS-CAL-6)`() async throws {
    let shop = try await SimulatedShop(.sandbox)
    let first = try await shop.buy(SimulatedShop.month).transaction
    await shop.pass(.hours(3))
    #expect(await shop.store.charges().count == 13)
    #expect(try await shop.renewal(of: first.id).status == .expired)
    #expect(try await shop.lastTold().title == "EXPIRED VOLUNTARY")
  }

  @Test
  func `renews by the minute in production while a setting demands it, then by the month (AS-SUB-11)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.minutePeriodsInProduction, to: 1)
    let first = try await shop.buy(SimulatedShop.month).transaction
    #expect(first.period?.expiresDate == first.purchaseDate + .minutes(5))
    await shop.pass(.minutes(11))
    try await shop.store.setBehaviour(.minutePeriodsInProduction, to: 0)
    await shop.pass(.days(1))
    let periods = await shop.store.charges().compactMap(\.transaction.period?.expiresDate)
    let month = try #require(Timestamp(iso8601: "2026-12-20T12:15:00Z"))
    #expect(periods == [5, 10, 15].map { first.purchaseDate + .minutes($0) } + [month])
  }
}

@Suite struct `A renewal that cannot be charged` {
  /// A subscriber with a card that no longer works.
  private func shop(grace: Int = 0) async throws -> (SimulatedShop, SimulatedTransaction, end: Timestamp) {
    let shop = try await SimulatedShop()
    var app = SimulatedShop.app
    app.gracePeriodDays = grace
    try await shop.store.catalog.setApp(app)
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.set(canPay: false)
    return (shop, first, try #require(first.period?.expiresDate))
  }

  @Test func `follows failed purchases (AS-BILL-1)`() async throws {
    let (shop, _, _) = try await shop()
    await #expect(throws: CodedError(SimulatorErrorCode.purchaseFailed)) { try await shop.buy(SimulatedShop.coins) }
    #expect(await shop.store.charges().count == 1)
  }

  @Test func `is retried for sixty days, and then the subscription expires (AS-BILL-1, AS-BILL-4)`() async throws {
    let (shop, first, end) = try await shop()
    await shop.pass(until: end)
    var (status, info) = try await shop.renewal(of: first.id)
    #expect(status == .billingRetry && info.isInBillingRetryPeriod == true)
    #expect(info.expirationIntent == .known(.billingError) && info.gracePeriodExpiresDate == nil)
    #expect(try await shop.lastTold().data?.status == .known(.billingRetry))
    await shop.pass(until: end, plus: .milliseconds(60 * 86_400_000 - 1))
    #expect(try await shop.titles() == ["SUBSCRIBED INITIAL_BUY", "DID_FAIL_TO_RENEW"])
    await shop.pass(.milliseconds(1))
    (status, info) = try await shop.renewal(of: first.id)
    #expect(status == .expired && info.isInBillingRetryPeriod == false)
    #expect(try await shop.titles().last == "EXPIRED BILLING_RETRY")
    try await shop.set(canPay: true)
    #expect(await shop.calendar.keep() == 0)
  }

  @Test func `keeps access during the grace period (AS-BILL-2)`() async throws {
    let (shop, first, end) = try await shop(grace: 16)
    await shop.pass(until: end)
    let (status, info) = try await shop.renewal(of: first.id)
    #expect(status == .billingGracePeriod && info.gracePeriodExpiresDate == end + .days(16))
    #expect(info.isInBillingRetryPeriod == true)
    await shop.pass(until: end, plus: .days(16))
    #expect(try await shop.renewal(of: first.id).status == .billingRetry)
    #expect(
      try await shop.titles() == [
        "SUBSCRIBED INITIAL_BUY", "DID_FAIL_TO_RENEW GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
      ])
    var app = SimulatedShop.app
    app.gracePeriodDays = 5
    let wrong = app
    await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) { try await shop.store.catalog.setApp(wrong) }
  }

  @Test(arguments: [(Int64(3), true), (20, false)])
  func `succeeds when the card works again (AS-BILL-3)`(days: Int64, isInGrace: Bool) async throws {
    let (shop, first, end) = try await shop(grace: 16)
    await shop.pass(until: end)
    await shop.pass(until: end, plus: .days(days))
    try await shop.set(canPay: true)
    await shop.pass(.zero)
    let charge = try #require(await shop.store.charges().last?.transaction)
    #expect(charge.originalId == first.id && charge.purchaseDate == (isInGrace ? end : end + .days(days)))
    #expect(try await shop.titles().last == "DID_RENEW BILLING_RECOVERY")
    let (status, info) = try await shop.renewal(of: first.id)
    #expect(status == .active && info.expirationIntent == nil && info.gracePeriodExpiresDate == nil)
  }

  @Test func `ends at once when the customer turns renewal off (AS-CAL-3)`() async throws {
    let (shop, first, end) = try await shop()
    await shop.pass(until: end)
    await shop.pass(.days(5))
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.setAutoRenew(first.id, to: true)
      try await shop.store.subscriptions.setAutoRenew(first.id, to: false)
      try await shop.store.subscriptions.setAutoRenew(first.id, to: true)
    }
    await shop.pass(.zero)
    #expect(try await shop.lastTold().title == "EXPIRED VOLUNTARY")
  }

  @Test func `is retried for ten minutes if a month lasts five (AS-BILL-4)`() async throws {
    let shop = try await SimulatedShop(.sandbox)
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.set(canPay: false, .sandbox)
    await shop.pass(.minutes(14))
    #expect(try await shop.renewal(of: first.id).status == .billingRetry)
    await shop.pass(.minutes(1))
    #expect(try await shop.renewal(of: first.id).status == .expired)
  }
}
