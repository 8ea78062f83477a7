import CounterfoilAPI
public import PaymentPrimitives
import StrictJSON

// The calls of an app besides starting and stopping. Each checks that it may be made, and leaves the work to the parts.

extension Purchasing {
  /// Takes over the records that the app's earlier code stored. When it returns, the vault holds all of them, and the
  /// app may erase its own copies; a repeated call is harmless. Records of the signed-in user are submitted at once,
  /// the others when their user signs in. A record that is not `isUsable` is not kept: no server could know it.
  ///
  /// - Throws: `PurchasingError` with `notRunning`, `vaultUnavailable`, or `vaultFull` (50 records): then keep your
  ///   copies, and call again at the next start.
  public func takeOver(_ records: [EarlierRecord]) async throws(PurchasingError) {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard await state.orders.areLoaded() else { throw PurchasingError(.vaultUnavailable) }
    try await submission.earlier.takeOver(records)
    await tasks.addIsolated { _ = await $0.recovery.run(.userAsked, on: $0) }
  }
}

extension Purchasing {
  /// The events, separately for each listener: first the open orders of the signed-in user, then everything new.
  public func events() -> AsyncStream<PurchaseEvent> {
    state.events.stream(
      beginningWith: openOrders().map { .orderOpen($0) } + promotions.waiting.map { .promotedPayment($0) })
  }

  /// The orders of the signed-in user that this device has a record of, oldest first.
  public func openOrders() -> [OpenOrder] { state.orders.list }
}

extension Purchasing {
  /// The store's description of products, for the shop's page. The wait is at most 4 seconds, and no order waits for
  /// it: a product without a description can be bought (1A.20, 1A.22).
  public func storeProducts(_ ids: [StoreProductIdentifier]) async -> ProductListing {
    guard !ids.isEmpty, await hasStarted() else { return .unanswered(nil) }
    return await state.store.products(ids)
  }
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
    guard let user = state.session.user else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    let flows = state.flows
    // No await between this check and the entry: two taps are two calls.
    guard !flows.contains(where: { $0.isFor(product, user) }) else {
      throw PurchasingError(.purchaseInProgress)
    }
    var request = CreateOrder.Request(product: product, quantity: quantity, store: store ?? configuration.store)
    request.platform = configuration.platform
    request.scene = details.scene
    request.reference = details.reference
    request.metadata = details.metadata
    try Self.check(request, details)
    let begin = dependencies.now()
    var flow = PurchaseFlow(user: user, request: request)
    // A purchase that began outside the app has its own offer, which the app may replace.
    flow.offer = details.offer ?? details.promoted?.offer
    flow.promotionalOffer = details.promotionalOffer
    flow.promoted = details.promoted
    promotions.remove(details.promoted)
    let number = flows.add(flow)
    await tasks.addIsolated { await $0.purchases.process.run(number, on: $0) }
    guard let result = await flow.outcome.value() else { return try flows.callerWentAway(number) }
    return await purchases.delivery.completed(try result.get(), for: user, since: begin, on: self)
  }
}

extension Purchasing {
  /// Checks what the app asks for before anything is written. A record that cannot be read back would stay in the
  /// vault.
  private static func check(_ request: CreateOrder.Request, _ details: PurchaseDetails) throws(PurchasingError) {
    do throws(JSONFieldError) {
      _ = try CreateOrder.Request(json: request.json)
    } catch {
      throw PurchasingError(.requestInvalid, "\(error)")
    }
    for name in [request.product.text, details.promotionalOffer].compactMap({ $0 }) {
      guard (1...255).contains(name.utf8.count) else {
        throw PurchasingError(.requestInvalid, "Product and offer must have 1 to 255 bytes.")
      }
    }
  }
}

extension Purchasing {
  /// Asks the store for earlier purchases of this Apple account, and submits them for the signed-in user. Call it only
  /// when the customer taps for it: it may ask for their password (X1, 1A.44).
  ///
  /// Only the server's rules grant anything: purchases of another user stay with that user.
  ///
  /// - Returns: what was found. `isCancelled` if the customer cancelled.
  /// - Throws: `PurchasingError` with `notRunning`, `notSignedIn`, `vaultUnavailable` or `restoreFailed`.
  public func restorePurchases() async throws(PurchasingError) -> RecoveryReport {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard state.session.user != nil else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    guard await state.orders.areLoaded() else { throw PurchasingError(.vaultUnavailable) }
    var report = RecoveryReport()
    switch await state.store.restore() {
    case nil:
      throw PurchasingError(.restoreFailed, "The store did not answer in time.")
    case .failure(let failure) where failure.isCancelled:
      report.isComplete = false
      report.isCancelled = true
      return report
    case .failure(let failure):
      throw PurchasingError(.restoreFailed, failure.explanation, storeFailure: failure)
    case .success(let entries):
      for result in await submitAll(entries, .restore) { report.count(result) }
      state.log.write(
        .info, "client.restored", with: [("entries", "\(entries.count)"), ("fulfilled", "\(report.fulfilled)")])
      return report
    }
  }
}

extension Purchasing {
  /// The entitlements of the signed-in user now. Each call asks the server, so an old answer never looks like a new
  /// one. An app that works offline uses `entitlements(maximumAge:unreachableAge:)`.
  ///
  /// - Throws: `PurchasingError` with `notRunning`, `notSignedIn`, `userTokenUnavailable`, `userDiffers` (another user
  ///   signed in meanwhile), `serverUnreachable` or `serverRefused`. None of them means that the user has no
  ///   entitlement.
  public func entitlements() async throws(PurchasingError) -> [Entitlement] {
    let server = resources.server
    return try await askAboutUser { await server.entitlements(as: $0) }.entitlements
  }

  /// The balances of the signed-in user, one per unit; a unit that the user never had is not listed. Like
  /// `entitlements`, each call asks the server.
  ///
  /// - Throws: as `entitlements`. None of its errors means that the user has nothing.
  public func balances() async throws(PurchasingError) -> [Balance] {
    let server = resources.server
    return try await askAboutUser { await server.balances(as: $0) }
  }

  /// Asks the server about the signed-in user. An answer that comes after a sign-out is not used for the next user.
  func askAboutUser<Value: Sendable>(
    _ call: (ServerConnection.Credential) async -> ServerReply<Value>
  ) async throws(PurchasingError) -> Value {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard let user = state.session.user else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    let value = try await state.session.asWaitingUser(user, call)
    guard state.session.user == user else {
      throw PurchasingError(.userDiffers, "Another user signed in while the server was asked.")
    }
    return value
  }
}

extension Purchasing {
  /// One order's trace for support: what the device knows of it, without tokens, signed data or personal data. Nil if
  /// the device has no record of it and saw nothing of it in this run.
  public func supportBundle(for order: OrderIdentifier) async -> SupportBundle? {
    let trace = SupportTrace(
      app: configuration.app, dependencies: dependencies, log: state.log, session: state.session,
      records: resources.records, states: state.submissions)
    return await trace.bundle(for: order)
  }
}
