import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A transaction of a subscription` {
  private let first = Purchases.payment("s1", for: Purchases.monthly, token: 1)

  private func renewal(
    _ transaction: TransactionIdentifier, token: UInt64? = nil, day: Int64
  ) -> VerifiedPayment {
    var payment = Purchases.payment(
      transaction, for: Purchases.monthly, token: token, at: Purchases.noon + .days(day))
    payment.originalTransaction = "s1"
    payment.isRenewal = true
    return payment
  }

  private func named(_ payment: VerifiedPayment, _ order: Order) -> SubscriptionFacts.NamedOrder {
    SubscriptionFacts.NamedOrder(
      payment: payment.key, purchaseDate: payment.purchaseDate, order: order.key.id,
      user: order.user,
      fits: Match.fits(order, Purchases.question(payment, of: Purchases.monthly)))
  }

  private func decide(
    _ payment: VerifiedPayment, naming order: Order? = nil, others: [SubscriptionFacts.NamedOrder] = [],
    claimant: UserIdentifier? = nil
  ) -> MatchDecision {
    var question = Purchases.question(payment, of: Purchases.monthly)
    question.named = order
    question.subscription = SubscriptionFacts(named: others, claimant: claimant)
    return Match.decide(question)
  }

  private let order = Purchases.order(1, for: Purchases.monthly)

  @Test func `without a token goes to the user of the latest token before it`() {
    let second = Purchases.order(2, of: "bob", for: Purchases.monthly, at: Purchases.noon + .days(40))
    let change = renewal("s3", token: 2, day: 40)
    let others = [named(first, order), named(change, second)]
    #expect(
      decide(renewal("s2", day: 30), others: others)
        == .grant(to: "alice", .none, rule: .subscription, flags: []))
    #expect(
      decide(renewal("s4", day: 70), others: others)
        == .grant(to: "bob", .none, rule: .subscription, flags: []))
  }

  @Test func `without any token in the subscription goes to its claimant`() {
    #expect(
      decide(renewal("s2", day: 30), claimant: "carol")
        == .grant(to: "carol", .none, rule: .subscription, flags: []))
    #expect(decide(renewal("s2", day: 30)) == .unclaimed)
  }

  @Test func `pays the order that its token names when it is the first`() {
    #expect(
      decide(first, naming: order)
        == .grant(to: "alice", .order(order.key.id), rule: .exact, flags: []))
  }

  @Test func `has no order if an earlier one of the subscription has the same token`() {
    #expect(
      decide(renewal("s2", token: 1, day: 29), naming: order, others: [named(first, order)])
        == .grant(to: "alice", .none, rule: .subscription, flags: []))
  }

  @Test func `takes the order from a later transaction that arrived first`() {
    let later = renewal("s2", token: 1, day: 29)
    var paid = order
    paid.state = .paid(by: later.key, at: Purchases.noon + .days(29))
    #expect(
      decide(first, naming: paid, others: [named(later, order)])
        == .grant(
          to: "alice", .orderTakenFrom(later.key, order.key.id), rule: .exact, flags: []))
  }

  @Test func `never gets a new order if it is a later one`() {
    #expect(
      decide(renewal("s2", token: 1, day: 60), naming: order)
        == .grant(to: "alice", .none, rule: .subscription, flags: []))
  }

  @Test func `at the instant of another purchase follows its own token, else the order of ids`() {
    let second = Purchases.order(2, of: "bob", for: Purchases.monthly, at: Purchases.noon + .days(29))
    let bought = renewal("s3", token: 2, day: 30)
    let others = [named(first, order), named(bought, second)]
    #expect(
      decide(renewal("s2", token: 1, day: 30), naming: order, others: others)
        == .grant(to: "alice", .none, rule: .subscription, flags: []))
    #expect(
      decide(renewal("s2", day: 30), others: others) == .grant(to: "alice", .none, rule: .subscription, flags: []))
    #expect(decide(renewal("s4", day: 30), others: others) == .grant(to: "bob", .none, rule: .subscription, flags: []))
  }

  @Test func `ignores a family member's token`() {
    var shared = first
    shared.ownership = .familyShared
    #expect(decide(shared, naming: order) == .unclaimed)
  }
}

@Suite struct `A payment from before the cut-over` {
  private func decide(
    _ earlier: CutOver.Earlier, of product: Product = Purchases.coins, held: Bool,
    token: UInt64? = 1
  ) -> MatchDecision {
    var question = Purchases.question(Purchases.payment("t1", for: product, token: token), of: product)
    question.named = token == nil ? nil : Purchases.order(1, for: product)
    question.isHeldByClient = held
    question.cutOver = CutOver(deliverFrom: Purchases.noon + .days(1), earlier: earlier)
    return Match.decide(question)
  }

  @Test func `is held if a client still holds the consumable and its delivery is unknown`() {
    #expect(decide(.notLoaded, held: true) == .held(.boughtBeforeCutOver))
    #expect(decide(.notLoaded, held: true, token: nil) == .held(.boughtBeforeCutOver))
  }

  @Test func `is imported if the earlier system delivered it, and fulfilled if it did not`() {
    let id = Purchases.identifier(1)
    #expect(
      decide(.delivered, held: true) == .imported(to: "alice", .order(id), rule: .exact, flags: []))
    #expect(
      decide(.notDelivered, held: true) == .grant(to: "alice", .order(id), rule: .exact, flags: []))
  }

  @Test func `is imported when no client holds it any more`() {
    #expect(
      decide(.notLoaded, held: false)
        == .imported(to: "alice", .order(Purchases.identifier(1)), rule: .exact, flags: []))
    #expect(
      decide(.notLoaded, held: false, token: nil) == .imported(to: nil, .none, rule: nil, flags: []))
  }

  @Test func `is imported if it is a lasting entitlement, even if a client still holds it`() {
    #expect(
      decide(.notLoaded, of: Purchases.premium, held: true)
        == .imported(to: "alice", .order(Purchases.identifier(1)), rule: .exact, flags: []))
  }

  @Test func `does not count against the daily claims`() {
    var question = Purchases.question(
      Purchases.payment("t1", for: Purchases.premium), of: Purchases.premium)
    var presentation = Purchases.presentation()
    presentation.claimsToday = 100
    question.presentation = presentation
    question.cutOver = CutOver(deliverFrom: Purchases.noon + .days(1), earlier: .notLoaded)
    #expect(
      Match.decide(question)
        == .imported(to: "alice", .derivedOrder(from: nil), rule: .derived, flags: []))
  }
}
