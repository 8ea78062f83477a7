import PaymentPrimitives
import CounterfoilAPI

// The store answers a payment with what it sold before, and charges nothing: where a subscription is to renew as
// another product from its next period on, and where the customer owns the product already. The queue shows no
// difference to a charge; dates, tokens and the server's word tell it.

extension Purchasing {
  /// A transaction as it is to be judged: one that was sold before names neither the order nor the product of the
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
    // StoreKit 1's queue names the product of the payment, whatever the transaction sold.
    transaction.product = nil
    return transaction
  }

  /// The server has judged what the store answered a payment with: nothing was charged for that order.
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
    // Somebody else asked: the answer hides whose it is.
    guard asker == flow.user else { return .awaitingConfirmation(order) }
    guard answer.verdict == .fulfilled else { return .notGranted(order, answer.verdict, reason: answer.reason) }
    // What he tapped is what he has.
    if placed?.isSold(as: answer.product) == true { return .fulfilled(answer.order ?? order, recovered: true) }
    return .renewalChanged(order)
  }

  /// Closes an order for which the store has sold nothing. If it does after all, the order is paid late.
  private func closeUncharged(_ id: RecordIdentifier) async {
    guard let record = await book.order(id), let order = record.order, claimed.insert(id).inserted else { return }
    _ = await closeUnpaid(record, order, record.user)
    claimed.remove(id)
  }
}
