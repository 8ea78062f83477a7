import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Applies the server's verdict: makes it durable, informs waiting callers, and finishes at the store if the server
  /// allows it.
  func takeIn(
    _ answer: PaymentAnswer, _ transaction: StoreTransaction, _ key: TransactionKey,
    asker: UserIdentifier?
  ) async -> SubmissionResult {
    log(
      .info, "client.verdict",
      [("transaction", key.id.text), ("verdict", answer.verdict.rawValue), ("reason", answer.reason ?? "")])
    let paidOrder = answer.verdict == .fulfilled ? answer.order : nil
    if answer.finish {
      submissions[key]?.wasClearedInThisRun = true
      do throws(VaultFailure) {
        try await book.clear(key, order: paidOrder)
      } catch {
        // The server will give the same answer again.
        log(.error, "client.vault.failed", [("what", error.explanation)])
      }
    }
    if let paidOrder, let record = await book.order(of: paidOrder) {
      await takeIfPossible(.paidAtServer, for: record.id)
    }
    if answer.verdict != .pending { await undoGuess(key, answer, paidOrder) }
    if answer.finish { await letGoOfEarlier(transaction, answer) }
    tell(answer, transaction, key, asker: asker)
    if answer.verdict != .pending, let order = answered.removeValue(forKey: key) {
      await settle(order, answeredBy: answer, asker: asker)
    }
    if answer.finish {
      // A transaction known only from the vault cannot be finished; if the queue shows it later, it is finished then.
      if let entry = submissions[key]?.inQueue { await finishAtStore(entry, key) }
      await letGo(key, paidOrder)
    } else if answer.verdict == .pending {
      await pause(transaction, key, retryAfter: answer.retryAfter)
    }
    return .answered(answer)
  }

  /// Handles that the server could not read the request. The server may be at fault: everything is kept.
  func takeIn(
    _ problem: ProblemBody, _ transaction: StoreTransaction, _ key: TransactionKey
  ) async -> SubmissionResult {
    log(.error, "client.submission.refused", [("transaction", key.id.text), ("code", problem.code)])
    guard problem.status != 401, problem.status != 403 else {
      // The server refused the token and said nothing about the transaction. A new token will get an answer.
      await pause(transaction, key, retryAfter: nil)
      return .unknown
    }
    for record in await book.orders where record.phase == .paid(by: key.id) {
      await takeIfPossible(.judgedOtherwise(key.id, problem.code), for: record.id)
    }
    return .unreadable(code: problem.code)
  }

  /// Sets aside a record that looked paid by this transaction and is not: it is kept for a later payment.
  private func undoGuess(
    _ key: TransactionKey, _ answer: PaymentAnswer, _ paidOrder: OrderIdentifier?
  ) async {
    for record in await book.orders
    where record.phase == .paid(by: key.id) && record.order?.id != paidOrder {
      let word = [answer.verdict.rawValue, answer.reason].compactMap { $0 }.joined(separator: ".")
      await takeIfPossible(.judgedOtherwise(key.id, word), for: record.id)
    }
  }

  // MARK: telling

  private func tell(
    _ answer: PaymentAnswer, _ transaction: StoreTransaction, _ key: TransactionKey,
    asker: UserIdentifier?
  ) {
    let sold = sheetThatSold(transaction)
    switch answer.verdict {
    case .fulfilled:
      emit(.fulfilled(key.id, order: answer.order, firstSeen: answer.firstSeen))
      sheets.removeAll { $0.order.id == answer.order || $0.order.id == sold?.order.id }
    case .pending, .unpaid:
      return
    case .fulfilledForAnother, .revoked, .imported, .held, .unclaimed, .refused:
      emit(.notGranted(key.id, answer.verdict, reason: answer.reason))
    }
    for (number, flow) in flows.sorted(by: { $0.key < $1.key }) {
      guard let order = flow.order else { continue }
      let isItsPayment = order.id == sold?.order.id
      if answer.verdict == .fulfilled, answer.order == order.id {
        decide(number, .success(.fulfilled(order.id, recovered: false)))
      } else if isItsPayment {
        decide(number, .success(outcome(of: answer, for: flow, order.id, asker: asker)))
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

  // MARK: finishing

  /// Finishes again what the server allowed to finish before: after a process kill in between, for a repeated report,
  /// or because the finish did not take effect.
  func finishAgain(
    _ transaction: StoreTransaction, _ key: TransactionKey, _ clearance: ClearedTransactions.Entry,
    _ source: TransactionSource
  ) async {
    guard source.isInQueue else {
      await letGo(key, clearance.order)
      return
    }
    let isEcho = source == .update && submissions[key]?.wasClearedInThisRun == true
    if clearance.isFinished, !isEcho {
      let times = await book.countReappearance(of: key)
      log(.warning, "client.finish.didNotStick", [("transaction", key.id.text), ("times", "\(times)")])
      emit(.finishDidNotStick(key.id, times: times))
    }
    await finishAtStore(transaction, key)
    await letGo(key, clearance.order)
  }

  /// Asks the store to close a transaction, waits a while, and reports it to the server if the store agreed.
  private func finishAtStore(_ transaction: StoreTransaction, _ key: TransactionKey) async {
    guard await closeAtStore(transaction) else { return }
    do throws(VaultFailure) {
      try await book.noteFinished(key)
    } catch {
      log(.error, "client.vault.failed", [("what", error.explanation)])
    }
    await tasks.add { await self.reportFinished(key.id) }
  }

  /// Asks the store to close an entry of its queue.
  ///
  /// - Returns: whether the store confirmed it in time. If not, the entry comes back, and is finished then.
  func closeAtStore(_ transaction: StoreTransaction) async -> Bool {
    // A call to close sometimes never returns: while one is open there is no second one.
    guard finishing.insert(transaction.handle).inserted else { return false }
    let queue = self.queue
    let isDone = await bounded(configuration.policies.storeLimit) {
      let isDone: Bool
      do throws(StoreFailure) {
        try await queue.finish(transaction)
        isDone = true
      } catch {
        isDone = false
      }
      await self.finishHasReturned(transaction.handle)
      return isDone
    }
    if isDone != true {
      log(.warning, "client.finish.failed", [("transaction", transaction.id?.text ?? "none")])
    }
    return isDone ?? false
  }

  private func finishHasReturned(_ handle: String) { finishing.remove(handle) }

  /// Removes the record of the order that it paid, and the evidence: the server has both.
  private func letGo(_ key: TransactionKey, _ paidOrder: OrderIdentifier?) async {
    if let paidOrder, let record = await book.order(of: paidOrder) {
      // Known and written down since the verdict; repeated in case the vault failed then.
      await takeIfPossible(.paidAtServer, for: record.id)
      await takeIfPossible(.finishedAtStore, for: record.id)
    }
    do throws(VaultFailure) {
      try await book.forget(key)
    } catch {
      log(.error, "client.vault.failed", [("what", error.explanation)])
    }
  }

  /// Tells the server once what was finished. A failure has no consequences: the server finishes unreported
  /// transactions itself.
  private func reportFinished(_ id: TransactionIdentifier) async {
    guard let user else { return }
    let server = self.server
    _ = await asUser(user) { await server.reportFinished([id], as: $0) }
  }
}
