import CounterfoilAPI
import PaymentPrimitives

// The store sometimes answers a payment with an earlier sale, and charges nothing. It does so if a subscription is to
// renew as another product from its next period, and if the customer owns the product already. In the queue this looks
// like a charge; dates, tokens and the server's answer show the difference.

extension Purchasing {
  /// The transaction as the server should judge it. An earlier sale must not name the order or the product of the
  /// payment that the store answered with it.
  func withoutForeignOrder(_ transaction: StoreTransaction) async -> StoreTransaction {
    guard let order = transaction.answers, let key = TransactionKey(transaction), key.revokedAt == nil,
      let sheet = sheets.first(where: { $0.order.id == order })
    else { return transaction }
    var isEarlier = sheet.isAnswered(byEarlier: transaction)
    if !isEarlier, let paid = await book.clearance(of: key)?.order { isEarlier = paid != order }
    guard isEarlier else { return transaction }
    answered[key] = order
    var transaction = transaction
    if transaction.token == order { transaction.token = nil }
    // StoreKit 1's queue names the product of the payment, even if the transaction sold another one.
    transaction.product = nil
    return transaction
  }

  /// Closes an order that the store answered with an earlier sale: the server has judged that nothing was charged.
  func settle(_ order: OrderIdentifier, answeredBy answer: PaymentAnswer, asker: UserIdentifier?) async {
    let sheet = sheets.first { $0.order.id == order }
    sheets.removeAll { $0.order.id == order }
    guard let record = await book.order(of: order) else { return }
    log(
      .info, "client.payment.answeredByEarlier",
      [("order", order.description), ("transaction", answer.transaction.text)])
    await takeIfPossible(.storeFailed, for: record.id)
    for (number, flow) in flows.sorted(by: { $0.key < $1.key }) where flow.order?.id == order {
      decide(number, .success(outcome(of: answer, for: flow, sheet?.order ?? flow.order, order, asker: asker)))
    }
    guard asker == record.user else { return }
    await tasks.add { await self.closeUncharged(record.id) }
  }

  private func outcome(
    of answer: PaymentAnswer, for flow: PurchaseFlow, _ placed: PlacedOrder?, _ order: OrderIdentifier,
    asker: UserIdentifier?
  ) -> PurchaseOutcome {
    // Another user asked: the answer hides who owns it.
    guard asker == flow.user else { return .awaitingConfirmation(order) }
    guard answer.verdict == .fulfilled else { return .notGranted(order, answer.verdict, reason: answer.reason) }
    // The customer already has the product they tapped.
    if placed?.isSold(as: answer.product) == true { return .fulfilled(answer.order ?? order, recovered: true) }
    return .renewalChanged(order)
  }

  /// Closes an order for which the store has sold nothing. If the store sells it later, the order is paid late.
  private func closeUncharged(_ id: RecordIdentifier) async {
    guard let record = await book.order(id), let order = record.order, claimed.insert(id).inserted else { return }
    _ = await closeUnpaid(record, order, record.user)
    claimed.remove(id)
  }
}
