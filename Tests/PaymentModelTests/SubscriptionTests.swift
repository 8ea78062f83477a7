import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A subscription` {
  private let noon = Purchases.noon
  private let key = Purchases.payment("s1").key

  private func renewal(_ day: Int64, renews: Bool = true, _ change: (inout VerifiedRenewal) -> Void = { _ in })
    -> Subscription.Event
  {
    var renewal = VerifiedRenewal(subscription: key, signedDate: noon + .days(day), willRenew: renews)
    change(&renewal)
    return .renewal(renewal)
  }

  private func subscription(_ events: [Subscription.Event], at day: Int64 = 0) -> Subscription {
    var subscription = Subscription(key: key, claimant: nil)
    for event in events { _ = subscription.receive(event, at: noon + .days(day)) }
    return subscription
  }

  @Test func `ignores events of another subscription, and events older than its state`() {
    let other = VerifiedRenewal(subscription: Purchases.payment("s9").key, signedDate: noon, willRenew: true)
    #expect(subscription([.renewal(other)]).renewal == nil)
    let known = subscription([renewal(5, renews: false), renewal(3)])
    #expect(known.renewal?.willRenew == false)
    #expect(
      subscription([renewal(5), .period(until: noon + .days(30)), .period(until: noon + .days(20))]).periodEnd == noon
        + .days(30))
  }

  @Test func `ends in the same state for any order of six events`() {
    let events = [
      renewal(1), renewal(2, renews: false), renewal(30) { $0.isInBillingRetry = true },
      renewal(30) { $0.gracePeriodExpiresDate = Purchases.noon + .days(46) }, .period(until: noon + .days(30)),
      .period(until: noon + .days(60)),
    ]
    let expected = subscription(events)
    for order in events.permutations { #expect(subscription(order) == expected) }
  }

  @Test func `reports each change once`() {
    var subscription = Subscription(key: key, claimant: nil)
    #expect(subscription.receive(renewal(1), at: noon) == [.subscriptionRenews])
    #expect(subscription.receive(renewal(2, renews: false), at: noon) == [.subscriptionEndsWithItsPeriod])
    #expect(subscription.receive(renewal(2, renews: false), at: noon) == [])
    let failed = subscription.receive(
      renewal(30) {
        $0.isInBillingRetry = true
        $0.gracePeriodExpiresDate = Purchases.noon + .days(46)
        $0.priceIncrease = .pending
      }, at: noon)
    #expect(
      failed == [.subscriptionRenews, .subscriptionInBillingRetry, .subscriptionInGracePeriod, .priceIncreasePending])
    let ended = subscription.receive(renewal(95, renews: false) { $0.expiration = .billingError }, at: noon)
    #expect(ended == [.subscriptionEndsWithItsPeriod, .subscriptionBillingRecovered, .subscriptionExpired])
    #expect(
      subscription.receive(renewal(96, renews: false) { $0.expiration = .billingError }, at: noon) == [
        .renewalUpdateKept
      ])
  }

  @Test func `is queried an hour after its period's end, then daily for sixty days, then no more`() {
    let known = subscription([.period(until: noon + .days(30))])
    #expect(known.askAt == noon + .days(30) + .hours(1))
    var asked = subscription([.period(until: noon + .days(30)), .asked], at: 31)
    #expect(asked.askAt == noon + .days(32))
    _ = asked.receive(.asked, at: noon + .days(89))
    #expect(asked.askAt == noon + .days(90))
    _ = asked.receive(.asked, at: noon + .days(91))
    #expect(asked.askAt == nil)
  }

  @Test func `is not queried once its user has ended it, and is again with the next period`() {
    var ended = subscription([.period(until: noon + .days(30)), renewal(31, renews: false)], at: 31)
    #expect(ended.askAt == nil)
    // Before the end, the user may have turned renewal on again, and the update may be lost.
    let cancelled = subscription([.period(until: noon + .days(30)), renewal(20, renews: false), .asked], at: 31)
    #expect(cancelled.askAt == noon + .days(32))
    _ = ended.receive(.period(until: noon + .days(70)), at: noon + .days(40))
    #expect(ended.askAt == noon + .days(70) + .hours(1))
    let grace = subscription([
      .period(until: noon + .days(30)), renewal(30) { $0.gracePeriodExpiresDate = Purchases.noon + .days(46) },
    ])
    #expect(grace.askAt == noon + .days(46) + .hours(1))
  }
}
