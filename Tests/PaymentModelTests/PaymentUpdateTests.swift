import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `An update of a payment` {
  private static func charge(token: UInt64? = 1, signed: Double = 0, yuan: Int64 = 6) -> VerifiedPayment {
    var facts = Purchases.payment("w1", token: token)
    facts.key = PaymentKey(app: "shop", store: .weChatPay, environment: .simulated, transaction: "w1")
    facts.signedDate = Purchases.noon + .milliseconds(Int64(signed * 1000))
    facts.price = StatedPrice(milliunits: yuan * 1000, currency: "CNY")
    return facts
  }

  private static func update(_ facts: VerifiedPayment, isOfCharge: Bool = false) -> PaymentUpdate {
    var update = PaymentUpdate(facts: facts, evidence: "signed", origin: .notification)
    if isOfCharge {
      update.charge = VerifiedCharge(
        key: facts.key, orderNumber: "1", amount: Money(minorUnits: 600, currency: .cny), merchant: "1900000001",
        paidDate: facts.purchaseDate, signedDate: facts.signedDate)
    }
    return update
  }

  private static func known(_ facts: VerifiedPayment, _ state: PaymentState = .fulfilled) -> Payment {
    var payment = Payment(facts: facts, firstSeenAt: Purchases.noon)
    payment.state = state
    return payment
  }

  @Test func `of Apple is not newer than one of the same moment, one of WeChat Pay is: it signs whole seconds`() {
    let facts = Purchases.payment("t1")
    #expect(!Self.update(facts).isNewer(than: Self.known(facts)))
    #expect(Self.update(Self.charge(), isOfCharge: true).isNewer(than: Self.known(Self.charge())))
    #expect(!Self.update(Self.charge(), isOfCharge: true).isNewer(than: Self.known(Self.charge(signed: 1))))
  }

  @Test(arguments: [
    (charge(token: 2), true), (charge(yuan: 7), true), (charge(signed: 60), false),
  ])
  func `contradicts a granted charge if it states another order or amount`(_ facts: VerifiedPayment, _ expected: Bool) {
    let update = Self.update(facts, isOfCharge: true)
    #expect(update.contradicts(Self.known(Self.charge())) == expected)
    #expect(!update.contradicts(Self.known(Self.charge(), .unclaimed)), "nothing was granted by the first statement")
    #expect(!Self.update(facts).contradicts(Self.known(Self.charge())), "an update of a refund states no charge")
  }

  @Test func `decides nothing while a refund may be under way, nor about a charge unless it is the newest statement`() {
    let waiting = Self.known(Self.charge(signed: 1), .unclaimed)
    let newest = Self.update(Self.charge(signed: 2), isOfCharge: true)
    #expect(newest.decides(waiting, known: waiting, isRefundUnderWay: false))
    #expect(newest.decides(waiting, known: nil, isRefundUnderWay: false))
    #expect(!newest.decides(waiting, known: waiting, isRefundUnderWay: true))
    #expect(!Self.update(Self.charge(), isOfCharge: true).decides(waiting, known: waiting, isRefundUnderWay: false))
    #expect(!Self.update(Self.charge(signed: 2)).decides(waiting, known: waiting, isRefundUnderWay: false))
    let apple = Self.known(Purchases.payment("t1"), .unclaimed)
    #expect(Self.update(Purchases.payment("t1")).decides(apple, known: apple, isRefundUnderWay: false))
  }

  @Test func `replaces older facts if it is whole, and never the first presenter`() {
    var facts = Purchases.payment("t1")
    facts.signedDate = Purchases.noon + .days(1)
    facts.revocation = Revocation(date: Purchases.noon)
    var update = Self.update(facts)
    update.claim = OwnershipClaim(user: "bob", proof: .missing, orders: [], sameRun: nil)
    var payment = Self.known(Purchases.payment("t1"))
    payment.presenter = "alice"
    var partial = update
    partial.isWhole = false
    payment.take(partial)
    #expect(payment.facts == Purchases.payment("t1"))
    payment.take(update)
    #expect(payment.facts == facts && payment.statedRevocation == facts.revocation && payment.presenter == "alice")
  }

  @Test func `begins the refund history of a statement that has none with what it replaces (record 164)`() {
    var refunded = Purchases.payment("t1", for: Purchases.premium)
    refunded.revocation = Revocation(date: Purchases.noon)
    var statement = PurchaseStatement(refunded)
    var later = Purchases.payment("t1", for: Purchases.premium)
    later.signedDate = Purchases.noon + .days(1)
    var update = Self.update(later)
    update.refundReversedAt = later.signedDate
    statement.take(update)
    #expect(statement.facts.revocation == nil && statement.refundReversedAt == later.signedDate)
    #expect(statement.refundHistory.refunds == [Purchases.noon..<later.signedDate])
  }
}

@Suite struct `A decision about a payment that is known` {
  private static let grant = MatchDecision.grant(to: "bob", .derivedOrder(from: nil), rule: .derived, flags: [])

  @Test(arguments: [
    (MatchDecision.unclaimed, PaymentState.unclaimed, true, false), (.unclaimed, .held(.productUnknown), true, true),
    (.unclaimed, .imported, true, true), (.unclaimed, .verified, false, false),
    (.held(.productUnknown), .held(.productUnknown), true, false),
    (.held(.productUnknown), .held(.ownerAmbiguous), false, false),
    (.imported(to: nil, .none, rule: nil, flags: []), .imported, true, true), (grant, .unclaimed, false, false),
  ])
  func `changes nothing or steps back as the table says`(
    _ decision: MatchDecision, _ state: PaymentState, _ isNothing: Bool, _ isStepBack: Bool
  ) {
    #expect(decision.changesNothing(in: state) == isNothing)
    #expect(decision.isStepBack(from: state) == isStepBack)
  }

  @Test func `goes to the would-be owner after a reversed refund, whomever the rule names now`() {
    var payment = Payment(facts: Purchases.payment("t1"), firstSeenAt: Purchases.noon)
    #expect(MatchDecision.unclaimed.afterReversedRefund(of: payment) == .unclaimed)
    payment.owner = "alice"
    let alices = MatchDecision.grant(to: "alice", .derivedOrder(from: nil), rule: .derived, flags: [])
    #expect(MatchDecision.unclaimed.afterReversedRefund(of: payment) == alices)
    #expect(Self.grant.afterReversedRefund(of: payment) == alices)
    let exact = MatchDecision.grant(to: "alice", .order(Purchases.identifier(1)), rule: .exact, flags: [])
    #expect(exact.afterReversedRefund(of: payment) == exact)
    payment.facts.ownership = .familyShared
    #expect(
      MatchDecision.unclaimed.afterReversedRefund(of: payment)
        == .grant(to: "alice", .none, rule: .derived, flags: []))
  }
}
