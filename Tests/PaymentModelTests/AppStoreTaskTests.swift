import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What Apple is told after a grant` {
  private static func granted(
    _ product: Product = Purchases.coins, token: UInt64? = nil, _ change: (inout Payment) -> Void = { _ in }
  ) -> Payment {
    var payment = Payment(facts: Purchases.payment("t1", for: product, token: token), firstSeenAt: Purchases.noon)
    payment.state = .fulfilled
    payment.order = Purchases.identifier(1)
    payment.match = MatchRecord(rule: .presented, flags: [], at: Purchases.noon)
    change(&payment)
    return payment
  }

  private static func purposes(
    _ payment: Payment, before: Payment? = nil, finishes: Bool = true, setsToken: Bool = true
  ) -> [AppStoreTask.Purpose] {
    AppStoreTask.following(payment, before: before, finishes: finishes, setsToken: setsToken, at: Purchases.noon)
      .map(\.purpose)
  }

  @Test func `is nothing if the grant is not new, not bought here, or its token was not seen`() {
    let payment = Self.granted()
    #expect(Self.purposes(payment, before: payment) == [])
    #expect(Self.purposes(Self.granted { $0.state = .unclaimed }) == [])
    #expect(Self.purposes(Self.granted { $0.facts.ownership = .familyShared }) == [])
    #expect(Self.purposes(Self.granted { $0.match?.flags = [.tokenUnseen] }) == [])
    #expect(Self.purposes(payment, finishes: false, setsToken: false) == [])
  }

  @Test func `is to finish a consumable that no client finished, ten minutes later`() {
    let tasks = AppStoreTask.following(
      Self.granted(token: 1), before: nil, finishes: true, setsToken: true, at: Purchases.noon)
    #expect(tasks.map(\.purpose) == [.finish] && tasks[0].dueAt == Purchases.noon + .minutes(10))
    #expect(Self.purposes(Self.granted(token: 1) { $0.finishedAt = Purchases.noon }) == [])
    #expect(Self.purposes(Self.granted(Purchases.premium, token: 1)) == [])
  }

  @Test func `is the token of a presented order, but not for a subscription or a repeated purchase (record 113)`() {
    #expect(Self.purposes(Self.granted(Purchases.premium)) == [.setToken])
    #expect(Self.purposes(Self.granted()) == [.finish, .setToken])
    #expect(Self.purposes(Self.granted(Purchases.monthly)) == [])
    #expect(Self.purposes(Self.granted(Purchases.premium) { $0.match?.rule = .derived }) == [])
    #expect(Self.purposes(Self.granted(Purchases.premium) { $0.order = nil }) == [])
    #expect(Self.purposes(Self.granted(Purchases.premium) { $0.facts.originalTransaction = "t0" }) == [])
  }
}
