import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A charge of WeChat Pay's` {
  private static let order: Order = {
    var order = Order(
      key: OrderKey(appEnvironment: Purchases.appEnvironment, id: Purchases.identifier(1)), user: "alice",
      product: Purchases.coins,
      quantity: 1, store: .weChatPay, createdAt: Purchases.noon, expiresAt: Purchases.noon + .hours(2))
    order.platform = "android"
    return order
  }()

  private static func key(_ transaction: TransactionIdentifier) -> PaymentKey {
    PaymentKey(
      app: Purchases.appEnvironment.app, store: .weChatPay, environment: Purchases.appEnvironment.environment,
      transaction: transaction)
  }

  private func decide(
    naming order: Order?, differing differences: [ChargeDifference] = [], by presenter: UserIdentifier? = nil
  ) -> MatchDecision {
    var payment = VerifiedPayment(
      key: Self.key("4200001"), originalTransaction: "4200001", storeProduct: "coins.100", kind: .consumable,
      quantity: 1, purchaseDate: Purchases.noon + .minutes(1), signedDate: Purchases.noon + .minutes(1))
    payment.token = Purchases.identifier(1)
    var question = MatchQuestion(payment: payment, product: Purchases.coins)
    question.named = order
    question.chargeDifferences = differences
    question.presentation = presenter.map { Purchases.presentation(by: $0) }
    return Match.decide(question)
  }

  @Test func `that names no order of WeChat Pay's is held for any presenter`() {
    #expect(decide(naming: nil) == .held(.orderUnknown))
    #expect(decide(naming: nil, by: "bob") == .held(.orderUnknown))
    #expect(decide(naming: Purchases.order(1)) == .held(.orderUnknown))
  }

  @Test func `that differs in any fact is held with that reason, paid, closed or open`() {
    let reasons: [(ChargeDifference, HoldReason)] = [
      (.order, .orderUnknown), (.amount, .amountDiffers), (.currency, .currencyDiffers),
      (.merchant, .merchantDiffers), (.storeApp, .storeAppDiffers),
    ]
    #expect(Set(reasons.map(\.0)) == Set(ChargeDifference.allCases))
    for (difference, reason) in reasons {
      #expect(decide(naming: Self.order, differing: [difference]) == .held(reason))
    }
    #expect(decide(naming: Self.order, differing: [.amount, .merchant]) == .held(.amountDiffers))
  }

  @Test func `of a frozen order is held`() {
    var order = Self.order
    order.frozenBecause = "a broken rule"
    #expect(decide(naming: order) == .held(.orderFrozen))
  }

  @Test func `goes to the user of the order, late or not, never to the user who presents it`() {
    #expect(
      decide(naming: Self.order, by: "bob")
        == .grant(to: "alice", .order(Self.order.key.id), rule: .exact, flags: []))
    var closed = Self.order
    closed.state = .closed(.expired, at: Purchases.noon + .hours(2))
    #expect(decide(naming: closed) == .grant(to: "alice", .order(closed.key.id), rule: .exact, flags: [.late]))
  }

  @Test func `for an order that another payment has paid is a second purchase, not the same (invariant 2)`() {
    var paid = Self.order
    paid.state = .paid(by: Self.key("4200000"), at: Purchases.noon)
    #expect(
      decide(naming: paid)
        == .grant(to: "alice", .derivedOrder(from: paid.key.id), rule: .exact, flags: [.paidTwice]))
    paid.state = .paid(by: Self.key("4200001"), at: Purchases.noon)
    #expect(decide(naming: paid) == .grant(to: "alice", .order(paid.key.id), rule: .exact, flags: []))
  }
}

@Suite struct `Refunds of a charge` {
  private static func refund(_ number: String, _ amount: Int64, of facts: VerifiedPayment) -> Refund {
    var refund = Refund(
      appEnvironment: Purchases.appEnvironment, number: number, order: Purchases.identifier(1), payment: facts.key,
      amount: Money(minorUnits: amount, currency: .cny), total: Money(minorUnits: 600, currency: .cny), reason: nil,
      body: nil, createdAt: Purchases.noon)
    refund.state = .done(at: Purchases.noon + .minutes(5))
    return refund
  }

  private func granted() throws -> FulfilmentInput {
    let order = Purchases.order(1)
    var input = FulfilmentInput(
      payment: Payment(facts: Purchases.payment("t1"), firstSeenAt: Purchases.noon),
      derivedOrder: Purchases.identifier(99), now: Purchases.noon + .minutes(2))
    input.product = Purchases.coins
    input.decision = .grant(to: "alice", .order(order.key.id), rule: .exact, flags: [])
    input.order = order
    let plan = try Fulfilment.plan(input)
    input.decision = nil
    input.payment = plan.payment
    input.grant = plan.grant
    return input
  }

  @Test func `that exceed the payment take back no more than was granted (invariant 4)`() throws {
    var input = try granted()
    input.refunds = [
      Self.refund("a", 400, of: input.payment.facts), Self.refund("b", 600, of: input.payment.facts),
      Self.refund("c", Int64.max, of: input.payment.facts),
    ]
    let plan = try Fulfilment.plan(input)
    #expect(plan.changes.map(\.amount) == [66, 34])
    #expect(plan.grant?.takenBack == 100)
    #expect(plan.postings.map(\.amount) == [66, 34])
    #expect(plan.announcements.map(\.cause) == ["a", "b"])
    #expect(plan.payment.state == .reversed(amount: 100))
  }

  @Test func `take effect once each, in any order`() throws {
    var input = try granted()
    input.refunds = [Self.refund("b", 200, of: input.payment.facts)]
    let first = try Fulfilment.plan(input)
    #expect(first.changes.map(\.amount) == [33])
    input.payment = first.payment
    input.grant = first.grant
    input.changes = first.changes
    #expect(try Fulfilment.plan(input).changes == [])
    input.refunds.append(Self.refund("a", 400, of: input.payment.facts))
    #expect(try Fulfilment.plan(input).changes.map(\.amount) == [67])
  }

  @Test func `before the grant leave nothing to grant if they cover all money, and the rest if a part`() throws {
    let order = Purchases.order(1)
    for (amount, parts) in [(Int64(600), Int64?.none), (599, 100)] {
      var input = FulfilmentInput(
        payment: Payment(facts: Purchases.payment("t1"), firstSeenAt: Purchases.noon),
        derivedOrder: Purchases.identifier(99), now: Purchases.noon + .minutes(2))
      input.product = Purchases.coins
      input.order = order
      input.decision = .grant(to: "alice", .order(order.key.id), rule: .exact, flags: [])
      input.refunds = [Self.refund("a", amount, of: input.payment.facts)]
      let plan = try Fulfilment.plan(input)
      #expect(plan.grant?.parts == parts)
      #expect(plan.grant?.takenBack == parts.map { _ in 99 })
    }
  }
}
