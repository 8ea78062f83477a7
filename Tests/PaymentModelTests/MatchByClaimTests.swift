import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A payment without a token, presented with the orders of the device's vault` {
  private func question(
    presenting orders: [Order], by user: UserIdentifier = "alice",
    _ change: (inout Presentation) -> Void = { _ in }
  ) -> MatchQuestion {
    var question = Purchases.question(Purchases.payment("t1"))
    var presentation = Purchases.presentation(by: user)
    presentation.presented = orders
    change(&presentation)
    question.presentation = presentation
    return question
  }

  @Test func `is held if orders of several users fit and no fact decides`() {
    let orders = [Purchases.order(1), Purchases.order(2, of: "bob")]
    #expect(Match.decide(question(presenting: orders)) == .held(.ownerAmbiguous))
  }

  @Test func `goes to the order of the same run if several users' orders fit`() {
    let orders = [Purchases.order(1), Purchases.order(2, of: "bob")]
    let asked = question(presenting: orders) { $0.sameRun = orders[1].key.id }
    #expect(
      Match.decide(asked)
        == .grant(
          to: "bob", .order(orders[1].key.id), rule: .presented, flags: [.presentedByAnother]))
  }

  @Test func `is held when the fitting order is another user's and older than a day`() {
    let old = Purchases.order(2, of: "bob", at: Purchases.noon - .hours(24))
    #expect(Match.decide(question(presenting: [old])) == .held(.orderOfAnotherUser))
  }

  @Test func `pays another user's order of the last day, for that user (S7, S20)`() {
    let order = Purchases.order(2, of: "bob", at: Purchases.noon - .hours(23))
    #expect(
      Match.decide(question(presenting: [order]))
        == .grant(
          to: "bob", .order(order.key.id), rule: .presented, flags: [.presentedByAnother]))
  }

  @Test func `pays the presenter's own order (S2)`() {
    let order = Purchases.order(1)
    #expect(
      Match.decide(question(presenting: [order]))
        == .grant(to: "alice", .order(order.key.id), rule: .presented, flags: []))
  }

  @Test func `pays the newest order made before the purchase (S3, S9)`() {
    let orders = [
      Purchases.order(1, at: Purchases.noon - .minutes(10)), Purchases.order(2),
      Purchases.order(3, at: Purchases.noon + .minutes(5)),
    ]
    #expect(
      Match.decide(question(presenting: orders))
        == .grant(
          to: "alice", .order(orders[1].key.id), rule: .presented, flags: [.severalCandidates]))
  }

  @Test func `pays the oldest when all were made after the purchase`() {
    let orders = [
      Purchases.order(2, at: Purchases.noon + .minutes(3)),
      Purchases.order(1, at: Purchases.noon + .minutes(2)),
    ]
    #expect(
      Match.decide(question(presenting: orders))
        == .grant(
          to: "alice", .order(orders[1].key.id), rule: .presented, flags: [.severalCandidates]))
  }

  @Test func `ignores orders that are paid, for another product, or made too late (S14)`() {
    var paid = Purchases.order(1)
    paid.state = .paid(by: Purchases.payment("t0").key, at: Purchases.noon)
    let other = Purchases.order(2, for: Purchases.chest)
    let late = Purchases.order(3, at: Purchases.noon + .minutes(7))
    #expect(
      Match.decide(question(presenting: [paid, other, late]))
        == .grant(to: "alice", .derivedOrder(from: nil), rule: .derived, flags: []))
  }
}

@Suite struct `A user who presents a payment` {
  private func decide(
    _ proof: Presentation.DeviceProof = .fits, _ change: (inout Presentation) -> Void = { _ in },
    payment: VerifiedPayment = Purchases.payment("t1"), product: Product = Purchases.coins
  ) -> MatchDecision {
    var question = Purchases.question(payment, of: product)
    var presentation = Purchases.presentation(by: "alice", proof)
    change(&presentation)
    question.presentation = presentation
    return Match.decide(question)
  }

  private let derived = MatchDecision.grant(
    to: "alice", .derivedOrder(from: nil), rule: .derived, flags: [])

  @Test func `may not claim with evidence that does not come from their device (A7)`() {
    #expect(decide(.notDeviceEvidence) == .held(.notDeviceEvidence))
    #expect(decide(.notDeviceEvidence) { $0.presented = [Purchases.order(1)] } == .held(.notDeviceEvidence))
    #expect(
      decide(.notDeviceEvidence) { $0.presented = [Purchases.order(1, of: "bob")] } == .held(.notDeviceEvidence))
  }

  @Test func `may not claim if the device proof is another device's`() {
    #expect(decide(.differs) == .held(.deviceDiffers))
    #expect(decide(.differs) { $0.presented = [Purchases.order(1, of: "bob")] } == .held(.deviceDiffers))
  }

  @Test func `may claim without a device proof, flagged, unless the app claims strictly`() {
    #expect(
      decide(.missing)
        == .grant(
          to: "alice", .derivedOrder(from: nil), rule: .derived, flags: [.deviceProofMissing]))
    #expect(
      decide(.missing) { $0.policy = ClaimPolicy(isStrict: true) } == .held(.deviceProofMissing))
  }

  @Test func `may not claim a purchase from an Apple account known only for another user`() {
    #expect(decide { $0.usersOfAppTransaction = ["bob"] } == .held(.accountOfAnotherUser))
    #expect(decide { $0.usersOfAppTransaction = ["alice", "bob"] } == derived)
  }

  @Test func `may not claim more than the daily limit (A7)`() {
    #expect(decide { $0.claimsToday = 5 } == .held(.claimLimit))
    #expect(decide { $0.claimsToday = 4 } == derived)
  }

  @Test func `gets no units by family sharing, but an entitlement, and never an order (A11)`() {
    var coins = Purchases.payment("t1")
    coins.ownership = .familyShared
    #expect(decide(payment: coins) == .held(.familyShared))
    var premium = Purchases.payment("t1", for: Purchases.premium)
    premium.ownership = .familyShared
    #expect(
      decide(
        .fits, { $0.own = [Purchases.order(1, for: Purchases.premium)] }, payment: premium, product: Purchases.premium)
        == .grant(to: "alice", .none, rule: .derived, flags: []))
  }

  @Test func `pays their own fitting order if no presented one fits, flagged as inferred`() {
    let order = Purchases.order(1)
    #expect(
      decide { $0.own = [order] }
        == .grant(to: "alice", .order(order.key.id), rule: .inferred, flags: [.inferred]))
  }

  @Test func `is missing in a notification: a payment without a token is unclaimed`() {
    #expect(Match.decide(Purchases.question(Purchases.payment("t1"))) == .unclaimed)
  }
}
