import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `An order` {
  private let payment = Purchases.payment("t1").key
  private let later = Purchases.noon + .hours(1)

  @Test func `is paid once; a repeated update changes nothing`() throws {
    var order = Purchases.order(1)
    #expect(try order.receive(.paid(payment), at: later) == [.save, .journal(.orderPaid)])
    #expect(try order.receive(.paid(payment), at: later + .hours(1)) == [])
    #expect(order.state == .paid(by: payment, at: later))
  }

  @Test func `refuses a second payment and stays unchanged`() throws {
    var order = Purchases.order(1)
    _ = try order.receive(.paid(payment), at: later)
    let before = order
    #expect(throws: OrderError.alreadyPaid(by: payment)) {
      try order.receive(.paid(Purchases.payment("t2").key), at: later)
    }
    #expect(order == before)
  }

  @Test func `accepts a late payment after it was closed, and keeps its first reason until then`() throws {
    var order = Purchases.order(1)
    _ = try order.receive(.close(.customerGaveUp), at: later)
    #expect(try order.receive(.close(.expired), at: later + .hours(1)) == [])
    #expect(order.state == .closed(.customerGaveUp, at: later))
    #expect(try order.receive(.paid(payment), at: later) == [.save, .journal(.orderPaidLate)])
  }

  @Test func `is not closed once it is paid`() throws {
    var order = Purchases.order(1)
    _ = try order.receive(.paid(payment), at: later)
    #expect(try order.receive(.close(.expired), at: later) == [])
    #expect(order.state.payment == payment)
  }

  @Test func `moves its pairing to an earlier payment only from the current one`() throws {
    let earlier = Purchases.payment("t0").key
    var order = Purchases.order(1)
    #expect(throws: OrderError.notPaidBy(payment)) {
      try order.receive(.pairingMoved(from: payment, to: earlier), at: later)
    }
    _ = try order.receive(.paid(payment), at: later)
    #expect(throws: OrderError.notPaidBy("t9".paymentKey)) {
      try order.receive(.pairingMoved(from: "t9".paymentKey, to: earlier), at: later)
    }
    _ = try order.receive(.pairingMoved(from: payment, to: earlier), at: later)
    #expect(order.state.payment == earlier)
    #expect(try order.receive(.pairingMoved(from: payment, to: earlier), at: later) == [])
  }
}

extension String {
  fileprivate var paymentKey: PaymentKey { Purchases.payment(TransactionIdentifier(self)).key }
}

@Suite struct `A payment's state` {
  private static let events: [PaymentEvent] = [
    .fulfilled, .unclaimed, .held(.ownerAmbiguous), .revoked, .imported, .reversed(amount: 1),
    .reinstated(amount: 0),
  ]

  /// docs/specification/states.md, as a table: the accepted events of each state.
  private static let allowed: [(PaymentState, [PaymentEvent])] = [
    (.verified, [.fulfilled, .unclaimed, .held(.ownerAmbiguous), .revoked, .imported]),
    (.unclaimed, [.fulfilled, .unclaimed, .held(.ownerAmbiguous), .revoked, .imported]),
    (.held(.claimLimit), [.fulfilled, .held(.ownerAmbiguous), .revoked, .imported]),
    (.revoked, [.fulfilled, .unclaimed, .held(.ownerAmbiguous), .revoked, .imported]),
    (.imported, [.fulfilled, .held(.ownerAmbiguous), .imported]),
    (.fulfilled, [.fulfilled, .reversed(amount: 1)]),
    (.reversed(amount: 1), [.reversed(amount: 1), .reinstated(amount: 0)]),
    (.reinstated(amount: 0), [.reversed(amount: 1), .reinstated(amount: 0)]),
  ]

  @Test(arguments: allowed.indices)
  func `accepts the events of the table and refuses all others`(index: Int) {
    let (state, allowed) = Self.allowed[index]
    for event in Self.events {
      var payment = Payment(facts: Purchases.payment("t1"), firstSeenAt: Purchases.noon)
      payment.state = state
      if allowed.contains(event) {
        #expect(throws: Never.self) { try payment.receive(event) }
      } else {
        #expect(throws: PaymentTransitionError.self) { try payment.receive(event) }
        #expect(payment.state == state)
      }
    }
  }

  @Test func `reports whether it changed`() throws {
    var payment = Payment(facts: Purchases.payment("t1"), firstSeenAt: Purchases.noon)
    #expect(try payment.receive(.unclaimed))
    #expect(try payment.receive(.unclaimed) == false)
  }
}
