import CounterfoilAPI
import PaymentPrimitives

/// Handles what the store reports about payments without a charge: failures, cancellations, and pending approvals.
/// The reports update records and end waits; they decide nothing about money.
final class StoreReports {
  private let tasks: BackgroundTasks
  private let server: ServerConnection
  private let records: VaultRecords
  private let log: SupportLog
  private let session: UserSession
  private let orders: OpenOrders
  private let flows: PurchaseFlows
  private let sheets: OpenedSheets
  private let finishing: StoreFinishing
  /// Failed entries already reported in this run.
  private var knownFailures: Set<String> = []
  /// Orders for which the queue is being watched after a failure.
  private var watched: Set<RecordIdentifier> = []

  init(_ resources: PurchasingResources, _ state: PurchasingState, finishing: StoreFinishing) {
    tasks = resources.tasks
    server = resources.server
    records = resources.records
    log = state.log
    session = state.session
    orders = state.orders
    flows = state.flows
    sheets = state.sheets
    self.finishing = finishing
  }

  // MARK: failures

  /// The store reports that a payment failed or was cancelled: a queue entry that must be closed.
  nonisolated(nonsending) func reportedFailure(_ transaction: StoreTransaction, _ failure: StoreFailure) async {
    if knownFailures.insert(transaction.handle).inserted {
      let record = await record(behind: transaction)
      log.write(
        .info, "client.payment.failed",
        with: transaction.logFields(of: record) + failure.logFields + [("entry", transaction.handle)])
      if let record { await paymentFailed(record.id, failure) }
    }
    // It contains no charge, so it needs no answer of the server; left in the queue it would come back at each start.
    // A finish that failed is tried again whenever the queue shows the entry.
    _ = await finishing.close(transaction)
  }

  /// A payment failed, as far as the store knows now. The order stays open: the queue is checked at once and twice
  /// more.
  nonisolated(nonsending) func paymentFailed(_ id: RecordIdentifier, _ failure: StoreFailure) async {
    sheets.noteFailure(of: id)
    await orders.applyIfPossible(.storeFailed, to: id)
    guard watched.insert(id).inserted else { return }
    await tasks.addIsolated { await $0.purchases.reports.checkAfterFailure(id, failure, on: $0) }
  }

  private func checkAfterFailure(
    _ id: RecordIdentifier, _ failure: StoreFailure, on client: isolated Purchasing
  ) async {
    await client.purchases.queueChecks.check(on: client)
    await decideFailure(id, failure)
    watched.remove(id)
    await client.purchases.queueChecks.checkLater(on: client)
  }

  /// Reports the failure to the caller, unless a charge has appeared: then it waits for the server's answer about it.
  nonisolated(nonsending) private func decideFailure(_ id: RecordIdentifier, _ failure: StoreFailure) async {
    let phase = await records.order(id)?.phase
    guard let (number, flow) = flows.flow(of: id), let order = flow.order else { return }
    if case .paid = phase { return }
    if failure.isCancelled {
      flows.decide(number, .success(.cancelled(order.id)))
    } else {
      flows.decide(
        number,
        .failure(PurchasingError(Self.code(of: failure), failure.explanation, storeFailure: failure)))
    }
  }

  private static func code(of failure: StoreFailure) -> PurchasingErrorCode {
    switch failure.kind {
    case .productUnavailable: .productUnknown
    case .offerNotAllowed: .offerNotAllowed
    case .paymentNotAllowed: .paymentsDisabled
    case .storeUnreachable: .storeUnavailable
    case .notSignedIn: .storeNotSignedIn
    case .cancelled, .other: .storeFailed
    }
  }

  // MARK: the sheet, and approvals

  /// The store shows the payment in its queue: the sheet opens (1A.41).
  nonisolated(nonsending) func paymentAppeared(_ transaction: StoreTransaction) async {
    let record = await record(behind: transaction)
    log.write(.info, "client.payment.purchasing", with: transaction.logFields(of: record))
  }

  /// Another person has to approve the purchase. It may take days; nothing is charged, and the order stays open.
  nonisolated(nonsending) func approvalIsPending(_ transaction: StoreTransaction) async {
    let record = await record(behind: transaction)
    log.write(.info, "client.payment.deferred", with: transaction.logFields(of: record))
    guard let record, let order = record.order else { return }
    await orders.applyIfPossible(.approvalPending, to: record.id)
    if let (number, _) = flows.flow(of: record.id) {
      flows.decide(number, .success(.pendingApproval(order.id)))
    }
    await tasks.addIsolated { await $0.purchases.reports.reportPendingApprovals() }
  }

  /// Reports pending approvals to the server, so that it does not close those orders after a week.
  nonisolated(nonsending) func reportPendingApprovals() async {
    guard let user = session.user else { return }
    let server = self.server
    for record in await records.orders where record.user == user {
      guard case .placed(let order, .deferred(serverKnows: false)) = record.state else { continue }
      let reply = await session.asUser(user) { await server.reportApprovalPending(order.id, as: $0) }
      if case .answered = reply { await orders.applyIfPossible(.approvalReported, to: record.id) }
    }
  }

  /// The record that an entry without a store id seems to belong to: the one that its token names, else the only sheet
  /// of this run that fits, else the only record that waits for such a payment. Nil if that is not clear.
  nonisolated(nonsending) private func record(behind transaction: StoreTransaction) async -> OrderRecord? {
    if let token = transaction.token { return await records.order(of: token) }
    if let sheet = sheets.onlySheet(for: transaction) { return await records.order(sheet.record) }
    let fitting = await records.orders.filter {
      guard case .placed(let order, let phase) = $0.state, phase == .paying || phase == .failedOnce else {
        return false
      }
      return order.isSold(as: transaction.product) && $0.request.quantity == transaction.quantity
    }
    return fitting.count == 1 ? fitting[0] : nil
  }
}
