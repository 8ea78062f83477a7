import PaymentModel
import PaymentPrimitives
import Testing

/// Which ids are one purchase, and what their statements mean together (docs/specification/invariants.md, invariant 2).
@Suite struct `Ids of one purchase` {
  private static func day(_ days: Double) -> Timestamp {
    Purchases.noon + .milliseconds(Int64(days * 86_400_000))
  }

  /// A statement about an id of the purchase "1".
  private static func said(
    _ id: TransactionIdentifier = "1", bought: Double = 0, signed: Double, revoked: Double? = nil,
    percentage: Int64? = nil, undone: Double? = nil, own: Bool = false
  ) -> PurchaseStatement {
    var facts = Purchases.payment(id, for: Purchases.premium, at: day(bought))
    facts.originalTransaction = "1"
    facts.signedDate = day(signed)
    facts.revocation = revoked.map { Revocation(date: day($0), percentage: percentage) }
    return PurchaseStatement(facts, refundReversedAt: undone.map(day), isOwnPurchase: own)
  }

  /// Whether a revocation stands, and the doubted ids.
  private struct Outcome: Hashable {
    var day: Double?
    var doubted: [TransactionIdentifier] = []
  }

  private static func outcome(_ statements: [PurchaseStatement], confirmed: Double? = nil) -> Outcome {
    let standing = PurchaseStanding(of: statements, confirmed: confirmed.map(day))
    return Outcome(
      day: standing.revocation.map { Double($0.date.milliseconds - Purchases.noon.milliseconds) / 86_400_000 },
      doubted: standing.doubted.map(\.transaction))
  }

  private static func orders<Element>(of all: [Element]) -> [[Element]] {
    guard let last = all.last else { return [[]] }
    return orders(of: all.dropLast()).flatMap { rest in
      (0...rest.count).map { place in
        var one = rest
        one.insert(last, at: place)
        return one
      }
    }
  }

  private typealias Row = (why: String, statements: [PurchaseStatement], outcome: Outcome)

  private static let standings: [Row] = [
    ("nobody tells a revocation", [said(signed: 1), said("2", bought: 2, signed: 2)], Outcome()),
    ("the only id tells one", [said(signed: 5, revoked: 4)], Outcome(day: 4)),
    (
      "another id tells one, and nothing newer is known",
      [said(signed: 1), said("2", bought: 2, signed: 5, revoked: 4)], Outcome(day: 4)
    ),
    (
      "a newer statement was signed before the revocation's date",
      [said(signed: 3), said("2", bought: 2, signed: 2.5, revoked: 4)], Outcome(day: 4)
    ),
    (
      "a newer statement of another id does not tell it",
      [said(signed: 5, revoked: 4), said("2", bought: 2, signed: 6)], Outcome(day: 4, doubted: ["1"])
    ),
    (
      "the same, signed at the same moment",
      [said(signed: 5, revoked: 4), said("2", bought: 2, signed: 5)], Outcome(day: 4, doubted: ["1"])
    ),
    (
      "an older statement of another id does not tell it",
      [said(signed: 7, revoked: 4), said("2", bought: 2, signed: 6)], Outcome(day: 4)
    ),
    (
      "REFUND_REVERSED under the other id, signed later, undoes it",
      [said(signed: 5, revoked: 4), said("2", bought: 2, signed: 6, undone: 6)], Outcome()
    ),
    (
      "REFUND_REVERSED that was signed earlier undoes nothing",
      [said(signed: 7, revoked: 6.5), said("2", bought: 2, signed: 6, undone: 6)], Outcome(day: 6.5)
    ),
    ("both tell it", [said(signed: 5, revoked: 4), said("2", bought: 2, signed: 6, revoked: 4)], Outcome(day: 4)),
    (
      "the newer tells a later one", [said(signed: 5, revoked: 4), said("2", bought: 2, signed: 9, revoked: 8)],
      Outcome(day: 8)
    ),
    (
      "the newer tells only an earlier one",
      [said(signed: 8, revoked: 7), said("2", bought: 2, signed: 9, revoked: 4)], Outcome(day: 7, doubted: ["1"])
    ),
    (
      "a third id agrees with the refund, and is older than the silent one",
      [said(signed: 5, revoked: 4), said("2", bought: 2, signed: 6), said("3", bought: 3, signed: 5.5, revoked: 4)],
      Outcome(day: 4, doubted: ["1", "3"])
    ),
  ]

  @Test func `state together what is taken back, in any order`() {
    for row in Self.standings {
      for statements in Self.orders(of: row.statements) {
        #expect(Self.outcome(statements) == row.outcome, "\(row.why)")
      }
    }
  }

  @Test func `are no longer in doubt once an operator confirms the revocation`() {
    let statements = [Self.said(signed: 5, revoked: 4), Self.said("2", bought: 2, signed: 6)]
    #expect(Self.outcome(statements, confirmed: 4) == Outcome(day: 4))
    #expect(Self.outcome(statements, confirmed: 3) == Outcome(day: 4, doubted: ["1"]))
  }

  @Test func `give nothing back while they disagree: the greatest total stands, else the newest`() {
    let all = Self.said(signed: 5, revoked: 4)
    let part = Self.said("2", bought: 2, signed: 6, revoked: 4, percentage: 30_000)
    #expect(PurchaseStanding(of: [all, part]).revocation?.percentage == 30_000)
    #expect(PurchaseStanding(of: [all, part, Self.said("3", bought: 3, signed: 7)]).revocation?.percentage == nil)
  }

  @Test func `have the same result in any order of their updates`() {
    let update = [
      Self.said(signed: 1), Self.said(signed: 10, revoked: 9), Self.said("2", bought: 2, signed: 2),
      Self.said("2", bought: 2, signed: 12, undone: 12), Self.said("2", bought: 2, signed: 20, revoked: 19),
    ]
    var outcomes: Set<[Outcome]> = []
    for arrival in Self.orders(of: update) {
      var known: [PaymentKey: PurchaseStatement] = [:]
      for one in arrival {
        var statement = known[one.key] ?? one
        statement.facts = statement.facts.completed(by: one.facts, isWhole: true)
        statement.refundReversedAt = [statement.refundReversedAt, one.refundReversedAt].compactMap(\.self).max()
        known[one.key] = statement
      }
      outcomes.insert(Duplicates.purchases(Array(known.values)).map { Self.outcome($0) })
    }
    #expect(outcomes == [[Outcome(day: 19)]])
  }

  private func purchases(_ statements: [PurchaseStatement]) -> [[TransactionIdentifier]] {
    let all = Self.orders(of: statements).map { Duplicates.purchases($0).map { $0.map(\.key.transaction) } }
    #expect(Set(all).count == 1)
    return all[0]
  }

  @Test func `begin another purchase during a refund that was reversed under another id of the first`() {
    var first = Self.said(signed: 9, revoked: 8)
    var further = Self.said("1a", bought: 1, signed: 9, revoked: 8)
    first.refundHistory.take(Revocation(date: Self.day(2)), reversedAt: nil)
    #expect(purchases([first, further, Self.said("2", bought: 3, signed: 3)]) == [["1", "1a", "2"]])
    further.refundHistory.take(nil, reversedAt: Self.day(4))
    #expect(purchases([first, further, Self.said("2", bought: 3, signed: 3)]) == [["1", "1a"], ["2"]])
  }

  @Test func `begin another purchase during an earlier refund, also of an ungranted one (record 164)`() {
    var first = Self.said(signed: 9, revoked: 8)
    #expect(purchases([first, Self.said("2", bought: 3, signed: 3)]) == [["1", "2"]])
    for told in [first.facts.revocation, Revocation(date: Self.day(2))] {
      first.refundHistory.take(told, reversedAt: nil)
    }
    first.refundHistory.take(nil, reversedAt: Self.day(4))
    #expect(purchases([first, Self.said("2", bought: 3, signed: 3)]) == [["1"], ["2"]])
    #expect(purchases([first, Self.said("2", bought: 5, signed: 5)]) == [["1", "2"]])
  }

  @Test func `begin another purchase only after the refund of everything before`() {
    #expect(purchases([Self.said(signed: 1), Self.said("2", bought: 2, signed: 2)]) == [["1", "2"]])
    #expect(purchases([Self.said(signed: 5, revoked: 4), Self.said("2", bought: 5, signed: 5)]) == [["1"], ["2"]])
    #expect(purchases([Self.said(signed: 5, revoked: 4), Self.said("2", bought: 3, signed: 5)]) == [["1", "2"]])
    #expect(purchases([Self.said(signed: 5, revoked: 4), Self.said("2", bought: 4, signed: 5)]) == [["1", "2"]])
    #expect(
      purchases([Self.said(signed: 5, revoked: 4), Self.said("2", bought: 5, signed: 9, revoked: 8)]) == [["1", "2"]])
    #expect(
      purchases([Self.said(signed: 5, revoked: 4, undone: 6), Self.said("2", bought: 7, signed: 7)]) == [["1", "2"]])
    #expect(
      purchases([
        Self.said(signed: 5, revoked: 4), Self.said("2", bought: 5, signed: 5), Self.said("3", bought: 6, signed: 6),
      ]) == [["1"], ["2", "3"]])
  }

  @Test func `begin another purchase if an operator has granted one, whatever happens to the first`() {
    #expect(
      purchases([
        Self.said(signed: 9), Self.said("2", bought: 5, signed: 5, own: true), Self.said("3", bought: 6, signed: 6),
      ]) == [["1"], ["2", "3"]])
  }

  @Test func `are one event by the item of the order, else by product and second`() {
    var (one, other) = (Purchases.payment("1", for: Purchases.monthly), Purchases.payment("2", for: Purchases.monthly))
    other.originalTransaction = "1"
    #expect(Duplicates.areOneEvent(one, other))
    other.purchaseDate = other.purchaseDate + .seconds(1)
    #expect(!Duplicates.areOneEvent(one, other))
    (one.webOrderLineItem, other.webOrderLineItem) = ("501", "501")
    #expect(Duplicates.areOneEvent(one, other))
    (one.appTransaction, other.appTransaction) = ("7001", "7002")
    #expect(!Duplicates.areOneEvent(one, other))
    other.appTransaction = nil
    #expect(Duplicates.areOneEvent(one, other))
    other.ownership = .familyShared
    #expect(!Duplicates.areOneEvent(one, other))
  }

  @Test func `of a non-consumable are one event under one original, whatever the dates`() {
    let (one, other) = (Self.said(signed: 1).facts, Self.said("2", bought: 300, signed: 301).facts)
    #expect(Duplicates.areOneEvent(one, other))
    #expect(!Duplicates.areOneEvent(one, Purchases.payment("3", for: Purchases.premium)))
  }
}
