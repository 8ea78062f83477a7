import CounterfoilAPI
import PaymentPrimitives

/// Completes open purchases from the three places that can hold them: the store's queue, the vault, the server.
final class Recovery {
  private let policies: PurchasingPolicies
  private let dependencies: Dependencies
  private let tasks: BackgroundTasks
  private let records: VaultRecords
  private let log: SupportLog
  private let store: StoreAccess
  private let orders: OpenOrders
  private let earlier: EarlierPurchases
  private let reports: StoreReports
  private let closing: OrderClosing
  private let polling: WeChatPolling
  /// The callers that wait for a recovery.
  private var waiting: [Int: OneShotPromise<RecoveryReport>] = [:]
  private var lastNumber = 0
  private var foregrounds = ForegroundRecoveries()
  /// Whether a retry is planned for a recovery that did not get all answers.
  private var isRetryPlanned = false

  init(
    _ resources: PurchasingResources, _ state: PurchasingState, earlier: EarlierPurchases, purchases: PurchaseParts
  ) {
    policies = resources.configuration.policies
    dependencies = resources.dependencies
    tasks = resources.tasks
    records = resources.records
    log = state.log
    store = state.store
    orders = state.orders
    self.earlier = earlier
    reports = purchases.reports
    closing = purchases.closing
    polling = purchases.polling
  }

  /// Runs a recovery as a background task, and waits for its report. The app's return to the foreground causes one at
  /// most each 30 seconds; a second window or a second report joins it.
  nonisolated(nonsending) func report(of reason: RecoveryReason) async -> RecoveryReport {
    guard reason == .foreground else { return await newReport(of: reason) }
    switch foregrounds.enter(at: dependencies.now(), pause: policies.foregroundPause) {
    case .rests: return RecoveryReport()
    case .joins(let promise): return await promise.value() ?? .incomplete
    case .begins:
      let report = await newReport(of: reason)
      foregrounds.end(with: report)
      return report
    }
  }

  nonisolated(nonsending) private func newReport(of reason: RecoveryReason) async -> RecoveryReport {
    lastNumber += 1
    let number = lastNumber
    let report = OneShotPromise<RecoveryReport>()
    waiting[number] = report
    await tasks.add { client in
      report.resolve(await client.isolated { await $0.recovery.run(reason, on: $0) })
    }
    let result = await report.value()
    waiting[number] = nil
    return result ?? .incomplete
  }

  /// The work has ended: no caller waits any longer.
  func endAll() {
    for number in waiting.keys.sorted() { waiting[number]?.resolve(.incomplete) }
    waiting = [:]
  }

  /// - Parameter attempt: the number of automatic retries so far.
  func run(
    _ reason: RecoveryReason, attempt: Int = 0, on client: isolated Purchasing
  ) async -> RecoveryReport {
    var report = RecoveryReport()
    guard await orders.areLoaded() else {
      report.isComplete = false
      await planRetry(reason, attempt)
      return report
    }
    let entries = await store.entries()
    let before = await records.orders
    var results = await client.submitAll(entries ?? [], .queue(reason))
    results += await submitKept(besides: entries ?? [], reason, on: client)
    results += await earlier.submitAll(besides: entries, reason)
    await reports.reportPendingApprovals()
    let ordersAsked = await closing.askAboutAll()
    report.isComplete = entries != nil && ordersAsked
    if !report.isComplete { await planRetry(reason, attempt) }
    if reason == .launch, attempt == 0 { await watchForLateCharges() }
    if reason != .beforePurchase { await polling.pollOpenOrdersLater(reason) }
    for result in results {
      report.count(result)
    }
    let after = Set(await records.orders.map(\.id))
    report.ordersClosed = before.count { !after.contains($0.id) }
    client.diagnostics.recoveryEnded()
    log.write(
      .info, "client.recovered",
      with: [
        ("reason", reason.rawValue), ("fulfilled", "\(report.fulfilled)"), ("waiting", "\(report.waiting)"),
        ("setAside", "\(report.setAside)"), ("closed", "\(report.ordersClosed)"),
      ])
    return report
  }

  /// Submits the evidence of the vault that the queue no longer holds: another library finished it, or the queue now
  /// belongs to another Apple account.
  private func submitKept(
    besides entries: [StoreTransaction], _ reason: RecoveryReason, on client: isolated Purchasing
  ) async -> [SubmissionResult] {
    let inQueue = Set(entries.compactMap { TransactionKey($0) })
    let kept = await records.transactions.filter { !inQueue.contains($0.key) }
    return await client.submitAll(kept.map(\.transaction), .vault(reason))
  }

  /// Asks again after the usual pauses, if something could not answer now (a locked device, a silent store, an
  /// unreachable server).
  nonisolated(nonsending) private func planRetry(_ reason: RecoveryReason, _ attempt: Int) async {
    let pauses = policies.verificationPauses
    guard attempt < pauses.count, !isRetryPlanned else { return }
    isRetryPlanned = true
    let pause = dependencies.jittered(pauses[attempt])
    await tasks.addIsolated(after: pause) { await $0.recovery.pauseEnded(reason, attempt, on: $0) }
  }

  private func pauseEnded(_ reason: RecoveryReason, _ attempt: Int, on client: isolated Purchasing) async {
    isRetryPlanned = false
    guard !Task.isCancelled else { return }
    _ = await run(reason, attempt: attempt + 1, on: client)
  }

  /// The last run may have ended between the password and the charge. The charge can then reach the queue at any
  /// moment, perhaps without a callback.
  nonisolated(nonsending) private func watchForLateCharges() async {
    let isPaying = await records.orders.contains { $0.phase == .paying && $0.request.store == .appStore }
    guard isPaying else { return }
    await tasks.addIsolated { await $0.purchases.queueChecks.checkLater(on: $0) }
  }
}

extension RecoveryReport {
  /// The report of a recovery that did not run, or did not end.
  static var incomplete: RecoveryReport {
    var report = RecoveryReport()
    report.isComplete = false
    return report
  }

  /// Counts the result of one transaction.
  mutating func count(_ result: SubmissionResult) {
    switch result {
    case .answered(let answer) where answer.verdict == .fulfilled: fulfilled += 1
    case .answered(let answer) where answer.verdict == .fulfilledForAnother:
      fulfilled += 1
      ofOtherAccounts += 1
    case .finishedBefore: break
    case .noUser, .unknown: waiting += 1
    case .answered(let answer) where answer.verdict == .pending: waiting += 1
    case .answered, .unreadable: setAside += 1
    }
  }
}
