public import PaymentPrimitives
import CounterfoilAPI
public import StrictJSON

/// What a purchase may say beside product and quantity; the server gives it back in every order and delivery.
public struct PurchaseDetails: Hashable, Sendable {
  /// Where in the app the purchase began, at most 64 bytes.
  public var scene: String?
  /// The app's own number, at most 64 characters, if the server lets apps set it; a backend must not book by it.
  public var reference: String?
  /// The app's own data, an object of at most 2,048 bytes as JSON.
  public var metadata: JSONValue?

  /// An offer that the store is to sell it under.
  public var offer: StoreOffer?
  /// The id of a promotional offer that Counterfoil's server signs for this very order, in the place of `offer`: one
  /// that its configuration lists in `user_offers`. The customer must have, or have had, a subscription of the app.
  public var promotionalOffer: String?
  /// The purchase from outside the app that this one carries out.
  public var promoted: PromotedPayment?

  /// Nothing to say.
  public init() {}
}

extension Purchasing {
  /// Buys a product for the signed-in user, at a store: that of the configuration unless another is named.
  ///
  /// It returns when the ledger has spoken, whichever way the news came; when the customer gave up or somebody has
  /// to approve; or after three minutes. It never concludes from the store's callback that something was or was not
  /// charged. If its caller is cancelled, it stops waiting, and nothing else: once the sheet was open, the purchase
  /// goes on.
  ///
  /// - Throws: `PurchasingError`, see its codes. After one, nothing was charged by this call as far as anybody
  ///   knows; what the
  ///   store charges after all is granted when it turns up.
  public func purchase(
    _ product: ProductIdentifier, quantity: Int = 1, store: Store? = nil,
    details: PurchaseDetails = PurchaseDetails()
  ) async throws(PurchasingError) -> PurchaseOutcome {
    guard (1...10).contains(quantity) else {
      throw PurchasingError(.quantityNotAllowed, "\(quantity) is not in 1 to 10.")
    }
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `run()` first.") }
    guard let user else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    // No await between this look and the entry: two taps are two calls.
    guard !flows.values.contains(where: { $0.isFor(product, user) }) else {
      throw PurchasingError(.purchaseInProgress)
    }
    var request = CreateOrder.Request(product: product, quantity: quantity, store: store ?? configuration.store)
    request.platform = configuration.platform
    request.scene = details.scene
    request.reference = details.reference
    request.metadata = details.metadata
    let number = nextNumber()
    let begin = surroundings.now()
    var flow = PurchaseFlow(user: user, request: request)
    // A purchase that began outside the app brings its own, which the app may replace.
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

  /// The caller stopped waiting. Before the sheet that means: let it be. Afterwards it means nothing.
  private func callerWentAway(_ number: Int) throws(PurchasingError) -> PurchaseOutcome {
    guard let order = flows[number]?.order else {
      flows[number]?.stage = .abandoned
      throw PurchasingError(.purchaseAbandoned)
    }
    return .awaitingConfirmation(order.id)
  }

  // MARK: one flow from beginning to end

  private func carryOut(_ number: Int) async {
    _ = await surroundings.limited(to: configuration.policies.purchaseLimit) {
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

  /// Tells the caller. The first word counts.
  func decide(_ number: Int, _ result: Result<PurchaseOutcome, PurchasingError>) {
    guard flows[number]?.isDecided == false else { return }
    flows[number]?.isDecided = true
    // Whoever has an answer may tap again at once: the record is free for that.
    release(number)
    flows[number]?.outcome.resolve(result)
    flows[number]?.decided.resolve(())
  }

  /// Ends a flow; a caller who still waits learns as much as is known.
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

  /// Everything before the payment: what may be settled first, the order, the record.
  ///
  /// - Returns: an outcome if there is nothing to be paid any more; nil if the sheet may open.
  private func prepare(_ number: Int) async throws(PurchasingError) -> PurchaseOutcome? {
    guard await vaultIsLoaded() else { throw PurchasingError(.vaultUnavailable) }
    let entries = try await checkedQueue()
    guard let flow = flows[number] else { throw PurchasingError(.purchaseAbandoned) }
    // What is known of this product from an earlier order saves making one in vain.
    let known = await storeProduct(of: flow.request.product)
    await completeBefore(entries, known)
    if let known, let outcome = try outcomeOfQueue(entries, known, for: flow.user) { return outcome }
    let (record, body) = try await makeOrder(number, flow)
    guard let order = record.order else { throw PurchasingError(.orderDiffers) }
    if body.state == .paid {
      // The order of an earlier tap whose answer was lost, and it is paid: there is nothing to charge.
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

  /// Writes down that the customer's screen is about to be handed over. Nothing opens without that.
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

  /// The last look before the sheet: after it, the purchase cannot be called back.
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

  /// Submits what is unfinished, and waits for that of this product (of all, while nobody knows which that is), for
  /// a while.
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
  /// - Returns: an outcome when one of them has just been granted to the customer: he is not charged a second time
  ///   without a
  ///   second tap. Nil when the purchase may go on.
  /// - Throws: `earlierPurchaseUndecided` when one is not known yet: its payment and the new one could be taken for
  ///   each other.
  private func outcomeOfQueue(
    _ entries: [StoreTransaction], _ product: StoreProductIdentifier, for user: UserIdentifier
  ) throws(PurchasingError) -> PurchaseOutcome? {
    for entry in entries where entry.product == product {
      guard let key = TransactionKey(entry), key.revokedAt == nil else { continue }
      guard let state = submissions[key], state.waiting == nil, let result = state.result else {
        throw PurchasingError(.earlierPurchaseUndecided)
      }
      if case .answered(let answer) = result, answer.verdict == .fulfilled, let order = answer.order {
        // The word was for whoever asked. What was granted to the user before is still on its way out of the queue.
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
