import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Whether the records are loaded; loads them if not.
  func vaultIsLoaded() async -> Bool {
    if await book.isLoaded { return true }
    do throws(VaultFailure) {
      try await book.load()
    } catch {
      log(.error, "client.vault.failed", [("what", error.explanation)])
      return false
    }
    await showLoadedOrders()
    return true
  }

  /// Completes open purchases from the three places that can hold them: the store's queue, the vault, the server.
  ///
  /// - Parameter attempt: the number of automatic retries so far.
  func performRecovery(_ reason: RecoveryReason, attempt: Int = 0) async -> RecoveryReport {
    var report = RecoveryReport()
    guard await vaultIsLoaded() else {
      report.isComplete = false
      await lookAgain(reason, attempt)
      return report
    }
    let entries = await queueEntries()
    let before = await book.orders
    var results = await submitAll(entries ?? [], .queue(reason))
    results += await submitKept(besides: entries ?? [], reason)
    results += await submitEarlier(besides: entries, reason)
    await tellPendingApprovals()
    let ordersAsked = await askAboutOrders()
    report.isComplete = entries != nil && ordersAsked
    if !report.isComplete { await lookAgain(reason, attempt) }
    if reason == .launch, attempt == 0 { await watchForLateCharges() }
    if reason != .beforePurchase { await lookLaterAtWeChatOrders() }
    for result in results {
      report.count(result)
    }
    let after = Set(await book.orders.map(\.id))
    report.ordersClosed = before.count { !after.contains($0.id) }
    log(
      .info, "client.recovered",
      [
        ("reason", reason.rawValue), ("fulfilled", "\(report.fulfilled)"), ("waiting", "\(report.waiting)"),
        ("setAside", "\(report.setAside)"), ("closed", "\(report.ordersClosed)"),
      ])
    return report
  }

  /// Everything that the store's queue holds; nil when it does not answer in time.
  func queueEntries() async -> [StoreTransaction]? {
    let queue = self.queue
    let entries = await bounded(configuration.policies.storeLimit) { () -> [StoreTransaction]? in
      try? await queue.unfinished()
    }
    guard let entries = entries ?? nil else {
      log(.warning, "client.store.silent")
      return nil
    }
    return entries
  }

  /// Submits everything that a queue holds, several transactions at a time.
  func submitAll(
    _ entries: [StoreTransaction], _ source: TransactionSource
  ) async -> [SubmissionResult] {
    await withTaskGroup(of: SubmissionResult?.self) { group in
      for entry in entries {
        group.addTask { await self.receive(entry, from: source) }
      }
      var results: [SubmissionResult] = []
      for await result in group {
        if let result { results.append(result) }
      }
      return results
    }
  }

  /// Submits the evidence of the vault that the queue no longer holds: another library finished it, or the queue now
  /// belongs to another Apple account.
  private func submitKept(
    besides entries: [StoreTransaction], _ reason: RecoveryReason
  ) async -> [SubmissionResult] {
    let inQueue = Set(entries.compactMap { TransactionKey($0) })
    let kept = await book.transactions.filter { !inQueue.contains($0.key) }
    return await submitAll(kept.map(\.transaction), .vault(reason))
  }

  /// Asks again after the usual pauses, if something could not answer now (a locked device, a silent store, an
  /// unreachable server).
  private func lookAgain(_ reason: RecoveryReason, _ attempt: Int) async {
    let pauses = configuration.policies.verificationPauses
    guard attempt < pauses.count, !isLookingAgain else { return }
    isLookingAgain = true
    let pause = dependencies.jittered(pauses[attempt])
    await tasks.add {
      try? await self.dependencies.sleep(pause)
      await self.endPause(of: reason, attempt)
    }
  }

  private func endPause(of reason: RecoveryReason, _ attempt: Int) async {
    isLookingAgain = false
    guard !Task.isCancelled else { return }
    _ = await performRecovery(reason, attempt: attempt + 1)
  }

  /// The last run may have ended between the password and the charge. The charge can then reach the queue at any
  /// moment, perhaps without a callback.
  private func watchForLateCharges() async {
    guard await book.orders.contains(where: { $0.phase == .paying && $0.request.store == .appStore }) else { return }
    await tasks.add { await self.lookAtQueueLater() }
  }

  /// Reports pending approvals to the server, so that it does not close those orders after a week.
  func tellPendingApprovals() async {
    guard let user else { return }
    let server = self.server
    for record in await book.orders where record.user == user {
      guard case .placed(let order, .deferred(serverKnows: false)) = record.state else { continue }
      let reply = await asUser(user) { await server.reportApprovalPending(order.id, as: $0) }
      if case .answered = reply { await takeIfPossible(.approvalReported, for: record.id) }
    }
  }
}
