import CounterfoilAPI
import PaymentPrimitives

// From the opening of the sheet to the ledger's decision. The store's callbacks update records and end waits; they
// decide nothing.

extension Purchasing {
  /// Sheets of one run to remember: a customer does not have more open at once.
  private static let sheetsMax = 20
  /// A customer cannot read and cancel a payment sheet in less time.
  private static let shortestSheet = TimeSpan.seconds(1)

  /// Hands the payment to the store. Nothing waits for that call: it sometimes takes very long, and sometimes never
  /// returns.
  func pay(_ number: Int) async {
    guard case .paying(let record, let order) = flows[number]?.stage, let flow = flows[number] else { return }
    let quantity = flow.request.quantity
    sheets.removeAll { $0.record == record }
    sheets.append(
      OpenedSheet(
        record: record, order: order, quantity: quantity, known: Set(submissions.keys)))
    sheets = Array(sheets.suffix(Self.sheetsMax))
    guard let storeProduct = order.storeProduct else { return }
    var payment = StorePayment(product: storeProduct, quantity: quantity, token: order.id)
    payment.offer = flow.offer
    payment.promoted = flow.promoted
    let handedOver = payment
    let queue = self.queue
    log(.info, "client.payment.started", [("order", order.id.description)])
    await tasks.add {
      do throws(StoreFailure) {
        try await queue.add(handedOver)
      } catch {
        await self.sheetFailed(record, order, error)
      }
    }
  }

  /// The store did not take the payment, or its sheet ended without one.
  private func sheetFailed(_ id: RecordIdentifier, _ order: PlacedOrder, _ failure: StoreFailure) async {
    log(
      .info, "client.payment.failed",
      [
        ("order", order.id.description), ("code", "\(failure.code)"), ("cancelled", "\(failure.isCancelled)"),
        ("why", failure.explanation),
      ])
    if failure.isCancelled, let span = failure.sheetTime, span < Self.shortestSheet {
      log(
        .warning, "client.payment.cancelledAtOnce",
        [
          ("order", order.id.description), ("milliseconds", "\(span.milliseconds)"),
          (
            "why", "The cancellation came too fast for a user: no sheet was shown. Set where it opens (PurchaseAnchor)."
          ),
        ])
    }
    await paymentFailed(id, failure)
  }

  /// Waits until the purchase is decided. If the store stays silent, queue and server are asked: a callback may be
  /// lost, and a notification may have reached the server long ago.
  func watch(_ number: Int) async {
    guard let flow = flows[number] else { return }
    let decided = flow.decided
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await decided.value() }
      group.addTask { await self.askWhileUndecided(number, flow) }
      await group.next()
      group.cancelAll()
    }
  }

  private func askWhileUndecided(_ number: Int, _ flow: PurchaseFlow) async {
    let policies = configuration.policies
    guard let order = flow.order, case .paying(let id, _) = flow.stage else { return }
    try? await dependencies.sleep(policies.silenceLimit)
    guard !Task.isCancelled else { return }
    if let entries = await queueEntries() {
      _ = await submitAll(entries, .queue(.beforePurchase))
    }
    let server = self.server
    while !Task.isCancelled, flows[number]?.isDecided == false {
      let reply = await asUser(flow.user) {
        await server.order(order.id, waitingSeconds: policies.waitSeconds, as: $0)
      }
      var pause = TimeSpan.seconds(1)
      switch reply {
      case .answered(let body) where body.state == .paid:
        await takeIfPossible(.paidAtServer, for: id)
        decide(number, .success(.fulfilled(order.id, recovered: false)))
        // The transaction itself is still in the queue: the recovery finds and finishes it.
        await tasks.add { _ = await self.performRecovery(.foreground) }
        return
      case .answered: break
      case .unknown(_, let retryAfter): pause = max(retryAfter ?? .zero, .seconds(10))
      case .refused, .noCredential: pause = policies.silenceLimit
      }
      try? await dependencies.sleep(dependencies.jittered(pause))
    }
  }

  // MARK: what the store reports

  /// The store reports that a payment failed or was cancelled: a queue entry that must be closed.
  func storeReportedFailure(_ transaction: StoreTransaction, _ failure: StoreFailure) async {
    guard knownFailures.insert(transaction.handle).inserted else { return }
    log(
      .info, "client.payment.failed",
      [("code", "\(failure.code)"), ("cancelled", "\(failure.isCancelled)"), ("why", failure.explanation)])
    if let record = await record(behind: transaction) { await paymentFailed(record.id, failure) }
    // It contains no charge, so it needs no answer of the server; left in the queue it would come back at each start.
    _ = await closeAtStore(transaction)
  }

  /// A payment failed, as far as the store knows now. The order stays open: the queue is checked at once and twice
  /// more.
  func paymentFailed(_ id: RecordIdentifier, _ failure: StoreFailure) async {
    for index in sheets.indices where sheets[index].record == id { sheets[index].hasFailed = true }
    await takeIfPossible(.storeFailed, for: id)
    guard watchedFailures.insert(id).inserted else { return }
    await tasks.add { await self.lookAfterFailure(id, failure) }
  }

  private func lookAfterFailure(_ id: RecordIdentifier, _ failure: StoreFailure) async {
    await lookAtQueue()
    await decideFailure(id, failure)
    watchedFailures.remove(id)
    await lookAtQueueLater()
  }

  /// Checks the queue at the times that the policy sets, counted from now.
  func lookAtQueueLater() async {
    var waited = TimeSpan.zero
    for mark in configuration.policies.looksAfterFailure {
      let pause = TimeSpan.milliseconds(mark.milliseconds - waited.milliseconds)
      guard (try? await dependencies.sleep(pause)) != nil else { return }
      waited = mark
      await lookAtQueue()
    }
  }

  private func lookAtQueue() async {
    guard let entries = await queueEntries() else { return }
    _ = await submitAll(entries, .queue(.foreground))
  }

  /// Reports the failure to the caller, unless a charge has appeared: then it waits for the server's answer about it.
  private func decideFailure(_ id: RecordIdentifier, _ failure: StoreFailure) async {
    let phase = await book.order(id)?.phase
    guard let (number, flow) = flows.first(where: { $0.value.record == id }), let order = flow.order else {
      return
    }
    if case .paid = phase { return }
    if failure.isCancelled {
      decide(number, .success(.cancelled(order.id)))
    } else {
      decide(
        number,
        .failure(PurchasingError(Self.code(of: failure), failure.explanation, storeFailure: failure)))
    }
  }

  private static func code(of failure: StoreFailure) -> PurchasingErrorCode {
    switch failure.kind {
    case .productUnavailable: .productUnknown
    case .offerNotAllowed: .offerNotAllowed
    case .cancelled, .paymentNotAllowed, .storeUnreachable, .other: .storeFailed
    }
  }

  /// Another person has to approve the purchase. It may take days; nothing is charged, and the order stays open.
  func approvalIsPending(_ transaction: StoreTransaction) async {
    guard let record = await record(behind: transaction), let order = record.order else { return }
    await takeIfPossible(.approvalPending, for: record.id)
    if let (number, _) = flows.first(where: { $0.value.record == record.id }) {
      decide(number, .success(.pendingApproval(order.id)))
    }
    await tasks.add { await self.tellPendingApprovals() }
  }

  /// The record that an entry without a store id seems to belong to: the one that its token names, else the only sheet
  /// of this run that fits, else the only record that waits for such a payment. Nil if that is not clear.
  private func record(behind transaction: StoreTransaction) async -> OrderRecord? {
    if let token = transaction.token { return await book.order(of: token) }
    let open = sheets.filter { $0.maySell(transaction) }
    if open.count == 1 { return await book.order(open[0].record) }
    let fitting = await book.orders.filter {
      guard case .placed(let order, let phase) = $0.state, phase == .paying || phase == .failedOnce else {
        return false
      }
      return order.isSold(as: transaction.product) && $0.request.quantity == transaction.quantity
    }
    return fitting.count == 1 ? fitting[0] : nil
  }
}
