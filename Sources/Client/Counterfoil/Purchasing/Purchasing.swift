public import HTTPMessages
public import PaymentPrimitives

/// Purchases of one app on one device: every payment is delivered exactly once, whatever fails in between.
///
///     let purchasing = try Purchasing(
///       configuration, queue: queue, vault: vault, exchange: exchange, dependencies: dependencies)
///     await purchasing.start()                            // at launch, for as long as the app lives
///     await purchasing.setUser("user-1")
///     let outcome = try await purchasing.purchase("coins60")
///
/// The client makes an order and writes it to the vault before the payment sheet opens. It sends the store's
/// transaction to the server, and finishes it only when the server says so. The process may end after any step: the
/// next start goes on from vault, queue and server.
public actor Purchasing {
  // The parts do the work. All of them stay on this actor (docs/decisions/0169-parts-of-the-client-share-its-actor.md).
  let resources: PurchasingResources
  let state: PurchasingState
  let submission: SubmissionParts
  let purchases: PurchaseParts
  let recovery: Recovery
  let diagnostics: DiagnosticsSender
  let rights: Entitlements
  var promotions = PromotedPayments()

  /// The number of the run that does the work; nil while none does.
  private var running: Int?
  private var lastRun = 0
  /// The task that `start` began.
  private var runner: Task<Void, Never>?
  private var waitingForStart: [OneShotPromise<Void>] = []

  /// Makes a client that does nothing until `start` or `run` is called.
  ///
  /// - Parameters:
  ///   - configuration: the app's settings.
  ///   - queue: the device's payment queue; `AbsentStoreQueue` where there is no App Store.
  ///   - vault: the storage for orders; the Keychain on Apple's systems.
  ///   - exchange: the network to the server.
  ///   - dependencies: time and randomness.
  ///   - weChat: the WeChat app, if this app pays with it.
  /// - Throws: `PurchasingError` with `configurationInvalid`.
  public init(
    _ configuration: PurchasingConfiguration, queue: any StoreQueue, vault: any Vault,
    exchange: HTTPExchange, dependencies: Dependencies, weChat: (any WeChatApp)? = nil
  ) throws(PurchasingError) {
    let resources = try PurchasingResources(
      configuration, queue: queue, vault: vault, exchange: exchange, dependencies: dependencies, weChat: weChat)
    let state = PurchasingState(resources)
    let submission = SubmissionParts(resources, state)
    let purchases = PurchaseParts(resources, state, finishing: submission.finishing)
    self.resources = resources
    self.state = state
    self.submission = submission
    self.purchases = purchases
    diagnostics = DiagnosticsSender(resources, state)
    self.rights = Entitlements(resources, state)
    self.recovery = Recovery(resources, state, earlier: submission.earlier, purchases: purchases)
  }

  nonisolated var configuration: PurchasingConfiguration { resources.configuration }
  nonisolated var tasks: BackgroundTasks { resources.tasks }
  nonisolated var dependencies: Dependencies { resources.dependencies }

  /// Starts to listen to the store and to do the work, at the launch of the app; returns at once. A second call does
  /// nothing (1A.25), so it may stand in every entry point: app delegate, scene, background task.
  public func start() async {
    guard runner == nil, running == nil else { return }
    // The only task that no other task waits for. It owns all others, and `stop` ends it.
    runner = Task { await self.run() }
    _ = await hasStarted()
  }

  /// Listens to the store and does the work, from the launch of the app until its task is cancelled or `stop` is
  /// called. Every background task of the client is a child of this call; without it the client does nothing.
  ///
  /// It begins with a recovery, which completes what the last run left open. A call while it already runs returns at
  /// once.
  public func run() async {
    // A task of `start` that `stop` cancelled before it began.
    guard !Task.isCancelled else { return }
    guard running == nil else {
      state.log.write(.warning, "client.run.twice")
      return
    }
    lastRun += 1
    let number = lastRun
    running = number
    for waiting in waitingForStart { waiting.resolve(()) }
    waitingForStart = []
    var first: [BackgroundTasks.Job] = [
      { client in await client.isolated { await $0.listen() } },
      { client in await client.isolated { await $0.listenToPromotions() } },
      { client in await client.isolated { await $0.purchases.weChat.listen() } },
      { client in await client.isolated { await $0.diagnostics.run() } },
      { client in await client.isolated { await $0.followGrants() } },
      { client in _ = await client.isolated { await $0.recovery.run(.launch, on: $0) } },
    ]
    let products = configuration.storeProducts
    if !products.isEmpty { first.append({ _ = await $0.storeProducts(products) }) }
    await tasks.run(number, for: self, beginningWith: first)
    runHasStopped(number)
  }

  /// Ends the work at once, also while a call of the store hangs: `start` and `run` may then be called again. Open
  /// purchases stay in the vault for the next run.
  public func stop() async {
    runner?.cancel()
    runner = nil
    guard let number = running else { return }
    runHasStopped(number)
    await tasks.stop(number)
  }

  /// A run begins no further work. Its last jobs may still be ending.
  func runHasStopped(_ number: Int) {
    guard running == number else { return }
    (running, runner) = (nil, nil)
    // The work behind all waits has ended.
    state.flows.endAll()
    recovery.endAll()
  }

  /// Sets the signed-in user; nil when no one is signed in. Orders of another user stay with that user: they are kept,
  /// and completed for that user.
  ///
  /// Transactions that waited for a user are now submitted in the background.
  public func setUser(_ user: UserIdentifier?) async {
    guard user != state.session.user else { return }
    state.session.user = user
    state.flows.endWaits(besides: user)
    guard user != nil else { return }
    for order in openOrders() { state.events.emit(.orderOpen(order)) }
    await rights.readIfSomebodyListens()
    await tasks.addIsolated { _ = await $0.recovery.run(.userChanged, on: $0) }
  }

  /// Completes open purchases: the store's queue, the vault's evidence, the orders of the signed-in user. Call it when
  /// the app comes to the foreground, when the network is back, on a push message and when the customer asks. It never
  /// restores.
  @discardableResult
  public func recover(_ reason: RecoveryReason) async -> RecoveryReport {
    guard await hasStarted() else { return .incomplete }
    if reason == .foreground || reason == .link { await purchases.hints.noteForeground() }
    return await recovery.report(of: reason)
  }

  // MARK: for the parts

  /// Whether `run` runs; waits a little for one that is about to begin.
  func hasStarted() async -> Bool {
    if running != nil { return true }
    let started = OneShotPromise<Void>()
    waitingForStart.append(started)
    _ = await dependencies.limited(to: configuration.policies.requestLimit) { await started.value() }
    return running != nil
  }

  /// Brings work of a background or child task back to this actor, where the parts are.
  func isolated<Value: Sendable, Failure: Error>(
    _ work: @Sendable (isolated Purchasing) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await work(self)
  }

  /// Processes one transaction that the store shows, from any source.
  ///
  /// - Returns: its result; nil if it has nothing for the server.
  @discardableResult
  func receive(
    _ transaction: StoreTransaction, from source: TransactionSource
  ) async -> SubmissionResult? {
    switch transaction.state {
    case .purchasing:
      await purchases.reports.paymentAppeared(transaction)
      return nil
    case .deferred:
      await purchases.reports.approvalIsPending(transaction)
      return nil
    case .failed(let failure):
      await purchases.reports.reportedFailure(transaction, failure)
      return nil
    case .purchased, .restored, .revoked, .unverified:
      let judged = await submission.earlierSales.withoutForeignOrder(transaction)
      return await submission.transactions.submit(judged, from: source)
    }
  }

  /// Processes everything that a queue holds, several transactions at a time.
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

  /// Those who listen to entitlements learn of each grant and each refund.
  private func followGrants() async {
    for await event in state.events.stream(beginningWith: []) where event.mayChangeEntitlements {
      await rights.readIfSomebodyListens()
    }
  }

  private func listenToPromotions() async {
    for await payment in await resources.queue.promotedPayments() {
      promotions.add(payment)
      state.events.emit(.promotedPayment(payment))
    }
  }

  private func listen() async {
    while !Task.isCancelled {
      for await transaction in await resources.queue.updates() {
        await tasks.addIsolated { _ = await $0.receive(transaction, from: .update) }
      }
      if Task.isCancelled { return }
      // The stream ended unexpectedly: it is requested again after a pause, not in a tight loop.
      state.log.write(.warning, "client.updates.ended")
      try? await dependencies.sleep(configuration.policies.storeLimit)
    }
  }
}
