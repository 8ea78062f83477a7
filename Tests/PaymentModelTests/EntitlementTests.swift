import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A user's entitlement` {
  private let noon = Purchases.noon

  /// A grant of an entitlement with its payment's facts.
  private func source(
    _ id: TransactionIdentifier, _ product: Product, day: Int64, store: Store = .appStore,
    original: TransactionIdentifier? = nil,
    name: EntitlementName? = nil, takenBack: Bool = false
  ) -> EntitlementSource {
    var facts = Purchases.payment(id, for: product, at: noon + .days(day))
    facts.key = PaymentKey(app: "shop", store: store, environment: .simulated, transaction: id)
    facts.originalTransaction = original ?? id
    var content = product.grant.content(of: facts) ?? .units("none", amount: 1)
    if let name, case .entitlement(_, let from, let until) = content {
      content = .entitlement(name, from: from, until: until)
    }
    var grant = Grant(
      payment: facts.key, user: "alice", content: content, promise: GrantPromise(of: product),
      grantedAt: facts.purchaseDate)
    grant.takenBack = takenBack ? 1 : 0
    return EntitlementSource(grant, of: facts, renewal: nil)
  }

  private func subscription(_ id: TransactionIdentifier, day: Int64, takenBack: Bool = false) -> EntitlementSource {
    source(id, Purchases.monthly, day: day, original: "s1", takenBack: takenBack)
  }

  private func renewal(day: Int64, renews: Bool = false) -> VerifiedRenewal {
    VerifiedRenewal(subscription: Purchases.payment("s1").key, signedDate: noon + .days(day), willRenew: renews)
  }

  private func entitlement(_ sources: [EntitlementSource], _ renewal: VerifiedRenewal? = nil, day: Int64)
    -> Entitlement?
  {
    let told = sources.map { source in
      var source = source
      source.renewal = renewal
      return source
    }
    return Entitlement.all(from: told, at: noon + .days(day)).first
  }

  // MARK: subscriptions

  @Test func `from a subscription ends with its paid period, not before and not after`() {
    let periods = [subscription("s1", day: 0)]
    #expect(entitlement(periods, day: 29)?.state == .active)
    #expect(entitlement(periods, day: 30)?.state == .expired)
    #expect(entitlement(periods, day: 30)?.state.givesAccess == false)
    #expect(entitlement(periods, day: 1)?.willRenew == nil)
  }

  @Test func `stays to the end of the paid period after a cancellation, and then names the reason for its end`() {
    var cancelled = renewal(day: 10)
    #expect(entitlement([subscription("s1", day: 0)], cancelled, day: 20)?.state == .active)
    #expect(entitlement([subscription("s1", day: 0)], cancelled, day: 20)?.willRenew == false)
    cancelled.renewsTo = "com.example.monthly"
    #expect(entitlement([subscription("s1", day: 0)], cancelled, day: 20)?.renewsTo == nil)
    cancelled.expiration = .cancelled
    let ended = entitlement([subscription("s1", day: 0)], cancelled, day: 40)
    #expect(ended?.state == .expired && ended?.reason == .cancelled)
  }

  @Test func `continues through a grace period, and not through billing retry`() {
    var failed = renewal(day: 30, renews: true)
    failed.isInBillingRetry = true
    failed.gracePeriodExpiresDate = noon + .days(46)
    let periods = [subscription("s1", day: 0)]
    #expect(entitlement(periods, failed, day: 31)?.state == .gracePeriod)
    #expect(entitlement(periods, failed, day: 31)?.gracePeriodExpiresDate == noon + .days(46))
    #expect(entitlement(periods, failed, day: 31)?.state.givesAccess == true)
    #expect(entitlement(periods, failed, day: 46)?.state == .billingRetry)
    #expect(entitlement(periods, failed, day: 46)?.state.givesAccess == false)
    #expect(entitlement(periods, failed, day: 89)?.state == .billingRetry)
    #expect(entitlement(periods, failed, day: 90)?.state == .expired)
  }

  @Test func `gets nothing from the grace of a later period that another user has bought`() {
    var failed = renewal(day: 90, renews: true)
    failed.isInBillingRetry = true
    failed.renewalDate = noon + .days(90)
    failed.gracePeriodExpiresDate = noon + .days(106)
    #expect(entitlement([subscription("s1", day: 0)], failed, day: 91)?.state == .expired)
    #expect(entitlement([subscription("s1", day: 0)], failed, day: 91)?.willRenew == nil)
    #expect(entitlement([subscription("s2", day: 60)], failed, day: 91)?.state == .gracePeriod)
  }

  @Test func `ignores statements about an earlier period once the next is paid`() {
    var failed = renewal(day: 30, renews: true)
    failed.isInBillingRetry = true
    failed.gracePeriodExpiresDate = noon + .days(46)
    let recovered = [subscription("s1", day: 0), subscription("s2", day: 40)]
    #expect(entitlement(recovered, failed, day: 50)?.state == .active)
    #expect(entitlement(recovered, failed, day: 50)?.willRenew == nil)
    #expect(entitlement(recovered, failed, day: 71)?.state == .expired)
    // A repeated statement after that is about a past time.
    failed.signedDate = noon + .days(41)
    #expect(entitlement(recovered, failed, day: 50)?.willRenew == true)
    #expect(entitlement(recovered, failed, day: 50)?.gracePeriodExpiresDate == nil)
  }

  @Test func `is revoked when its latest period is refunded, and an earlier one is over`() {
    let periods = [subscription("s1", day: 0), subscription("s2", day: 30, takenBack: true)]
    #expect(entitlement(periods, day: 20)?.state == .active)
    #expect(entitlement(periods, day: 40)?.state == .revoked)
    let only = entitlement([subscription("s1", day: 0, takenBack: true)], day: 10)
    #expect(only?.state == .revoked && only?.reason == .refunded)
    var shared = subscription("s1", day: 0, takenBack: true)
    shared.revocationType = "FAMILY_REVOKE"
    #expect(entitlement([shared], day: 10)?.reason == .familySharingEnded)
  }

  @Test func `of a product that was replaced within its subscription ends with the change`() {
    var pro = source("s2", Purchases.monthly, day: 10, original: "s1", name: "pro")
    pro.storeProduct = "com.example.pro"
    let entitlements = Entitlement.all(from: [subscription("s1", day: 0), pro], at: noon + .days(12))
    #expect(entitlements.map(\.entitlement) == ["club", "pro"])
    #expect(entitlements.map(\.state) == [.expired, .active])
    #expect(entitlements.first?.reason == .upgraded)
    #expect(
      entitlements.first?.until == noon + .days(10), "with the change, not with the period that was paid before it")
    // The store's own statement about the former product is enough.
    var left = subscription("s1", day: 0)
    left.isUpgraded = true
    #expect(entitlement([left], day: 12)?.state == .expired)
    // The refund of its rest does not make the earlier, paid period a refunded one.
    var refunded = subscription("s2", day: 10, takenBack: true)
    refunded.isUpgraded = true
    #expect(entitlement([subscription("s1", day: 0), refunded], day: 31)?.state == .expired)
    // A refunded change has changed nothing.
    pro.grant.takenBack = 1
    #expect(
      Entitlement.all(from: [subscription("s1", day: 0), pro], at: noon + .days(12)).map(\.state) == [
        .active, .revoked,
      ])
  }

  // MARK: periods and lasting entitlements

  @Test func `from bought periods lasts as long as all of them, whichever store sold which`() {
    let first = source("1", Purchases.season, day: 0)
    let second = source("2", Purchases.season, day: 10, store: .weChatPay)
    #expect(entitlement([first, second], day: 0)?.until == noon + .days(180))
    #expect(entitlement([second, first], day: 0)?.until == noon + .days(180))
    let late = source("3", Purchases.season, day: 300)
    #expect(entitlement([first, second, late], day: 301)?.until == noon + .days(390))
    var refunded = first
    refunded.grant.takenBack = 1
    #expect(entitlement([refunded, second], day: 20)?.until == noon + .days(100))
    #expect(entitlement([refunded], day: 1)?.state == .revoked)
  }

  @Test func `that lasts outlives every period, and is revoked only by its own refund`() {
    let forever = source("1", Purchases.premium, day: 0, name: "club")
    let periods = [subscription("s1", day: 0)]
    #expect(entitlement([forever] + periods, day: 999)?.state == .active)
    #expect(entitlement([forever] + periods, day: 999)?.until == nil)
    var refunded = forever
    refunded.grant.takenBack = 1
    #expect(entitlement([refunded] + periods, day: 1)?.state == .active)
    #expect(entitlement([refunded], day: 1)?.state == .revoked)
  }

  @Test func `is the same in any order of its payments`() {
    let sources = [
      subscription("s1", day: 0), subscription("s2", day: 30), source("1", Purchases.season, day: 3, name: "club"),
      source("2", Purchases.season, day: 8, store: .weChatPay, name: "club"),
      subscription("s3", day: 60, takenBack: true),
    ]
    let expected = Entitlement.all(from: sources, at: noon + .days(50))
    for order in sources.permutations { #expect(Entitlement.all(from: order, at: noon + .days(50)) == expected) }
  }
}

extension Array {
  /// All orders of the elements.
  var permutations: [[Element]] {
    guard let first else { return [[]] }
    return Array(dropFirst()).permutations.flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0] + [first] + rest[$0...]) }
    }
  }
}
