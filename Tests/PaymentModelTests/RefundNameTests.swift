import PaymentModel
import PaymentPrimitives
import Testing

/// How refunds and reversals are named (docs/specification/invariants.md, 4.4): by what they change, not by their
/// source.
@Suite struct `The name of a refund` {
  /// The store's statements about one payment, one after the other.
  private struct History {
    var payment: Payment
    var grant: Grant?
    var changes: [GrantChange] = []
    var announcements: [FulfilmentPlan.Announcement] = []

    init(_ product: Product = Purchases.coins) throws {
      let order = Purchases.order(1, for: product)
      var input = FulfilmentInput(
        payment: Payment(facts: Purchases.payment("t1", for: product), firstSeenAt: Purchases.noon),
        derivedOrder: Purchases.identifier(99), now: Purchases.noon + .minutes(2))
      input.decision = .grant(to: "alice", .order(order.key.id), rule: .exact, flags: [])
      input.order = order
      input.product = product
      let plan = try Fulfilment.plan(input)
      payment = plan.payment
      grant = plan.grant
    }

    /// Adds the store's next statement: a revocation, or none.
    mutating func state(_ revocation: Revocation?, signed minutes: Int64 = 0) throws {
      var input = FulfilmentInput(
        payment: payment, derivedOrder: Purchases.identifier(99), now: Purchases.noon + .days(9))
      input.payment.facts.revocation = revocation
      input.payment.facts.signedDate = Purchases.noon + .days(5) + .minutes(minutes)
      input.grant = grant
      input.changes = changes
      let plan = try Fulfilment.plan(input)
      payment = plan.payment
      grant = plan.grant
      changes += plan.changes
      announcements += plan.announcements
      #expect(
        plan.rows(after: changes.dropLast(plan.changes.count), []).violations.allSatisfy {
          $0.invariant != .refundTakesAtMostTheGrant
        })
    }

    var names: [String] { changes.map { "\($0.kind == .reversal ? "-" : "+")\($0.amount) \($0.cause)" } }
  }

  private static let first = Purchases.noon + .days(1)
  private static let second = Purchases.noon + .days(2)
  private let day1 = String(first.seconds)
  private let day2 = String(second.seconds)

  private func refund(_ date: Timestamp, _ percentage: Int64? = nil) -> Revocation {
    Revocation(date: date, percentage: percentage)
  }

  @Test func `under one date with a larger total takes the difference`() throws {
    var history = try History()
    for percentage in [33_333, 33_333, 66_666, 100_000, 100_000] as [Int64] {
      try history.state(refund(Self.first, percentage))
    }
    #expect(history.names == ["-33 \(day1)/33", "-33 \(day1)/66", "-34 \(day1)"])
    #expect(history.grant?.isInForce == false)
  }

  @Test func `that is stated again after its reversal is numbered`() throws {
    var history = try History()
    for revocation in [refund(Self.first), nil, refund(Self.first), nil, refund(Self.first)] {
      try history.state(revocation)
    }
    #expect(
      history.names == [
        "-100 \(day1)", "+100 \(day1)", "-100 \(day1)#2", "+100 \(day1)#2", "-100 \(day1)#3",
      ])
  }

  @Test func `names the latest date without a reversal, and the total after it, in a reversal`() throws {
    var history = try History()
    try history.state(refund(Self.first, 30_000))
    try history.state(refund(Self.second, 80_000))
    try history.state(refund(Self.second, 50_000))
    try history.state(refund(Self.second, 20_000))
    try history.state(nil)
    #expect(
      history.names == [
        "-30 \(day1)/30", "-50 \(day2)/80", "+30 \(day2)/50", "+30 \(day2)/20", "+20 \(day1)",
      ])
  }

  @Test func `never depends on the time when the store signed its statement`() throws {
    var names: Set<[String]> = []
    for minutes in [1, 7, 100] as [Int64] {
      var history = try History()
      for (index, percentage) in ([100_000, 40_000, 10_000, 0] as [Int64]).enumerated() {
        try history.state(refund(Self.first, percentage), signed: Int64(index) * minutes)
      }
      names.insert(history.names)
    }
    #expect(names == [["-100 \(day1)", "+60 \(day1)/40", "+30 \(day1)/10", "+10 \(day1)"]])
  }

  @Test func `that an earlier version stored is not used a second time`() throws {
    var history = try History()
    try history.state(refund(Self.first, 40_000))
    // An earlier version named a part by its date alone, and a reversal by that date and the time of signing.
    let key = history.payment.key
    history.changes = [
      GrantChange(payment: key, kind: .reversal, cause: day1, amount: 60, at: Purchases.noon),
      GrantChange(payment: key, kind: .reinstatement, cause: "\(day1)@17", amount: 20, at: Purchases.noon),
    ]
    try history.state(refund(Self.first))
    try history.state(nil)
    #expect(history.names.suffix(2) == ["-60 \(day1)#2", "+100 \(day1)"])
  }

  @Test func `has the total that is taken back after it`() throws {
    var history = try History()
    for revocation in [refund(Self.first, 30_000), refund(Self.first), refund(Self.first, 10_000), nil] {
      try history.state(revocation)
    }
    #expect(history.announcements.map(\.takenBack) == [30, 100, 10, 0])
    #expect(history.announcements.map(\.amount) == [30, 70, 90, 10])
  }

  @Test func `of an entitlement is only its date`() throws {
    var history = try History(Purchases.premium)
    for revocation in [refund(Self.first, 10_000), nil] { try history.state(revocation) }
    #expect(history.names == ["-1 \(day1)", "+1 \(day1)"])
  }
}
