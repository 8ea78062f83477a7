import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A plan to fulfil` {
  private func input(
    _ decision: MatchDecision?, order: Order? = nil, facts: VerifiedPayment = Purchases.payment("t1"),
    product: Product = Purchases.coins
  ) -> FulfilmentInput {
    var input = FulfilmentInput(
      payment: Payment(facts: facts, firstSeenAt: Purchases.noon),
      derivedOrder: Purchases.identifier(99), now: Purchases.noon + .minutes(2))
    input.decision = decision
    input.order = order
    input.product = product
    return input
  }

  private func granted(_ facts: VerifiedPayment, amount: Int64 = 100) throws -> FulfilmentInput {
    let order = Purchases.order(1)
    let plan = try Fulfilment.plan(
      input(.grant(to: "alice", .order(order.key.id), rule: .exact, flags: []), order: order))
    var next = input(nil, facts: facts)
    next.payment = plan.payment
    next.payment.facts = facts
    next.grant = plan.grant
    return next
  }

  @Test func `grants nothing for a payment that the store has taken back already (A9)`() throws {
    var facts = Purchases.payment("t1")
    facts.revocation = Revocation(date: Purchases.noon + .minutes(1))
    let plan = try Fulfilment.plan(
      input(
        .grant(to: "alice", .derivedOrder(from: nil), rule: .derived, flags: []), facts: facts))
    #expect(plan.payment.state == .revoked)
    #expect(plan.grant == nil && plan.order == nil && plan.postings == [] && plan.announcements == [])
    #expect(plan.payment.owner == "alice")
  }

  @Test func `leaves the end of a bought period to the catalog, whatever date the store names later`() throws {
    let facts = Purchases.payment("t1", for: Purchases.season)
    let plan = try Fulfilment.plan(
      input(
        .grant(to: "alice", .derivedOrder(from: nil), rule: .derived, flags: []), facts: facts,
        product: Purchases.season))
    var next = input(nil, product: Purchases.season)
    next.payment = plan.payment
    next.payment.facts.expiresDate = Purchases.noon + .days(5)
    next.grant = plan.grant
    #expect(plan.grant != nil)
    #expect(try Fulfilment.plan(next).grant == plan.grant)
  }

  @Test func `announces neither the end nor the return of an imported entitlement`() throws {
    let facts = Purchases.payment("t1", for: Purchases.premium)
    var plan = try Fulfilment.plan(
      input(.imported(to: "alice", .none, rule: .exact, flags: []), facts: facts, product: Purchases.premium))
    var changes: [GrantChange] = []
    for (revocation, taken) in [(Revocation(date: Purchases.noon + .days(1)), 1), (nil, 0)] as [(Revocation?, Int64)] {
      var next = input(nil, product: Purchases.premium)
      next.payment = plan.payment
      next.payment.facts.revocation = revocation
      next.grant = plan.grant
      next.changes = changes
      plan = try Fulfilment.plan(next)
      changes += plan.changes
      #expect(plan.grant?.takenBack == taken)
      #expect(plan.payment.state == .imported && plan.announcements == [] && plan.postings == [])
    }
  }

  @Test func `keeps a held or unclaimed payment without granting anything`() throws {
    let held = try Fulfilment.plan(input(.held(.ownerAmbiguous)))
    #expect(held.payment.state == .held(.ownerAmbiguous) && held.grant == nil)
    let unclaimed = try Fulfilment.plan(input(.unclaimed))
    #expect(unclaimed.payment.state == .unclaimed && unclaimed.grant == nil)
  }

  @Test func `pays the order, grants the signed quantity, moves the units and announces it once`() throws {
    let order = Purchases.order(1, quantity: 3)
    let facts = Purchases.payment("t1", quantity: 3)
    let plan = try Fulfilment.plan(
      input(
        .grant(to: "alice", .order(order.key.id), rule: .exact, flags: []), order: order,
        facts: facts))
    #expect(plan.order?.state == .paid(by: facts.key, at: Purchases.noon + .minutes(2)))
    #expect(plan.grant?.content == .units("coin", amount: 300))
    #expect(plan.postings.map(\.amount) == [300])
    #expect(plan.postings.first?.credit == .user("alice"))
    #expect(plan.announcements.map(\.kind) == [.created])
    #expect(plan.rows(after: [], []).violations.isEmpty)
  }

  @Test func `makes a derived order that names the first order's number`() throws {
    var first = Purchases.order(1, for: Purchases.chest)
    first.reference = Reference("A-17", from: .backend)
    first.metadata = #"{"level":3}"#
    let plan = try Fulfilment.plan(
      input(
        .grant(
          to: "alice", .derivedOrder(from: first.key.id), rule: .exact,
          flags: [.boughtSomethingElse]), order: first))
    #expect(plan.orderIsNew && plan.order?.key.id == Purchases.identifier(99))
    #expect(plan.order?.derivation?.reference == Reference("A-17", from: .backend))
    #expect(plan.order?.reference == nil && plan.order?.metadata == first.metadata)
    #expect(plan.grant?.content == .units("coin", amount: 100))
  }

  @Test func `takes back what a refund states, once, and never more than was granted`() throws {
    var facts = Purchases.payment("t1")
    facts.revocation = Revocation(date: Purchases.noon + .hours(1))
    var asked = try granted(facts)
    let plan = try Fulfilment.plan(asked)
    #expect(plan.payment.state == .reversed(amount: 100))
    #expect(plan.postings.map(\.amount) == [100] && plan.postings.first?.debit == .user("alice"))
    #expect(plan.announcements.map(\.kind) == [.reversed])
    asked.changes = plan.changes
    asked.grant = plan.grant
    asked.payment = plan.payment
    let again = try Fulfilment.plan(asked)
    #expect(again.changes.isEmpty && again.announcements.isEmpty)
    facts.revocation = Revocation(date: Purchases.noon + .hours(2))
    asked.payment.facts = facts
    let other = try Fulfilment.plan(asked)
    #expect(other.changes.isEmpty && other.grant?.takenBack == 100)
  }

  @Test func `takes back parts so that parts of the whole add up to the whole`() throws {
    var facts = Purchases.payment("t1")
    facts.revocation = Revocation(date: Purchases.noon + .hours(1), percentage: 33_333)
    var asked = try granted(facts)
    var taken: [Int64] = []
    for (hour, percentage) in [(1, 33_333), (2, 66_666), (3, 100_000)] as [(Int64, Int64)] {
      facts.revocation = Revocation(date: Purchases.noon + .hours(hour), percentage: percentage)
      asked.payment.facts = facts
      let plan = try Fulfilment.plan(asked)
      taken += plan.changes.map(\.amount)
      asked.payment = plan.payment
      asked.grant = plan.grant
      asked.changes += plan.changes
    }
    #expect(taken == [33, 33, 34])
    #expect(asked.grant?.isInForce == false)
  }

  @Test func `takes back a part rounded down`() throws {
    var facts = Purchases.payment("t1")
    facts.revocation = Revocation(date: Purchases.noon + .hours(1), percentage: 33_999)
    let plan = try Fulfilment.plan(try granted(facts))
    #expect(plan.payment.state == .reversed(amount: 33))
    #expect(plan.grant?.takenBack == 33)
  }

  @Test func `reads an entitlement from an imported payment, without announcing it`() throws {
    let plan = try Fulfilment.plan(
      input(
        .imported(to: "alice", .none, rule: .derived, flags: []),
        facts: Purchases.payment("t1", for: Purchases.premium), product: Purchases.premium))
    #expect(plan.payment.state == .imported)
    #expect(plan.grant?.content == .entitlement("premium", from: Purchases.noon + .minutes(1), until: nil))
    #expect(plan.announcements.isEmpty && plan.order == nil)
    let coins = try Fulfilment.plan(input(.imported(to: "alice", .none, rule: .derived, flags: [])))
    #expect(coins.grant == nil && coins.postings.isEmpty)
  }

  @Test func `refuses an order that another payment has paid`() {
    var order = Purchases.order(1)
    order.state = .paid(by: Purchases.payment("t0").key, at: Purchases.noon)
    #expect(throws: Fulfilment.Problem.order(.alreadyPaid(by: Purchases.payment("t0").key))) {
      try Fulfilment.plan(
        input(.grant(to: "alice", .order(order.key.id), rule: .exact, flags: []), order: order))
    }
  }

  @Test func `refuses units that do not fit 64 bits`() {
    let absurd = Product(
      id: "absurd", kind: .consumable, grant: .units("coin", perPiece: .max),
      appStoreProducts: ["com.example.coins100"])
    #expect(throws: Fulfilment.Problem.tooMuch) {
      try Fulfilment.plan(
        input(
          .grant(to: "alice", .derivedOrder(from: nil), rule: .derived, flags: []),
          facts: Purchases.payment("t1", quantity: 2), product: absurd))
    }
  }

  @Test func `ends an entitlement after the bought period times the quantity`() {
    let facts = Purchases.payment("t1", for: Purchases.season, quantity: 2)
    #expect(
      Purchases.season.grant.content(of: facts)
        == .entitlement(
          "season", from: facts.purchaseDate, until: facts.purchaseDate + .days(180)))
  }
}
