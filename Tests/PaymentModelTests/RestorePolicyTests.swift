import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A restore` {
  private static func grant(_ content: GrantContent = .entitlement("club", from: Purchases.noon, until: nil)) -> Grant {
    Grant(
      payment: Purchases.payment("t1").key, user: "alice", content: content,
      promise: GrantPromise(of: Purchases.premium), grantedAt: Purchases.noon)
  }

  private static func claim(_ proof: Presentation.DeviceProof = .fits, by user: UserIdentifier = "bob")
    -> OwnershipClaim
  {
    var claim = OwnershipClaim(user: user, proof: proof, orders: [], sameRun: nil)
    claim.isRestore = true
    return claim
  }

  @Test func `needs a wish, another user, a grant in force and evidence from the buyer's device`() {
    let grant = Self.grant()
    var unasked = Self.claim()
    unasked.isRestore = false
    var refunded = grant
    refunded.takenBack = 1
    #expect(!RestorePolicy.isRestored(grant, by: unasked, ClaimPolicy()))
    #expect(!RestorePolicy.isRestored(grant, by: Self.claim(by: "alice"), ClaimPolicy()))
    #expect(!RestorePolicy.isRestored(refunded, by: Self.claim(), ClaimPolicy()))
    for proof in [Presentation.DeviceProof.differs, .notDeviceEvidence] {
      #expect(!RestorePolicy.isRestored(grant, by: Self.claim(proof), ClaimPolicy()))
    }
    #expect(!RestorePolicy.isRestored(grant, by: Self.claim(.missing), ClaimPolicy(isStrict: true)))
    #expect(RestorePolicy.isRestored(grant, by: Self.claim(.missing), ClaimPolicy()))
    #expect(RestorePolicy.isRestored(grant, by: Self.claim(), ClaimPolicy(isStrict: true)))
  }

  @Test func `never concerns units, nor a policy that keeps the owner`() {
    var payment = Payment(facts: Purchases.payment("t1"), firstSeenAt: Purchases.noon)
    payment.state = .fulfilled
    #expect(!RestorePolicy.transfer.applies(to: Self.grant(.units("coin", amount: 100)), of: payment))
    #expect(!RestorePolicy.keepOwner.applies(to: Self.grant(), of: payment))
    #expect(RestorePolicy.transfer.applies(to: Self.grant(), of: payment))
    payment.state = .imported
    #expect(!RestorePolicy.share.applies(to: Self.grant(), of: payment))
  }

  @Test func `moves an entitlement at most once a day`() {
    let moved = [Purchases.noon, Purchases.noon - .days(3)]
    #expect(!RestorePolicy.mayMove(after: moved, now: Purchases.noon + .hours(23)))
    #expect(RestorePolicy.mayMove(after: moved, now: Purchases.noon + .days(1)))
    #expect(RestorePolicy.mayMove(after: [], now: Purchases.noon))
  }

  @Test func `takes along the running periods of the same beneficiary alone`() {
    let ended = Self.grant(.entitlement("club", from: Purchases.noon, until: Purchases.noon + .days(1)))
    let now = Purchases.noon + .days(1)
    #expect(!RestorePolicy.moves(ended, withThatOf: "alice", now: now))
    #expect(!RestorePolicy.moves(Self.grant(), withThatOf: "carol", now: now))
    #expect(RestorePolicy.moves(Self.grant(), withThatOf: "alice", now: now))
  }
}

@Suite struct `A claim of a payment that is held` {
  @Test func `is kept while the owner is ambiguous, or the product wrong and the device not another's`() {
    func claim(_ proof: Presentation.DeviceProof) -> OwnershipClaim {
      OwnershipClaim(user: "bob", proof: proof, orders: [], sameRun: nil)
    }
    for proof in Presentation.DeviceProof.allCases {
      #expect(HoldReason.ownerAmbiguous.keeps(claim(proof)))
      #expect(!HoldReason.claimLimit.keeps(claim(proof)))
    }
    for reason in [HoldReason.productUnknown, .productKindDiffers] {
      #expect(reason.keeps(claim(.fits)) && reason.keeps(claim(.missing)))
      #expect(!reason.keeps(claim(.differs)) && !reason.keeps(claim(.notDeviceEvidence)))
    }
  }
}
