import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The rules of money` {
  /// Valid rows: one order, paid and granted, with one delivery.
  private func sound() throws -> PaymentRows {
    let order = Purchases.order(1)
    var input = FulfilmentInput(
      payment: Payment(facts: Purchases.payment("t1", token: 1), firstSeenAt: Purchases.noon),
      derivedOrder: Purchases.identifier(99), now: Purchases.noon)
    input.decision = .grant(to: "alice", .order(order.key.id), rule: .exact, flags: [])
    input.order = order
    input.product = Purchases.coins
    var rows = try Fulfilment.plan(input).rows(after: [], [])
    rows.deliveries = [.init(kind: .created, sequence: 1)]
    return rows
  }

  private func broken(_ change: (inout PaymentRows) -> Void) throws -> Set<Invariant> {
    var rows = try sound()
    change(&rows)
    return Set(rows.violations.map(\.invariant))
  }

  @Test func `hold for a purchase that went well`() throws {
    #expect(try sound().violations.isEmpty)
  }

  @Test func `1: notice a grant without a payment that was granted, and a granted payment without a grant`() throws {
    #expect(try broken { $0.payment.state = .unclaimed }.contains(.grantHasPayment))
    #expect(try broken { $0.grant = nil }.contains(.grantHasPayment))
  }

  @Test func `1: notice a grant of more than the signed product and quantity give`() throws {
    #expect(
      try broken {
        $0.grant = Grant(
          payment: $0.payment.key, user: "alice", content: .units("coin", amount: 1000),
          promise: GrantPromise(of: Purchases.coins), grantedAt: Purchases.noon)
      }.contains(.grantHasPayment))
    #expect(try broken { $0.order?.quantity = 5 }.contains(.grantHasPayment))
  }

  @Test func `1: notice a grant that differs from its promise, with or without an order`() throws {
    func isBroken(_ change: (inout PaymentRows) -> Void) throws -> Bool {
      try broken {
        $0.order = nil
        $0.payment.order = nil
        change(&$0)
      }.contains(.grantHasPayment)
    }
    #expect(try !isBroken { _ in })
    #expect(try isBroken { $0.grant?.promise.rule = .units("coin", perPiece: 99) })
    #expect(try isBroken { $0.grant?.promise.rule = .units("gem", perPiece: 100) })
    #expect(
      try isBroken {
        $0.grant?.promise.rule = .units("coin", perPiece: .max)
        $0.payment.facts.quantity = 2
      })
    // An earlier version may not have stored the amount per piece: then there is nothing to compare.
    #expect(try !isBroken { $0.grant?.promise.rule = nil })
  }

  @Test func `1: notice a promise that differs from its order`() throws {
    #expect(try broken { $0.grant?.promise.product = "coins.1000" }.contains(.grantHasPayment))
    #expect(try broken { $0.grant?.promise.kind = .nonConsumable }.contains(.grantHasPayment))
    #expect(try broken { $0.order?.product.grant = .units("coin", perPiece: 5) }.contains(.grantHasPayment))
    #expect(
      try broken {
        $0.order?.product.grant = .units("coin", perPiece: 5)
        $0.order?.product.appStoreProducts = ["com.example.other"]
      } == [])
  }

  @Test func `1: notice a new promise that differs from its source`() throws {
    #expect(try broken { $0.promiseSource = .order } == [])
    #expect(try broken { $0.promiseSource = .catalog(Purchases.coins) } == [.grantHasPayment])
    func fromCatalog(_ product: Product?) throws -> Set<Invariant> {
      try broken {
        $0.order = nil
        $0.payment.order = nil
        $0.promiseSource = .catalog(product)
      }
    }
    #expect(try fromCatalog(Purchases.coins) == [])
    for change: (inout Product) -> Void in [
      { $0.id = "other" }, { $0.kind = .nonConsumable }, { $0.grant = .units("coin", perPiece: 99) },
      { $0.debt = .clamp }, { $0.appStoreProducts = [] },
    ] {
      var product = Purchases.coins
      change(&product)
      #expect(try fromCatalog(product) == [.grantHasPayment])
    }
    #expect(try fromCatalog(nil) == [.grantHasPayment])
  }

  @Test func `1: notice a promise taken from a grant of another subscription or product, or from itself`() throws {
    var facts = Purchases.payment("t2", for: Purchases.monthly)
    facts.originalTransaction = "t1"
    let first = Purchases.payment("t1", for: Purchases.monthly)
    func broken(_ earlier: VerifiedPayment?, _ change: (inout Grant) -> Void = { _ in }) throws -> [Invariant] {
      var rows = PaymentRows(payment: Payment(facts: facts, firstSeenAt: Purchases.noon))
      rows.payment.state = .fulfilled
      rows.payment.owner = "alice"
      let promise = GrantPromise(of: Purchases.monthly)
      let content = try #require(promise.content(of: facts))
      let grant = Grant(
        payment: facts.key, user: "alice", content: content, promise: promise, grantedAt: Purchases.noon)
      var before = Grant(
        payment: (earlier ?? first).key, user: "alice", content: content, promise: promise, grantedAt: Purchases.noon)
      change(&before)
      rows.grant = grant
      rows.promiseSource = .earlier(earlier, earlier == nil ? nil : before)
      return rows.violations.map(\.invariant)
    }
    #expect(try broken(first) == [])
    #expect(try broken(nil) == [.grantHasPayment])
    #expect(try broken(facts) == [.grantHasPayment])
    #expect(try broken(first) { $0.promise.product = "other" } == [.grantHasPayment])
    var other = first
    other.originalTransaction = "t9"
    #expect(try broken(other) == [.grantHasPayment])
    other = first
    other.storeProduct = "com.example.yearly"
    #expect(try broken(other) == [.grantHasPayment])
  }

  @Test func `1: notice a promise that changed after the grant`() throws {
    let before = try #require(try sound().grant)
    var after = before
    #expect(Invariant.violations(from: before, to: after) == [])
    after.promise.rule = .units("coin", perPiece: 99)
    #expect(Invariant.violations(from: before, to: after).map(\.invariant) == [.grantHasPayment])
    #expect(Invariant.violations(from: before, to: nil).map(\.invariant) == [.grantHasPayment])
  }

  @Test func `2: notice a pairing that only one side knows`() throws {
    #expect(try broken { $0.order = nil }.contains(.onePaymentOneOrderOneGrant))
    #expect(try broken { $0.order?.state = .awaitingPayment }.contains(.onePaymentOneOrderOneGrant))
  }

  @Test func `2: notice units that were moved twice, or not at all`() throws {
    #expect(try broken { $0.postings += $0.postings }.contains(.onePaymentOneOrderOneGrant))
    #expect(try broken { $0.postings = [] }.contains(.onePaymentOneOrderOneGrant))
  }

  @Test func `3: notice a grant to a user who is not the owner`() throws {
    #expect(try broken { $0.grant?.user = "mallory" }.contains(.grantGoesToItsOwner))
    #expect(try broken { $0.order?.user = "mallory" }.contains(.grantGoesToItsOwner))
  }

  @Test func `4: notice a refund that took effect twice or took too much`() throws {
    let refund = { (amount: Int64) in
      GrantChange(
        payment: Purchases.payment("t1").key, kind: .reversal, cause: "1", amount: amount,
        at: Purchases.noon)
    }
    #expect(try broken { $0.changes = [refund(1), refund(1)] }.contains(.refundTakesAtMostTheGrant))
    #expect(
      try broken {
        $0.changes = [refund(101)]
        $0.grant?.takenBack = 101
      }.contains(.refundTakesAtMostTheGrant))
  }

  @Test func `7: notice an older update that replaces a newer one, and a grant with a changed owner`() throws {
    let before = try sound().payment
    var after = before
    after.facts.signedDate = before.facts.signedDate - .milliseconds(1)
    #expect(Invariant.violations(from: before, to: after).map(\.invariant) == [.stateMovesForward])
    after = before
    after.owner = "mallory"
    #expect(Invariant.violations(from: before, to: after).map(\.invariant) == [.grantGoesToItsOwner])
  }

  @Test func `8: notice an order of another environment`() throws {
    #expect(
      try broken {
        $0.order?.key = OrderKey(
          appEnvironment: AppEnvironment(app: "shop", environment: .production), id: Purchases.identifier(1))
      }.contains(.environmentsNeverMix))
  }

  @Test func `9: notice a grant without a delivery to the backend, or with two`() throws {
    #expect(try broken { $0.deliveries = [] }.contains(.atRestNothingIsLost))
    #expect(
      try broken {
        $0.deliveries = [.init(kind: .created, sequence: 1), .init(kind: .created, sequence: 2)]
      }.contains(.atRestNothingIsLost))
    #expect(
      try broken { $0.deliveries = [.init(kind: .created, sequence: 2)] }
        .contains(.atRestNothingIsLost))
  }

  @Test func `are nine, each with its sentence in both languages`() {
    #expect(Invariant.allCases.map(\.rawValue) == Array(1...9))
    #expect(Invariant.allCases.allSatisfy { !$0.statement.english.isEmpty && !$0.statement.chinese.isEmpty })
  }
}
