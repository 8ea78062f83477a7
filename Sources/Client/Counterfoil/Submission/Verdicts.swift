import CounterfoilAPI
import PaymentPrimitives

/// Applies the server's verdict: makes it durable, informs waiting callers, and finishes at the store if the server
/// allows it.
struct Verdicts {
  let log: SupportLog
  let records: VaultRecords
  let orders: OpenOrders
  let events: EventBroadcaster
  let flows: PurchaseFlows
  let sheets: OpenedSheets
  let states: SubmissionStates
  let retries: SubmissionRetries
  let finishing: StoreFinishing
  let earlier: EarlierPurchases
  let earlierSales: EarlierSales

  nonisolated(nonsending) func apply(
    _ answer: PaymentAnswer, to transaction: StoreTransaction, _ key: TransactionKey, asker: UserIdentifier?
  ) async -> SubmissionResult {
    let paidOrder = answer.verdict == .fulfilled ? answer.order : nil
    var record: OrderRecord?
    if let order = paidOrder ?? transaction.token { record = await records.order(of: order) }
    log.write(
      .info, "client.verdict",
      with: [("transaction", key.id.text), ("verdict", answer.verdict.rawValue), ("reason", answer.reason ?? "")]
        + transaction.logFields(of: record).filter { $0.name != "transaction" })
    if answer.finish {
      states[key]?.wasClearedInThisRun = true
      do throws(VaultFailure) {
        try await records.clear(key, order: paidOrder)
      } catch {
        // The server will give the same answer again.
        log.vaultFailed(error)
      }
    }
    if let paidOrder, let record = await records.order(of: paidOrder) {
      await orders.applyIfPossible(.paidAtServer, to: record.id)
    }
    if answer.verdict != .pending { await undoGuess(key, answer, paidOrder: paidOrder) }
    if answer.finish { await earlier.removeCompleted(by: transaction, answer) }
    noteOtherProduct(answer, transaction, key: key)
    notify(answer, about: transaction, key, asker: asker)
    if answer.verdict != .pending, let order = sheets.removeAnswer(key) {
      await earlierSales.resolve(order, answeredBy: answer, asker: asker)
    }
    if answer.finish {
      await finishing.finishCleared(key, paidOrder: paidOrder)
    } else if answer.verdict == .pending {
      await retries.plan(transaction, key, retryAfter: answer.retryAfter)
    }
    return .answered(answer)
  }

  /// Handles that the server could not read the request. The server may be at fault: everything is kept.
  nonisolated(nonsending) func apply(
    _ problem: ProblemBody, to transaction: StoreTransaction, _ key: TransactionKey
  ) async -> SubmissionResult {
    log.write(.error, "client.submission.refused", with: [("transaction", key.id.text), ("code", problem.code)])
    guard problem.status != 401, problem.status != 403 else {
      // The server refused the token and said nothing about the transaction. A new token will get an answer.
      await retries.plan(transaction, key, retryAfter: nil)
      return .unknown
    }
    for record in await records.orders where record.phase == .paid(by: key.id) {
      await orders.applyIfPossible(.judgedOtherwise(key.id, problem.code), to: record.id)
    }
    return .unreadable(code: problem.code)
  }

  /// Sets aside a record that looked paid by this transaction and is not: it is kept for a later payment.
  nonisolated(nonsending) private func undoGuess(
    _ key: TransactionKey, _ answer: PaymentAnswer, paidOrder: OrderIdentifier?
  ) async {
    for record in await records.orders
    where record.phase == .paid(by: key.id) && record.order?.id != paidOrder {
      await orders.applyIfPossible(.judgedOtherwise(key.id, answer.name), to: record.id)
    }
  }

  /// Notes that the store answered a payment with a sale of another product, which only the server can tell: the queue
  /// of StoreKit 1 names the payment's product, and the sale may be a few minutes old.
  private func noteOtherProduct(_ answer: PaymentAnswer, _ transaction: StoreTransaction, key: TransactionKey) {
    guard answer.verdict == .fulfilled, let order = transaction.answers, order != answer.order,
      let product = answer.product, let sheet = sheets.sheet(of: order), !sheet.order.isSold(as: product)
    else { return }
    sheets.noteAnswer(key, to: order)
  }

  // MARK: listeners and callers

  private func notify(
    _ answer: PaymentAnswer, about transaction: StoreTransaction, _ key: TransactionKey,
    asker: UserIdentifier?
  ) {
    let sold = sheets.sheetThatSold(transaction)
    switch answer.verdict {
    case .fulfilled:
      events.emit(.fulfilled(key.id, order: answer.order, firstSeen: answer.firstSeen))
      if let order = answer.order { sheets.remove(order) }
      if let sold { sheets.remove(sold.order.id) }
    case .pending, .unpaid:
      return
    case .fulfilledForAnother, .revoked, .imported, .held, .unclaimed, .refused:
      events.emit(.notGranted(key.id, answer.verdict, reason: answer.reason))
    }
    for (number, flow) in flows.oldestFirst {
      guard let order = flow.order else { continue }
      let isItsPayment = order.id == sold?.order.id && !sheets.isAnswer(key)
      if answer.verdict == .fulfilled, answer.order == order.id {
        flows.decide(number, .success(.fulfilled(order.id, recovered: false)))
      } else if isItsPayment {
        flows.decide(number, .success(outcome(of: answer, for: flow, order.id, asker: asker)))
      }
    }
  }

  /// The outcome of a purchase after an unexpected verdict on its payment.
  private func outcome(
    of answer: PaymentAnswer, for flow: PurchaseFlow, _ order: OrderIdentifier, asker: UserIdentifier?
  ) -> PurchaseOutcome {
    switch answer.verdict {
    case .fulfilled where asker == flow.user:
      // Granted to this user for another of their equal orders: they have the product. For a product they already own,
      // the store gave another transaction and charged nothing.
      return .fulfilled(answer.order ?? order, recovered: answer.reason == PaymentAnswer.alreadyOwned)
    case _ where asker != flow.user:
      // Another user asked. The answer hides the owner, so nothing is known about this purchase.
      return .awaitingConfirmation(order)
    case .fulfilled, .fulfilledForAnother, .revoked, .imported, .held, .unclaimed, .refused, .pending,
      .unpaid:
      return .notGranted(order, answer.verdict, reason: answer.reason)
    }
  }
}

extension PaymentAnswer {
  /// Verdict and reason in one, as records and the support trace show them.
  var name: String { [verdict.rawValue, reason].compactMap { $0 }.joined(separator: ".") }
}
