import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `Renewing in the simulator` {
  @Test func `is refused if the product is not a subscription`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction.id
    for id in [coins, "1"] {
      await #expect(throws: CodedError(SimulatorErrorCode.subscriptionUnknown)) {
        try await shop.store.subscriptions.renew(id)
      }
      await #expect(throws: CodedError(SimulatorErrorCode.subscriptionUnknown)) {
        try await shop.store.subscriptions.setAutoRenew(id, to: false)
      }
      await #expect(throws: CodedError(SimulatorErrorCode.subscriptionUnknown)) {
        try await shop.store.signedRenewalInfo(id)
      }
    }
  }

  @Test func `is refused before the last day of the period (AS-SUB-3)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    await #expect(throws: CodedError(SimulatorErrorCode.renewalTooEarly)) {
      try await shop.store.subscriptions.renew(first.id)
    }
    let end = try #require(first.period?.expiresDate)
    shop.time.advance(by: end - .hours(24) - .milliseconds(1) - shop.time.now)
    await #expect(throws: CodedError(SimulatorErrorCode.renewalTooEarly)) {
      try await shop.store.subscriptions.renew(first.id)
    }
    shop.time.advance(by: .milliseconds(1))
    let second = try await shop.store.subscriptions.renew(first.id)
    await #expect(throws: CodedError(SimulatorErrorCode.renewalTooEarly)) {
      try await shop.store.subscriptions.renew(first.id)
    }
    #expect(second.purchaseDate == end)
  }

  @Test func `is refused once it is turned off, or was retried for sixty days (AS-SUB-4)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    try await shop.store.subscriptions.setAutoRenew(first.id, to: false)
    shop.time.advance(by: .days(30))
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.renew(first.id)
    }
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.setAutoRenew(first.id, to: true)
    }
    let bobs = try await shop.buy(SimulatedShop.month, by: SimulatedShop.bob).transaction
    let end = try #require(bobs.period?.expiresDate)
    shop.time.advance(by: end + .days(60) - shop.time.now)
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.renew(bobs.id)
    }
  }

  @Test func `begins the next period where this one ends, with the facts of the subscription (AS-SUB-3)`() async throws
  {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    shop.time.advance(by: .hours(29 * 24 + 12))
    let second = try await shop.store.subscriptions.renew(first.id)
    let payload = try await shop.verified(try await shop.store.signedTransaction(second.id).signedTransaction)
    #expect(payload.transactionId != first.id.text && payload.originalTransactionId == first.id.text)
    #expect(payload.purchaseDate == first.period?.expiresDate)
    #expect(payload.expiresDate == Timestamp(iso8601: "2027-01-20T12:00:00Z"))
    #expect(payload.originalPurchaseDate == first.originalPurchaseDate)
    #expect(payload.transactionReason == .known(.renewal) && payload.appAccountToken == SimulatedShop.token.text)
    #expect(payload.webOrderLineItemId != first.period?.webOrderLineItemId)
    let unfinished = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice)
    #expect(unfinished.map(\.transaction.id) == [first.id, second.id])
    #expect(await shop.store.charges().count == 2)
    await shop.sender.sendDue()
    let told = try await shop.received()
    #expect(told.map(\.title) == ["SUBSCRIBED INITIAL_BUY", "DID_RENEW"])
    #expect(told.last?.transaction?.verified?.payload.transactionId == second.id.text)
    #expect(told.last?.renewalInfo?.verified?.payload.renewalDate == second.period?.expiresDate)
    #expect(told.last?.notification.verified?.payload.data?.status == .known(.active))
  }

  @Test func `after the end begins now, as a recovery (AS-SUB-4)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    shop.time.advance(by: .days(33))
    let (before, info) = try await shop.store.signedRenewalInfo(first.id)
    #expect(before == .billingRetry)
    let lapsed = try shop.verifier()
      .verifyRenewalInfo(info, expecting: SimulatedShop.expectations, at: shop.time.now).verified?.payload
    #expect(lapsed?.isInBillingRetryPeriod == true && lapsed?.expirationIntent == .known(.billingError))
    let second = try await shop.store.subscriptions.renew(first.id)
    #expect(second.purchaseDate == Timestamp(seconds: shop.time.now.seconds))
    await shop.sender.sendDue()
    #expect(try await shop.received().last?.title == "DID_RENEW BILLING_RECOVERY")
    #expect(try await shop.store.signedRenewalInfo(first.id).status == .active)
  }
}

@Suite struct `A simulated subscription` {
  @Test func `states its renewal information (AS-SUB-6)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    let (status, signed) = try await shop.store.signedRenewalInfo(first.id, for: SimulatedShop.device)
    let verdict = try shop.verifier().verifyRenewalInfo(
      signed, expecting: SimulatedShop.expectations, at: shop.time.now)
    let info = try #require(verdict.verified?.payload)
    #expect(status == .active && info.autoRenewStatus == .known(.on))
    #expect(info.originalTransactionId == first.id.text && info.autoRenewProductId == SimulatedShop.month.id.text)
    #expect(info.renewalPrice == 25_000 && info.currency == "CNY")
    #expect(info.renewalDate == first.period?.expiresDate)
    #expect(info.recentSubscriptionStartDate == first.purchaseDate)
    #expect(info.appAccountToken == SimulatedShop.token.text && info.deviceVerification != nil)
    #expect(info.expirationIntent == nil && info.isInBillingRetryPeriod == nil)
  }

  @Test func `turned off lasts to its end, and notifies each change once (AS-SUB-6, AS-NOTE-5)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    for isOn in [true, false, false, true, false] {
      try await shop.store.subscriptions.setAutoRenew(first.id, to: isOn)
    }
    #expect(try await shop.store.signedRenewalInfo(first.id).status == .active)
    shop.time.advance(by: .days(31))
    let (status, signed) = try await shop.store.signedRenewalInfo(first.id)
    let info = try shop.verifier()
      .verifyRenewalInfo(signed, expecting: SimulatedShop.expectations, at: shop.time.now).verified?.payload
    #expect(status == .expired && info?.expirationIntent == .known(.customerCancelled))
    #expect(info?.isInBillingRetryPeriod == false && info?.renewalPrice == nil)
    #expect(
      await shop.store.notifications().compactMap(\.facts.subtype)
        == [.initialBuy, .autoRenewDisabled, .autoRenewEnabled, .autoRenewDisabled])
  }

  @Test func `bought again continues under its first transaction id (AS-SUB-5)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    shop.time.advance(by: .days(40))
    let again = try await shop.buy(SimulatedShop.year) { $0.appAccountToken = nil }
    let payload = try await shop.verified(again.signedTransaction)
    #expect(payload.originalTransactionId == first.id.text && payload.productId == SimulatedShop.year.id.text)
    #expect(payload.originalPurchaseDate == first.originalPurchaseDate && payload.appAccountToken == nil)
    #expect(payload.transactionReason == .known(.purchase))
    let facts = await shop.store.notifications().last?.facts
    #expect(facts?.type == .subscribed && facts?.subtype == .resubscribe)
  }

  @Test func `lasts minutes in the sandbox, unless a setting changes that (AS-SUB-2)`() async throws {
    let shop = try await SimulatedShop(.sandbox)
    let short = try await shop.buy(SimulatedShop.month).transaction
    #expect(short.period?.expiresDate == short.purchaseDate + .minutes(5))
    shop.time.advance(by: .minutes(4))
    #expect(try await shop.store.subscriptions.renew(short.id).period?.expiresDate == short.purchaseDate + .minutes(10))
    // The next period has not begun: there is nothing to renew yet.
    await #expect(throws: CodedError(SimulatorErrorCode.renewalTooEarly)) {
      try await shop.store.subscriptions.renew(short.id)
    }
    try await shop.store.setBehaviour(.calendarPeriodsInSandbox, to: 1)
    let long = try await shop.buy(SimulatedShop.month, by: SimulatedShop.bob).transaction
    #expect(long.period?.expiresDate == Timestamp(iso8601: "2026-12-20T12:04:00Z"))
  }
}

@Suite struct `A subscription period` {
  @Test(arguments: [
    ("2026-11-20T12:00:00Z", SubscriptionPeriod.week, "2026-11-27T12:00:00Z"),
    ("2026-11-20T12:00:00Z", .month, "2026-12-20T12:00:00Z"),
    ("2026-12-31T23:59:59Z", .twoMonths, "2027-02-28T23:59:59Z"),
    ("2027-12-31T00:00:00Z", .twoMonths, "2028-02-29T00:00:00Z"),
    ("2026-08-31T00:00:00Z", .threeMonths, "2026-11-30T00:00:00Z"),
    ("2026-08-31T00:00:00Z", .sixMonths, "2027-02-28T00:00:00Z"),
    ("2028-02-29T08:00:00Z", .year, "2029-02-28T08:00:00Z"),
    ("2026-01-31T00:00:00Z", .month, "2026-02-28T00:00:00Z"),
    ("9999-12-15T00:00:00Z", .week, "9999-12-22T00:00:00Z"),
  ])
  func `ends on the same day, or on the last one of a shorter month`(
    start: String, period: SubscriptionPeriod, end: String
  ) throws {
    let start = try #require(Timestamp(iso8601: start))
    #expect(period.end(from: start, isAccelerated: false) == Timestamp(iso8601: end))
  }

  @Test func `lasts as long in the sandbox as Apple's table states (AS-SUB-2)`() {
    let start = SimulatedShop.noon
    let minutes = SubscriptionPeriod.allCases.map {
      ($0.end(from: start, isAccelerated: true) - start).milliseconds / 60_000
    }
    #expect(minutes == [3, 5, 10, 15, 30, 60])
  }

  @Test func `has an end whatever the year`() {
    for year in [Int64(0), 250_000_000_000_000, -70_000_000_000_000] {
      let start = Timestamp(milliseconds: year)
      for period in SubscriptionPeriod.allCases { #expect(period.end(from: start, isAccelerated: false) > start) }
    }
  }
}
