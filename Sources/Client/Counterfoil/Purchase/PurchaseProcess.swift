import CounterfoilAPI
import PaymentPrimitives

/// One purchase from beginning to end.
struct PurchaseProcess {
  let policies: PurchasingPolicies
  let dependencies: Dependencies
  let tasks: BackgroundTasks
  let store: StoreAccess
  let orders: OpenOrders
  let flows: PurchaseFlows
  let states: SubmissionStates
  let placement: OrderPlacement
  let closing: OrderClosing
  let offers: OfferSigning
  let appStore: AppStoreCheckout
  let weChat: WeChatCheckout
  let polling: WeChatPolling

  func run(_ number: Int, on client: isolated Purchasing) async {
    _ = await dependencies.limited(to: policies.purchaseLimit) {
      do throws(PurchasingError) {
        try await client.isolated { client throws(PurchasingError) in
          try await client.purchases.process.advance(number, on: client)
        }
      } catch {
        await client.isolated { $0.state.flows.decide(number, .failure(error)) }
      }
    }
    if let record = flows[number]?.weChatRecord {
      await polling.pollLater(record, after: WeChatPolling.decidingPoll + 1)
    }
    flows.end(number)
  }

  private func advance(_ number: Int, on client: isolated Purchasing) async throws(PurchasingError) {
    switch flows[number]?.request.store {
    case nil: return
    case .appStore:
      if let outcome = try await prepare(number, on: client) { return flows.decide(number, .success(outcome)) }
      await appStore.pay(number)
      await appStore.watch(number, on: client)
    case .weChatPay:
      if let outcome = try await weChat.prepare(number) { return flows.decide(number, .success(outcome)) }
      await weChat.pay(number)
    }
  }

  /// Everything before the payment: earlier open purchases, the order, the record.
  ///
  /// - Returns: an outcome if nothing has to be paid any more; nil if the sheet may open.
  private func prepare(
    _ number: Int, on client: isolated Purchasing
  ) async throws(PurchasingError) -> PurchaseOutcome? {
    guard await orders.areLoaded() else { throw PurchasingError(.vaultUnavailable) }
    let entries = try await store.entriesForPurchase()
    guard let flow = flows[number] else { throw PurchasingError(.purchaseAbandoned) }
    // If an earlier order named the store product, the queue is checked first: that can make a new order unnecessary.
    let known = await orders.storeProduct(of: flow.request.product)
    await completeBefore(entries, known)
    if let known, let outcome = try outcomeOfQueue(entries, known, for: flow.user) { return outcome }
    let (record, body) = try await placement.makeOrder(number, flow)
    guard let order = record.order else { throw PurchasingError(.orderDiffers) }
    if body.state == .paid {
      // An earlier tap's order is paid, and its answer was lost: there is nothing to charge.
      await closing.apply(body, to: record)
      return .fulfilled(order.id, recovered: true)
    }
    if let product = order.storeProduct, let outcome = try outcomeOfQueue(entries, product, for: flow.user) {
      return outcome
    }
    if let offer = try await offers.sign(flow, order) { flows[number]?.offer = .promotional(offer) }
    try await placement.beginPaying(number, flow, record: record, order: order)
    return nil
  }

  // MARK: what the queue held before

  /// Submits the unfinished transactions. It waits a while for those of this product, or for all while the product is
  /// not known.
  nonisolated(nonsending) private func completeBefore(
    _ entries: [StoreTransaction], _ product: StoreProductIdentifier?
  ) async {
    let concerned = entries.filter { product == nil || $0.product == nil || $0.product == product }
    let others = entries.filter { entry in !concerned.contains(entry) }
    if !others.isEmpty {
      await tasks.addIsolated { _ = await $0.submitAll(others, .queue(.beforePurchase)) }
    }
    guard !concerned.isEmpty else { return }
    _ = await tasks.bounded(policies.recoveryLimit) { client in
      await client.submitAll(concerned, .queue(.beforePurchase))
    }
  }

  /// What the unfinished transactions of a product mean for a new purchase of it (only `pending` blocks:
  /// docs/specification/states.md, “Verdicts”).
  ///
  /// - Returns: an outcome if one of them has just been granted to the customer: a second charge needs a second tap.
  ///   Nil if the purchase may go on.
  /// - Throws: `earlierPurchaseUndecided` if one is not known yet: its payment and the new one could be confused.
  private func outcomeOfQueue(
    _ entries: [StoreTransaction], _ product: StoreProductIdentifier, for user: UserIdentifier
  ) throws(PurchasingError) -> PurchaseOutcome? {
    for entry in entries where entry.product == product {
      guard let key = TransactionKey(entry), key.revokedAt == nil else { continue }
      guard let state = states[key], state.waiting == nil, let result = state.result else {
        throw PurchasingError(.earlierPurchaseUndecided)
      }
      if case .answered(let answer) = result, answer.verdict == .fulfilled, let order = answer.order {
        // The answer was for the user who asked. A transaction granted to this user before is still leaving the queue.
        guard state.asker == user else { continue }
        return .fulfilled(order, recovered: true)
      }
      guard !result.blocksPurchase else {
        throw PurchasingError(.earlierPurchaseUndecided)
      }
    }
    return nil
  }
}
