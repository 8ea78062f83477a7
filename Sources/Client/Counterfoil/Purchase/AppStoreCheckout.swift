import CounterfoilAPI
import PaymentPrimitives

/// From the opening of the App Store's sheet to the ledger's decision.
struct AppStoreCheckout {
  /// A customer cannot read and cancel a payment sheet in less time.
  private static let shortestSheet = TimeSpan.seconds(1)

  let queue: any StoreQueue
  let policies: PurchasingPolicies
  let dependencies: Dependencies
  let tasks: BackgroundTasks
  let server: ServerConnection
  let log: SupportLog
  let session: UserSession
  let store: StoreAccess
  let orders: OpenOrders
  let flows: PurchaseFlows
  let sheets: OpenedSheets
  let states: SubmissionStates

  /// Hands the payment to the store. Nothing waits for that call: it sometimes takes very long, and sometimes never
  /// returns.
  nonisolated(nonsending) func pay(_ number: Int) async {
    // A flow that is decided by now lost its user while the record was written: its sheet must not open.
    guard case .paying(let record, let order) = flows[number]?.stage, let flow = flows[number], !flow.isDecided else {
      return
    }
    let quantity = flow.request.quantity
    sheets.open(OpenedSheet(record: record, order: order, quantity: quantity, known: states.known))
    guard let storeProduct = order.storeProduct else { return }
    var payment = StorePayment(product: storeProduct, quantity: quantity, token: order.id)
    payment.offer = flow.offer
    payment.promoted = flow.promoted
    let handedOver = payment
    let queue = self.queue
    log.write(.info, "client.payment.started", with: order.logFields(flow.request))
    await tasks.add { client in
      do throws(StoreFailure) {
        try await queue.add(handedOver)
      } catch {
        await client.isolated {
          await $0.purchases.appStore.sheetFailed(error, of: (order, flow.request), record: record, on: $0)
        }
      }
    }
  }

  /// The store did not take the payment, or its sheet ended without one.
  private func sheetFailed(
    _ failure: StoreFailure, of asked: (order: PlacedOrder, request: CreateOrder.Request), record: RecordIdentifier,
    on client: isolated Purchasing
  ) async {
    let order = asked.order
    log.write(.info, "client.payment.failed", with: order.logFields(asked.request) + failure.logFields)
    if failure.isCancelled, let span = failure.sheetTime, span < Self.shortestSheet {
      log.write(
        .warning, "client.payment.cancelledAtOnce",
        with: [
          ("order", order.id.description), ("milliseconds", "\(span.milliseconds)"),
          (
            "why", "The cancellation came too fast for a user: no sheet was shown. Set where it opens (PurchaseAnchor)."
          ),
        ])
    }
    await client.purchases.reports.paymentFailed(record, failure)
  }

  /// Waits until the purchase is decided. If the store stays silent, queue and server are asked: a callback may be
  /// lost, and a notification may have reached the server long ago.
  func watch(_ number: Int, on client: isolated Purchasing) async {
    guard let flow = flows[number] else { return }
    let decided = flow.decided
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await decided.value() }
      group.addTask {
        await client.isolated { await $0.purchases.appStore.askWhileUndecided(number, flow, on: $0) }
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func askWhileUndecided(_ number: Int, _ flow: PurchaseFlow, on client: isolated Purchasing) async {
    guard let order = flow.order, case .paying(let id, _) = flow.stage else { return }
    try? await dependencies.sleep(policies.silenceLimit)
    guard !Task.isCancelled else { return }
    if let entries = await store.entries() {
      _ = await client.submitAll(entries, .queue(.beforePurchase))
    }
    let server = self.server
    let waitSeconds = policies.waitSeconds
    while !Task.isCancelled, flows[number]?.isDecided == false {
      let reply = await session.asUser(flow.user) {
        await server.order(order.id, waitingSeconds: waitSeconds, as: $0)
      }
      var pause = TimeSpan.seconds(1)
      switch reply {
      case .answered(let body) where body.state == .paid:
        await orders.applyIfPossible(.paidAtServer, to: id)
        flows.decide(number, .success(.fulfilled(order.id, recovered: false)))
        // The transaction itself is still in the queue: the recovery finds and finishes it.
        await tasks.addIsolated { _ = await $0.recovery.run(.foreground, on: $0) }
        return
      case .answered: break
      case .unknown(_, let retryAfter): pause = max(retryAfter ?? .zero, .seconds(10))
      case .refused, .noCredential: pause = policies.silenceLimit
      }
      try? await dependencies.sleep(dependencies.jittered(pause))
    }
  }
}
