import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The state of an order at WeChat Pay` {
  private static let handle = WeChatPayOrder.Handle("wx1", issuedAt: Purchases.noon)
  private static let other = WeChatPayOrder.Handle("wx2", issuedAt: Purchases.noon + .minutes(1))

  private static func row(_ state: WeChatPayOrderState) -> WeChatPayOrder {
    var row = WeChatPayOrder(
      order: OrderKey(appEnvironment: Purchases.appEnvironment, id: Purchases.identifier(1)), merchant: "1900000001",
      storeApp: "wx1",
      tradeType: "APP", amount: Money(minorUnits: 600, currency: .cny), prepayBody: "{}",
      nextQuestionAt: Purchases.noon + .seconds(5))
    row.state = state
    row.questions = 3
    if state == .prepared { row.handle = handle }
    if state == .paid || state == .closed { row.nextQuestionAt = nil }
    return row
  }

  private static let all: [WeChatPayOrderState] = [
    .preparing, .unknown, .prepared, .closing(.expired), .closed, .paid,
  ]

  @Test func `changes to paid from any state, and never from there (invariant 7)`() {
    for state in Self.all where state != .paid {
      var row = Self.row(state)
      #expect(row.receive(.paid("4200001")) == [.save], "\(state.name)")
      #expect(row.state == .paid && row.transaction == "4200001" && row.nextQuestionAt == nil)
    }
    let events: [WeChatPayOrderEvent] = [
      .prepared(Self.other), .prepareUnknown, .prepayRefused, .close(.expired), .closedAtStore, .paid("4200002"),
    ]
    for event in events {
      var row = Self.row(.paid)
      #expect(row.receive(event) == [])
      #expect(row == Self.row(.paid))
    }
  }

  @Test func `is closed there before it is closed here`() {
    for state in [WeChatPayOrderState.preparing, .unknown, .prepared] {
      var row = Self.row(state)
      let actions = row.receive(.close(.customerGaveUp))
      #expect(actions.contains(.askNow) && actions.contains(.save))
      #expect(!actions.contains { if case .closeOrder = $0 { true } else { false } })
      #expect(row.state == .closing(.customerGaveUp) && row.questions == 0)
      #expect(row.receive(.close(.expired)) == [])
      #expect(row.receive(.closedAtStore).contains(.closeOrder(.customerGaveUp)))
      #expect(row.state == .closed && row.nextQuestionAt == nil)
    }
  }

  @Test func `is closed here if WeChat Pay closed it by itself`() {
    for state in [WeChatPayOrderState.preparing, .unknown, .prepared] {
      var row = Self.row(state)
      #expect(row.receive(.closedAtStore).contains(.closeOrder(.expired)))
      #expect(row.state == .closed && row.nextQuestionAt == nil)
    }
  }

  @Test func `is never opened again once it is closing`() {
    for state in [WeChatPayOrderState.closing(.expired), .closed] {
      var row = Self.row(state)
      #expect(row.receive(.prepared(Self.other)) == [])
      #expect(row == Self.row(state))
    }
  }

  @Test func `accepts a refusal as the end only before any other answer`() {
    var fresh = Self.row(.preparing)
    #expect(fresh.receive(.prepayRefused).contains(.closeOrder(.prepayRefused)))
    #expect(fresh.state == .closed)
    for state in Self.all where state != .preparing {
      var row = Self.row(state)
      #expect(row.receive(.prepayRefused) == [], "\(state.name)")
      #expect(row == Self.row(state))
    }
  }

  @Test func `does not lose a known state to an unknown outcome`() {
    for state in Self.all where state != .preparing {
      var row = Self.row(state)
      #expect(row.receive(.prepareUnknown) == [], "\(state.name)")
      #expect(row == Self.row(state))
    }
  }
}

@Suite struct `The state of a refund at WeChat Pay` {
  private static func refund(_ state: Refund.State, heard: Timestamp? = nil) -> Refund {
    var refund = Refund(
      appEnvironment: Purchases.appEnvironment, number: "R1", order: nil, payment: Purchases.payment("t1").key,
      amount: Money(minorUnits: 300, currency: .cny), total: Money(minorUnits: 600, currency: .cny), reason: nil,
      body: "{}", createdAt: Purchases.noon)
    refund.state = state
    refund.signedDate = heard
    refund.nextQuestionAt = state.isFinal ? nil : Purchases.noon + .minutes(1)
    return refund
  }

  private static func update(
    _ progress: VerifiedRefund.Progress, at date: Timestamp = Purchases.noon + .minutes(2)
  ) -> RefundEvent {
    .update(
      VerifiedRefund(
        number: "R1", storeNumber: "5030", charge: Purchases.payment("t1").key, orderNumber: "0",
        amount: Money(minorUnits: 300, currency: .cny), total: Money(minorUnits: 600, currency: .cny),
        progress: progress, signedDate: date))
  }

  private static let now = Purchases.noon + .minutes(3)

  @Test func `takes back when the refund is done, and in no other state`() {
    let words: [(VerifiedRefund.Progress, String)] = [
      (.underWay, "underWay"), (.unknown("NEW"), "underWay"), (.stuck, "stuck"), (.closed, "failed"),
    ]
    for (progress, word) in words {
      var refund = Self.refund(.asked)
      #expect(!refund.receive(Self.update(progress), at: Self.now).contains(.takeBack))
      #expect(refund.state.name == word)
    }
    var refund = Self.refund(.underWay)
    #expect(refund.receive(Self.update(.done(Purchases.noon)), at: Self.now).contains(.takeBack))
    #expect(refund.state == .done(at: Purchases.noon) && refund.nextQuestionAt == nil)
  }

  @Test func `does not change once it is done`() {
    for event in [Self.update(.underWay), Self.update(.done(nil)), Self.update(.closed), .refused("NO")] {
      var refund = Self.refund(.done(at: Purchases.noon))
      #expect(refund.receive(event, at: Self.now) == [])
      #expect(refund == Self.refund(.done(at: Purchases.noon)))
    }
  }

  @Test func `that failed follows the store's newer state: the refusal may have answered a retry`() {
    var refund = Self.refund(.failed("NOT_ENOUGH"))
    #expect(refund.receive(.refused("NO"), at: Self.now) == [])
    #expect(refund.state == .failed("NOT_ENOUGH"))
    _ = refund.receive(Self.update(.underWay), at: Self.now)
    #expect(refund.state == .underWay && refund.nextQuestionAt != nil)
    #expect(refund.receive(Self.update(.done(nil)), at: Self.now).contains(.takeBack))
  }

  @Test func `made at the store itself is queried until it is done`() {
    var refund = Self.refund(.asked)
    refund.nextQuestionAt = nil
    _ = refund.receive(Self.update(.underWay), at: Self.now)
    #expect(refund.nextQuestionAt.map { $0 > Self.now } == true)
    _ = refund.receive(Self.update(.done(nil)), at: Self.now)
    #expect(refund.nextQuestionAt == nil)
  }

  @Test func `fails by a refusal only before any other answer`() {
    var asked = Self.refund(.asked)
    #expect(asked.receive(.refused("PARAM_ERROR"), at: Self.now).contains(.save))
    #expect(asked.state == .failed("PARAM_ERROR"))
    for state in [Refund.State.underWay, .stuck] {
      var refund = Self.refund(state)
      #expect(refund.receive(.refused("PARAM_ERROR"), at: Self.now) == [])
      #expect(refund.state == state)
    }
  }

  @Test func `never replaces a newer state by an older one (invariant 7)`() {
    var refund = Self.refund(.stuck, heard: Purchases.noon + .minutes(5))
    #expect(refund.receive(Self.update(.underWay), at: Self.now) == [])
    #expect(refund.state == .stuck)
    #expect(refund.receive(Self.update(.underWay, at: Purchases.noon + .minutes(6)), at: Self.now) != [])
    #expect(refund.state == .underWay)
  }
}
