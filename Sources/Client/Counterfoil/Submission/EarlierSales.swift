import CounterfoilAPI
import PaymentPrimitives

/// Earlier sales with which the store answers a payment, charging nothing.
///
/// The store does so if a subscription is to renew as another product from its next period, and if the customer owns
/// the product already. In the queue this looks like a charge; dates, tokens and the server's answer show the
/// difference.
struct EarlierSales {
  let tasks: BackgroundTasks
  let log: SupportLog
  let records: VaultRecords
  let orders: OpenOrders
  let flows: PurchaseFlows
  let sheets: OpenedSheets

  /// The transaction as the server should judge it. An earlier sale must not name the order or the product of the
  /// payment that the store answered with it.
  nonisolated(nonsending) func withoutForeignOrder(_ transaction: StoreTransaction) async -> StoreTransaction {
    guard let order = transaction.answers, let key = TransactionKey(transaction), key.revokedAt == nil,
      let sheet = sheets.sheet(of: order)
    else { return transaction }
    var isEarlier = sheet.isAnswered(byEarlier: transaction)
    if !isEarlier, let paid = await records.clearance(of: key)?.order { isEarlier = paid != order }
    guard isEarlier else { return transaction }
    sheets.noteAnswer(key, to: order)
    var transaction = transaction
    if transaction.token == order { transaction.token = nil }
    // StoreKit 1's queue names the product of the payment, even if the transaction sold another one.
    transaction.product = nil
    return transaction
  }

  /// Closes an order that the store answered with an earlier sale: the server has judged that nothing was charged.
  nonisolated(nonsending) func resolve(
    _ order: OrderIdentifier, answeredBy answer: PaymentAnswer, asker: UserIdentifier?
  ) async {
    let sheet = sheets.sheet(of: order)
    sheets.remove(order)
    guard let record = await records.order(of: order) else { return }
    log.write(
      .info, "client.payment.answeredByEarlier",
      with: [("order", order.description), ("transaction", answer.transaction.text)])
    await orders.applyIfPossible(.storeFailed, to: record.id)
    for (number, flow) in flows.oldestFirst where flow.order?.id == order {
      guard let placed = sheet?.order ?? flow.order else { continue }
      flows.decide(number, .success(outcome(of: answer, for: flow, placed, asker: asker)))
    }
    guard asker == record.user else { return }
    await tasks.addIsolated { await $0.purchases.closing.closeUncharged(record.id) }
  }

  private func outcome(
    of answer: PaymentAnswer, for flow: PurchaseFlow, _ placed: PlacedOrder, asker: UserIdentifier?
  ) -> PurchaseOutcome {
    // Another user asked: the answer hides who owns it.
    guard asker == flow.user else { return .awaitingConfirmation(placed.id) }
    guard answer.verdict == .fulfilled else {
      return .notGranted(placed.id, answer.verdict, reason: answer.reason)
    }
    // The customer already has the product they tapped.
    if placed.isSold(as: answer.product) { return .fulfilled(answer.order ?? placed.id, recovered: true) }
    return .renewalChanged(placed.id)
  }
}
