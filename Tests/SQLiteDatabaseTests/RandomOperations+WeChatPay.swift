import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

// Rows of WeChat Pay: orders there, refunds, bills.
extension RandomOperations {
  mutating func atWeChatPay(_ transaction: any DatabaseTransaction) throws -> String {
    switch chance.number(below: 5) {
    case 0: try transaction.insert(weChatPayOrder(try knownOrder(transaction)))
    case 1:
      let key = orderKey()
      guard var order = try transaction.weChatPayOrder(key) else { return "none" }
      if chance.oneIn(12) { order = weChatPayOrder(key) }
      change(&order)
      try transaction.update(order)
      return rendering(try transaction.weChatPayOrder(key))
    case 2: try transaction.insert(refund(of: try known(transaction)))
    case 3:
      let (number, appEnvironment) = (word(), appEnvironment())
      guard var refund = try transaction.refund(number, in: appEnvironment) else { return "none" }
      if chance.oneIn(12) { refund = self.refund(of: refund.payment) }
      change(&refund)
      try transaction.update(refund)
      return rendering(try transaction.refund(number, in: appEnvironment))
    default:
      var record = ReconciliationRecord(
        appEnvironment: appEnvironment(), store: chance.one(of: Store.allCases), day: word(), triedAt: moment())
      if chance.oneIn(2) { record.doneAt = moment() }
      if chance.oneIn(2) { record.report = rows.text() }
      try transaction.put(record)
    }
    return "written"
  }

  /// Mostly an existing order, so that rows can refer to it.
  private mutating func knownOrder(_ transaction: any DatabaseTransaction) throws -> OrderKey {
    let orders = try transaction.orders(after: nil, limit: 100)
    return orders.isEmpty || chance.oneIn(16) ? orderKey() : chance.one(of: orders).key
  }

  private mutating func weChatPayOrder(_ key: OrderKey) -> WeChatPayOrder {
    var order = WeChatPayOrder(
      order: key, merchant: rows.text(), storeApp: rows.text(), tradeType: word(),
      amount: Money(minorUnits: chance.oneIn(20) ? 0 : rows.positive(), currency: .cny), prepayBody: rows.text(),
      nextQuestionAt: moment())
    change(&order)
    return order
  }

  private mutating func change(_ order: inout WeChatPayOrder) {
    order.state = chance.one(of: [
      .preparing, .unknown, .prepared, .closing(chance.one(of: CloseReason.allCases)), .closed, .paid,
    ])
    order.handle = chance.oneIn(2) ? WeChatPayOrder.Handle(rows.text(), issuedAt: moment()) : nil
    order.transaction = chance.oneIn(2) ? TransactionIdentifier(word()) : nil
    order.nextQuestionAt = chance.oneIn(3) ? nil : moment()
    order.questions = chance.number(below: 9)
  }

  private mutating func refund(of payment: PaymentKey) -> Refund {
    var refund = Refund(
      appEnvironment: appEnvironment(), number: word(), order: chance.oneIn(2) ? orderIdentifier() : nil,
      payment: payment,
      amount: Money(minorUnits: chance.oneIn(20) ? 0 : rows.positive(), currency: .cny),
      total: Money(minorUnits: rows.positive(), currency: .cny), reason: chance.oneIn(2) ? rows.text() : nil,
      body: chance.oneIn(2) ? rows.text() : nil, createdAt: moment())
    change(&refund)
    return refund
  }

  private mutating func change(_ refund: inout Refund) {
    refund.state = chance.one(of: [.asked, .underWay, .done(at: moment()), .failed(rows.text()), .stuck])
    refund.storeNumber = chance.oneIn(2) ? word() : nil
    refund.signedDate = chance.oneIn(2) ? moment() : nil
    refund.nextQuestionAt = chance.oneIn(3) ? nil : moment()
    refund.questions = chance.number(below: 9)
  }

  mutating func askWeChatPay(_ reading: any DatabaseReader) throws -> String {
    let (a, b, last) = (moment(), moment(), moment())
    let range = min(a, b)..<max(a, b)
    let isContinued = chance.oneIn(2)
    return try [
      rendering(reading.weChatPayOrder(orderKey())),
      rendering(reading.weChatPayOrdersToAsk(at: moment(), limit: limit())),
      rendering(reading.refund(word(), in: appEnvironment())), rendering(reading.refunds(of: paymentKey())),
      rendering(reading.refundsToAsk(at: moment(), limit: limit())), rendering(reading.nextStoreQuestion()),
      rendering(
        reading.charges(
          madeIn: range, after: isContinued ? (last, TransactionIdentifier(word())) : nil, in: appEnvironment(),
          limit: limit())),
      rendering(
        reading.refunds(
          madeIn: range, after: isContinued ? (last, word()) : nil, in: appEnvironment(), limit: limit())),
      rendering(reading.reconciliation(of: word(), at: chance.one(of: Store.allCases), in: appEnvironment())),
    ].joined(separator: "\n")
  }
}
