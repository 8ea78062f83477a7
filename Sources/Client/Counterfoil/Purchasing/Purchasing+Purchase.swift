import CounterfoilAPI
public import PaymentPrimitives
public import StrictJSON

/// Optional details of a purchase besides product and quantity; the server returns them in every order and delivery.
public struct PurchaseDetails: Hashable, Sendable {
  /// Where in the app the purchase began, at most 64 bytes.
  public var scene: String?
  /// The app's own number, at most 64 characters, if the server lets apps set it; a backend must not do its accounting
  /// by it.
  public var reference: String?
  /// The app's own data, an object of at most 2,048 bytes as JSON.
  public var metadata: JSONValue?

  /// An offer that the store applies to the sale.
  public var offer: StoreOffer?
  /// The id of a promotional offer that Counterfoil's server signs for this order, instead of `offer`. Its
  /// configuration must list it in `user_offers`. The customer must have, or have had, a subscription of the app.
  public var promotionalOffer: String?
  /// The purchase from outside the app that this one carries out.
  public var promoted: PromotedPayment?

  /// No details.
  public init() {}
}

extension Purchasing {
  /// Buys a product for the signed-in user, at the named store; default: the store of the configuration.
  ///
  /// It returns when the ledger has decided, when the customer cancelled, when approval is pending, or after three
  /// minutes. It never concludes from the store's callback that something was or was not charged. If its caller is
  /// cancelled, only the wait stops: once the sheet was open, the purchase goes on.
  ///
  /// - Throws: `PurchasingError`, see its codes. No charge by this call is known then; a charge that the store makes
  ///   after all is granted when it appears.
  public func purchase(
    _ product: ProductIdentifier, quantity: Int = 1, store: Store? = nil,
    details: PurchaseDetails = PurchaseDetails()
  ) async throws(PurchasingError) -> PurchaseOutcome {
    guard (1...10).contains(quantity) else {
      throw PurchasingError(.quantityNotAllowed, "\(quantity) is not in 1 to 10.")
    }
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `run()` first.") }
    guard let user else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    // No await between this check and the entry: two taps are two calls.
    guard !flows.values.contains(where: { $0.isFor(product, user) }) else {
      throw PurchasingError(.purchaseInProgress)
    }
    var request = CreateOrder.Request(product: product, quantity: quantity, store: store ?? configuration.store)
    request.platform = configuration.platform
    request.scene = details.scene
    request.reference = details.reference
    request.metadata = details.metadata
    let number = nextNumber()
    let begin = dependencies.now()
    var flow = PurchaseFlow(user: user, request: request)
    // A purchase that began outside the app has its own offer, which the app may replace.
    flow.offer = details.offer ?? details.promoted?.offer
    flow.promotionalOffer = details.promotionalOffer
    flow.promoted = details.promoted
    promotions.removeAll { $0 == details.promoted }
    let outcome = flow.outcome
    flows[number] = flow
    await tasks.add { await self.carryOut(number) }
    guard let result = await outcome.value() else { return try callerWentAway(number) }
    return await completed(try result.get(), for: user, since: begin)
  }

  /// The caller stopped waiting. Before the sheet this abandons the purchase; afterwards it has no effect.
  private func callerWentAway(_ number: Int) throws(PurchasingError) -> PurchaseOutcome {
    guard let order = flows[number]?.order else {
      flows[number]?.stage = .abandoned
      throw PurchasingError(.purchaseAbandoned)
    }
    return .awaitingConfirmation(order.id)
  }

  // MARK: one flow from beginning to end

  private func carryOut(_ number: Int) async {
    _ = await dependencies.limited(to: configuration.policies.purchaseLimit) {
      do throws(PurchasingError) {
        try await self.advance(number)
      } catch {
        await self.decide(number, .failure(error))
      }
    }
    if let record = flows[number]?.weChatRecord { await lookLaterAtWeChat(record, after: Self.decidingLook + 1) }
    endFlow(number)
  }

  private func advance(_ number: Int) async throws(PurchasingError) {
    switch flows[number]?.request.store {
    case nil: return
    case .appStore:
      if let outcome = try await prepare(number) { return decide(number, .success(outcome)) }
      await pay(number)
      await watch(number)
    case .weChatPay:
      if let outcome = try await prepareWeChat(number) { return decide(number, .success(outcome)) }
      await payByWeChat(number)
    }
  }

  /// Gives the caller the result. Only the first result counts.
  func decide(_ number: Int, _ result: Result<PurchaseOutcome, PurchasingError>) {
    guard flows[number]?.isDecided == false else { return }
    flows[number]?.isDecided = true
    // A caller with a result may tap again at once, so the record must be free by then.
    release(number)
    flows[number]?.outcome.resolve(result)
    flows[number]?.decided.resolve(())
  }

  /// Ends a flow; a caller that still waits gets what is known so far.
  func endFlow(_ number: Int) {
    guard let flow = flows[number] else { return }
    if let order = flow.order {
      decide(number, .success(.awaitingConfirmation(order.id)))
    } else {
      // Stopped, or out of time before there was a sheet.
      decide(number, .failure(PurchasingError(.serverUnreachable, "The time was over before the payment.")))
    }
    flows[number] = nil
  }

  /// Everything before the payment: earlier open purchases, the order, the record.
  ///
  /// - Returns: an outcome if nothing has to be paid any more; nil if the sheet may open.
  private func prepare(_ number: Int) async throws(PurchasingError) -> PurchaseOutcome? {
    guard await vaultIsLoaded() else { throw PurchasingError(.vaultUnavailable) }
    let entries = try await checkedQueue()
    guard let flow = flows[number] else { throw PurchasingError(.purchaseAbandoned) }
    // If an earlier order named the store product, the queue is checked first: that can make a new order unnecessary.
    let known = await storeProduct(of: flow.request.product)
    await completeBefore(entries, known)
    if let known, let outcome = try outcomeOfQueue(entries, known, for: flow.user) { return outcome }
    let (record, body) = try await makeOrder(number, flow)
    guard let order = record.order else { throw PurchasingError(.orderDiffers) }
    if body.state == .paid {
      // An earlier tap's order is paid, and its answer was lost: there is nothing to charge.
      await takeIn(body, about: record)
      return .fulfilled(order.id, recovered: true)
    }
    if let product = order.storeProduct, let outcome = try outcomeOfQueue(entries, product, for: flow.user) {
      return outcome
    }
    try await signOffer(number, flow, order)
    try await beginPaying(number, flow, record, order)
    return nil
  }

  /// Writes down that the payment sheet is about to open. Nothing opens without that.
  func beginPaying(
    _ number: Int, _ flow: PurchaseFlow, _ record: OrderRecord, _ order: PlacedOrder
  ) async throws(PurchasingError) {
    try mayGoOn(number, flow)
    flows[number]?.stage = .paying(record.id, order)
    do throws(VaultFailure) {
      try await take(.paymentStarts, for: record.id)
    } catch {
      flows[number]?.stage = .preparing
      throw PurchasingError(.vaultUnavailable, error.explanation)
    }
  }

  /// The last check before the sheet: after it, the purchase cannot be cancelled.
  private func mayGoOn(_ number: Int, _ flow: PurchaseFlow) throws(PurchasingError) {
    guard flows[number]?.stage == .preparing, !Task.isCancelled else {
      throw PurchasingError(.purchaseAbandoned)
    }
    guard user == flow.user else {
      throw PurchasingError(.userDiffers, "Another user signed in while the order was made.")
    }
  }

  // MARK: what the queue held before

  private func checkedQueue() async throws(PurchasingError) -> [StoreTransaction] {
    let queue = self.queue
    let mayPay = await bounded(configuration.policies.storeLimit) { await queue.canMakePayments() }
    guard let mayPay else { throw PurchasingError(.storeUnavailable) }
    guard mayPay else { throw PurchasingError(.paymentsDisabled) }
    guard let entries = await queueEntries() else { throw PurchasingError(.storeUnavailable) }
    return entries
  }

  private func storeProduct(of product: ProductIdentifier) async -> StoreProductIdentifier? {
    if let known = storeProducts[product] { return known }
    return await book.orders.filter { $0.request.product == product }.compactMap { $0.order?.storeProduct }.last
  }

  /// Submits the unfinished transactions. It waits a while for those of this product, or for all while the product is
  /// not known.
  private func completeBefore(
    _ entries: [StoreTransaction], _ product: StoreProductIdentifier?
  ) async {
    let concerned = entries.filter { product == nil || $0.product == nil || $0.product == product }
    let others = entries.filter { entry in !concerned.contains(entry) }
    if !others.isEmpty {
      await tasks.add { _ = await self.submitAll(others, .queue(.beforePurchase)) }
    }
    guard !concerned.isEmpty else { return }
    _ = await bounded(configuration.policies.recoveryLimit) {
      await self.submitAll(concerned, .queue(.beforePurchase))
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
      guard let state = submissions[key], state.waiting == nil, let result = state.result else {
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
