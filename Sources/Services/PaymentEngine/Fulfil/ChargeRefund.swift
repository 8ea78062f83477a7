import CounterfoilAPI
package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// The refunds of charges: what a store says about one takes effect here, whoever requested it.
package enum ChargeRefund {
  /// The charge of an order: the payment that paid it, or a held one that names it.
  package static func payment(of order: Order, _ reader: any DatabaseReader) throws -> Payment? {
    // A derived order was never opened at WeChat Pay.
    let paidBy = order.state.payment?.transaction
    guard order.store == .weChatPay, let transaction = try reader.weChatPayOrder(order.key)?.transaction ?? paidBy
    else {
      return nil
    }
    return try reader.payment(
      PaymentKey(
        app: order.key.appEnvironment.app, store: .weChatPay, environment: order.key.appEnvironment.environment,
        transaction: transaction))
  }

  /// The refund of an update; one that was made at WeChat Pay itself is stored now. It is nil if its payment is not
  /// known.
  package static func known(_ update: VerifiedRefund, in transaction: any DatabaseTransaction) throws -> Refund? {
    if let known = try transaction.refund(update.number, in: update.charge.appEnvironment) {
      return known.payment == update.charge ? known : nil
    }
    guard let payment = try transaction.payment(update.charge), update.amount.minorUnits >= 1 else { return nil }
    let refund = Refund(
      appEnvironment: update.charge.appEnvironment, number: update.number, order: payment.facts.token,
      payment: update.charge,
      amount: update.amount, total: update.total, reason: nil, body: nil,
      createdAt: update.statedStart ?? transaction.now)
    try transaction.insert(refund)
    try transaction.insert(entry(.refundMadeAtStore, refund, at: transaction.now))
    return refund
  }

  /// Applies an event to a refund and its payment; nil if the payment does not change.
  package static func take(
    _ event: RefundEvent, of refund: Refund, _ evidence: String, origin: Evidence.Origin,
    context: FulfilmentContext, in transaction: any DatabaseTransaction
  ) throws -> FulfilmentResult? {
    guard var present = try transaction.refund(refund.number, in: refund.appEnvironment) else { return nil }
    let actions = present.receive(event, at: transaction.now)
    guard !actions.isEmpty else { return nil }
    var channel: [(String, JSONValue)] = []
    if case .update(let update) = event, let word = update.channel { channel = [("channel", .string(word))] }
    try transaction.update(present)
    let payment = try transaction.payment(refund.payment)
    for case .journal(let event) in actions {
      var entry = entry(event, present, at: transaction.now, more: channel)
      entry.event = try body(of: present, payment, for: context.app, transaction)
      try transaction.insert(entry)
    }
    guard let payment else { return nil }
    let update = PaymentUpdate(facts: payment.facts, evidence: evidence, origin: origin)
    let writer = FulfilmentTransaction(transaction, context, update: update)
    guard actions.contains(.takeBack) else {
      try writer.keepEvidence(of: payment.key)
      return nil
    }
    let result = try writer.takeBackRefunds(of: payment)
    // A part too small to take anything back is still evidence.
    if !result.changed { try writer.keepEvidence(of: payment.key) }
    return result
  }

  /// The event of a refund in its present state, as JSON text; nil if the backend is told nothing.
  package static func body(
    of refund: Refund, _ payment: Payment?, for app: AppPolicy, _ transaction: any DatabaseTransaction
  ) throws -> String? {
    guard let payment, let making = EventMaking(app, at: transaction.now) else { return nil }
    return try making.refund(refund, of: payment, reading: transaction)?.json.text
  }

  package static func entry(
    _ event: JournalEvent, _ refund: Refund, at now: Timestamp, more: [(String, JSONValue)] = []
  ) -> JournalEntry {
    JournalEntry(
      event, in: refund.appEnvironment, at: now, order: refund.order, payment: refund.payment,
      details: JSONValue.members(
        [("refund", .string(refund.number)), ("amount", .integer(refund.amount.minorUnits))] + more
      ).text)
  }
}

extension VerifiedRefund {
  /// When it was made, as far as the store says: the bill has it on that day, whenever it becomes known here. A
  /// notification states only when the money was back, which is soon after.
  fileprivate var statedStart: Timestamp? {
    if case .done(let moment) = progress { return createdAt ?? moment }
    return createdAt
  }
}
