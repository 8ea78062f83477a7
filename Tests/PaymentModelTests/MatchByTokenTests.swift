import PaymentModel
import PaymentPrimitives
import Testing

// Test names are sentences: the suite is the subject, the test is the predicate. Swift allows any text between
// backticks.

@Suite struct `A payment with a token that names an order` {
  private func decide(
    _ payment: VerifiedPayment, naming order: Order, product: Product? = Purchases.coins
  ) -> MatchDecision {
    var question = MatchQuestion(payment: payment, product: product)
    question.named = order
    return Match.decide(question)
  }

  @Test
  func `never pays a more expensive order (A8): buying 1 coin with the token of 1,000 gives 1 coin`() {
    let order = Purchases.order(1, for: Purchases.chest)
    #expect(
      decide(Purchases.payment("t1", token: 1), naming: order)
        == .grant(
          to: "alice", .derivedOrder(from: order.key.id), rule: .exact,
          flags: [.boughtSomethingElse]))
  }

  @Test func `never pays an order for another quantity (S13)`() {
    let order = Purchases.order(1, quantity: 10)
    #expect(
      decide(Purchases.payment("t1", token: 1), naming: order)
        == .grant(
          to: "alice", .derivedOrder(from: order.key.id), rule: .exact,
          flags: [.boughtSomethingElse]))
  }

  @Test func `never pays an order made after the purchase (S14)`() {
    let order = Purchases.order(1)
    let early = Purchases.payment("t1", token: 1, at: Purchases.noon - .minutes(6))
    #expect(
      decide(early, naming: order)
        == .grant(
          to: "alice", .derivedOrder(from: order.key.id), rule: .exact,
          flags: [.outsideOrderWindow]))
  }

  @Test(arguments: [-300_000, 0, 30 * 86_400_000] as [Int64])
  func `pays an order from five minutes before to thirty days after it was made`(offset: Int64) {
    let order = Purchases.order(1)
    let payment = Purchases.payment(
      "t1", token: 1, at: Purchases.noon + .milliseconds(offset))
    #expect(
      decide(payment, naming: order)
        == .grant(to: "alice", .order(order.key.id), rule: .exact, flags: []))
  }

  @Test(arguments: [-300_001, 30 * 86_400_000 + 1] as [Int64])
  func `does not pay it a millisecond outside that window`(offset: Int64) {
    let order = Purchases.order(1)
    let payment = Purchases.payment(
      "t1", token: 1, at: Purchases.noon + .milliseconds(offset))
    #expect(
      decide(payment, naming: order)
        == .grant(
          to: "alice", .derivedOrder(from: order.key.id), rule: .exact,
          flags: [.outsideOrderWindow]))
  }

  @Test func `gets its own order if another payment has paid the named one`() {
    var order = Purchases.order(1)
    order.state = .paid(by: Purchases.payment("t0").key, at: Purchases.noon)
    #expect(
      decide(Purchases.payment("t1", token: 1), naming: order)
        == .grant(
          to: "alice", .derivedOrder(from: order.key.id), rule: .exact, flags: [.paidTwice]))
  }

  @Test func `goes to the order's user even if another user presents it (S7)`() {
    let order = Purchases.order(1)
    var question = Purchases.question(Purchases.payment("t1", token: 1))
    question.named = order
    question.presentation = Purchases.presentation(by: "bob")
    #expect(
      Match.decide(question)
        == .grant(to: "alice", .order(order.key.id), rule: .exact, flags: []))
  }

  @Test(arguments: [CloseReason.customerGaveUp, .expired, .replaced])
  func `still pays a closed order, flagged as late`(reason: CloseReason) {
    var order = Purchases.order(1)
    order.state = .closed(reason, at: Purchases.noon)
    #expect(
      decide(Purchases.payment("t1", token: 1), naming: order)
        == .grant(to: "alice", .order(order.key.id), rule: .exact, flags: [.late]))
  }

  @Test func `is held when that order is frozen`() {
    var order = Purchases.order(1)
    order.frozenBecause = "a broken rule"
    #expect(decide(Purchases.payment("t1", token: 1), naming: order) == .held(.orderFrozen))
  }

  @Test func `counts as without a token if the token is a family member's (A11)`() {
    var payment = Purchases.payment("t1", for: Purchases.premium, token: 1)
    payment.ownership = .familyShared
    #expect(
      decide(payment, naming: Purchases.order(1, for: Purchases.premium), product: Purchases.premium)
        == .unclaimed)
  }
}

@Suite struct `A payment that no user can get` {
  private func decide(
    _ change: (inout VerifiedPayment) -> Void, product: Product? = Purchases.coins
  ) -> MatchDecision {
    var payment = Purchases.payment("t1", token: 1)
    change(&payment)
    var question = MatchQuestion(payment: payment, product: product)
    question.named = Purchases.order(1)
    return Match.decide(question)
  }

  @Test func `is held when its product is not in the catalog`() {
    #expect(decide({ _ in }, product: nil) == .held(.productUnknown))
  }

  @Test func `is held if the catalog and the store name different kinds`() {
    #expect(decide({ $0.kind = .nonConsumable }) == .held(.productKindDiffers))
  }

  @Test(arguments: [0, -1, 11, Int.max])
  func `is held if its quantity cannot be sold (S13)`(quantity: Int) {
    #expect(decide { $0.quantity = quantity } == .held(.quantityOutOfRange))
  }

  @Test func `is held if its ownership is unknown`() {
    #expect(decide { $0.ownership = .unknown("RENTED") } == .held(.ownershipUnknown))
    #expect(decide { $0.ownership = .assigned } == .held(.ownershipUnknown))
  }

  @Test func `is held if its environment is unknown, and so never production (S11)`() {
    #expect(
      decide {
        $0.key = PaymentKey(
          app: $0.key.app, store: .appStore, environment: .undetermined,
          transaction: $0.key.transaction)
      } == .held(.environmentUnknown))
  }
}
