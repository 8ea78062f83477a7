import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The verdict that an order shows` {
  private static let aside = SetAside(by: "kim", reason: "asked", at: Purchases.noon, former: .productUnknown)

  @Test(arguments: [
    (PaymentState.held(.amountDiffers), OrderVerdict.held, "amountDiffers" as String?),
    (.setAside(aside), .held, "setAside"), (.revoked, .revoked, nil),
  ])
  func `names why a payment that names it does not pay it`(
    _ state: PaymentState, _ verdict: OrderVerdict, _ reason: String?
  ) {
    let shown = LastVerdict(namedByPaymentIn: state, at: Purchases.noon)
    #expect(shown == LastVerdict(verdict, reason: reason, at: Purchases.noon))
  }

  @Test(arguments: [PaymentState.verified, .unclaimed, .fulfilled, .imported, .reversed(amount: 1)])
  func `does not change for a payment in another state`(_ state: PaymentState) {
    #expect(LastVerdict(namedByPaymentIn: state, at: Purchases.noon) == nil)
  }

  @Test func `says which system delivered, and whether a repeated purchase went to another user`() {
    let noon = Purchases.noon
    #expect(LastVerdict(paidByPaymentIn: .fulfilled, at: noon).verdict == .fulfilled)
    #expect(LastVerdict(paidByPaymentIn: .imported, at: noon).verdict == .imported)
    func owned(by owner: UserIdentifier, _ state: PaymentState) -> LastVerdict {
      LastVerdict(alreadyOwnedBy: owner, orderedBy: "alice", in: state, at: noon)
    }
    #expect(owned(by: "alice", .fulfilled) == LastVerdict(.fulfilled, reason: "alreadyOwned", at: noon))
    #expect(owned(by: "bob", .fulfilled).verdict == .fulfilledForAnother)
    #expect(owned(by: "bob", .imported).verdict == .imported)
  }

  @Test func `uses words that never change: they are part of the API`() {
    #expect(
      OrderVerdict.allCases.map(\.rawValue) == [
        "pending", "held", "revoked", "fulfilled", "imported", "fulfilledForAnother",
      ])
  }
}
