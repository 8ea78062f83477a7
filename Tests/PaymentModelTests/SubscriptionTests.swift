import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A subscription` {
  private let noon = Purchases.noon
  private let key = Purchases.payment("s1").key

  private func renewal(_ day: Int64, renews: Bool = true, _ change: (inout VerifiedRenewal) -> Void = { _ in })
    -> Subscription.Event
  {
    var renewal = VerifiedRenewal(line: key, signedDate: noon + .days(day), willRenew: renews)
    change(&renewal)
    return .renewal(renewal)
  }

  private func line(_ events: [Subscription.Event], at day: Int64 = 0) -> Subscription {
    var line = Subscription(key: key, claimant: nil)
    for event in events { _ = line.receive(event, at: noon + .days(day)) }
    return line
  }

  @Test func `ignores events of another subscription, and events older than its state`() {
    let other = VerifiedRenewal(line: Purchases.payment("s9").key, signedDate: noon, willRenew: true)
    #expect(line([.renewal(other)]).renewal == nil)
    let known = line([renewal(5, renews: false), renewal(3)])
    #expect(known.renewal?.willRenew == false)
    #expect(
      line([renewal(5), .period(until: noon + .days(30)), .period(until: noon + .days(20))]).periodEnd == noon
        + .days(30))
  }

  @Test func `ends in the same state for any order of six events`() {
    let events = [
      renewal(1), renewal(2, renews: false), renewal(30) { $0.isInBillingRetry = true },
      renewal(30) { $0.gracePeriodExpiresDate = Purchases.noon + .days(46) }, .period(until: noon + .days(30)),
      .period(until: noon + .days(60)),
    ]
    let expected = line(events)
    for order in events.permutations { #expect(line(order) == expected) }
  }

  @Test func `reports each change once`() {
    var line = Subscription(key: key, claimant: nil)
    #expect(line.receive(renewal(1), at: noon) == [.subscriptionRenews])
    #expect(line.receive(renewal(2, renews: false), at: noon) == [.subscriptionEndsWithItsPeriod])
    #expect(line.receive(renewal(2, renews: false), at: noon) == [])
    let failed = line.receive(
      renewal(30) {
        $0.isInBillingRetry = true
        $0.gracePeriodExpiresDate = Purchases.noon + .days(46)
        $0.priceIncrease = .pending
      }, at: noon)
    #expect(
      failed == [.subscriptionRenews, .subscriptionInBillingRetry, .subscriptionInGracePeriod, .priceIncreasePending])
    let ended = line.receive(renewal(95, renews: false) { $0.expiration = .billingError }, at: noon)
    #expect(ended == [.subscriptionEndsWithItsPeriod, .subscriptionBillingRecovered, .subscriptionExpired])
    #expect(
      line.receive(renewal(96, renews: false) { $0.expiration = .billingError }, at: noon) == [.renewalUpdateKept])
  }

  @Test func `is queried an hour after its period's end, then daily for sixty days, then no more`() {
    let known = line([.period(until: noon + .days(30))])
    #expect(known.askAt == noon + .days(30) + .hours(1))
    var asked = line([.period(until: noon + .days(30)), .asked], at: 31)
    #expect(asked.askAt == noon + .days(32))
    _ = asked.receive(.asked, at: noon + .days(89))
    #expect(asked.askAt == noon + .days(90))
    _ = asked.receive(.asked, at: noon + .days(91))
    #expect(asked.askAt == nil)
  }

  @Test func `is not queried once its user has ended it, and is again with the next period`() {
    var ended = line([.period(until: noon + .days(30)), renewal(31, renews: false)], at: 31)
    #expect(ended.askAt == nil)
    // Before the end, the user may have turned renewal on again, and the update may be lost.
    let cancelled = line([.period(until: noon + .days(30)), renewal(20, renews: false), .asked], at: 31)
    #expect(cancelled.askAt == noon + .days(32))
    _ = ended.receive(.period(until: noon + .days(70)), at: noon + .days(40))
    #expect(ended.askAt == noon + .days(70) + .hours(1))
    let grace = line([
      .period(until: noon + .days(30)), renewal(30) { $0.gracePeriodExpiresDate = Purchases.noon + .days(46) },
    ])
    #expect(grace.askAt == noon + .days(46) + .hours(1))
  }
}
