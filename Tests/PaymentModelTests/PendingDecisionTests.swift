import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What an update leaves to decide` {
  private static func payment(_ state: PaymentState, owner: UserIdentifier? = nil, isRevoked: Bool = false) -> Payment {
    var facts = Purchases.payment("t1")
    if isRevoked { facts.revocation = Revocation(date: Purchases.noon) }
    var payment = Payment(facts: facts, firstSeenAt: Purchases.noon)
    payment.state = state
    payment.owner = owner
    return payment
  }

  private static func pending(
    _ payment: Payment, isHeldByClient: Bool = false, isClaimed: Bool = false, isObserving: Bool = false
  ) -> PendingDecision? {
    var update = PaymentUpdate(facts: payment.facts, evidence: "signed", origin: .client)
    update.isHeldByClient = isHeldByClient
    if isClaimed { update.claim = OwnershipClaim(user: "bob", proof: .fits, orders: [], sameRun: nil) }
    return PendingDecision(payment, after: update, isObserving: isObserving)
  }

  @Test(arguments: [PaymentState.fulfilled, .reversed(amount: 1), .reinstated(amount: 0)])
  func `is nothing after a grant`(_ state: PaymentState) {
    #expect(Self.pending(Self.payment(state, owner: "alice"), isHeldByClient: true, isClaimed: true) == nil)
  }

  @Test func `is the match for a payment that has no owner yet`() {
    for state in [PaymentState.verified, .unclaimed, .held(.productUnknown), .imported] {
      #expect(Self.pending(Self.payment(state)) == .match)
    }
  }

  @Test func `is nothing for an imported payment unless a device still holds it; never while the app observes`() {
    let imported = Self.payment(.imported, owner: "alice")
    #expect(Self.pending(imported) == nil)
    #expect(Self.pending(imported, isHeldByClient: true) == .stillOwed(to: "alice"))
    #expect(Self.pending(imported, isHeldByClient: true, isObserving: true) == nil)
    let held = Self.payment(.held(.boughtBeforeCutOver), owner: "alice")
    #expect(Self.pending(held) == .stillOwed(to: "alice"))
    #expect(Self.pending(Self.payment(.held(.boughtBeforeCutOver)), isObserving: true) == nil)
    #expect(Self.pending(Self.payment(.held(.boughtBeforeCutOver))) == .match)
  }

  @Test
  func `is the would-be owner of a refunded payment once a claim names one, and all of it after the refund is undone`()
  {
    let revoked = Self.payment(.revoked, isRevoked: true)
    #expect(Self.pending(revoked) == nil)
    #expect(Self.pending(revoked, isClaimed: true) == .match)
    #expect(Self.pending(Self.payment(.revoked, owner: "alice", isRevoked: true), isClaimed: true) == nil)
    #expect(Self.pending(Self.payment(.revoked, owner: "alice")) == .matchAfterReversedRefund)
  }

  @Test func `is nothing for what an operator set aside`() {
    let aside = SetAside(by: "kim", reason: "asked", at: Purchases.noon, former: nil)
    #expect(Self.pending(Self.payment(.setAside(aside)), isClaimed: true) == nil)
  }
}
