import CounterfoilAPI
public import HTTPMessages
public import PaymentPrimitives

/// Purchases of one app on one device: every payment is delivered exactly once, whatever fails in between.
///
///     let purchasing = try Purchasing(
///       configuration, queue: queue, vault: vault, exchange: exchange, surroundings: surroundings)
///     await purchasing.start()                            // at launch, for as long as the app lives
///     await purchasing.setUser("user-1")
///     let outcome = try await purchasing.purchase("coins60")
///
/// The client makes an order and writes it to the vault before the payment sheet opens. It sends the store's
/// transaction to the server, and finishes it only when the server says so. The process may end after any step: the
/// next start goes on from vault, queue and server.
public actor Purchasing {
  let configuration: PurchasingConfiguration
  let queue: any StoreQueue
  let weChat: (any WeChatApp)?
  let server: ServerConnection
  let dependencies: Dependencies
  let book: VaultRecords
  let tasks = BackgroundTasks()
  /// Maximum submissions at the same time, so that a long queue does not overload the server.
  let submissionPlaces: AsyncSemaphore

  /// The device id, once the queue has reported it.
  var deviceId: String?
  /// The signed-in user.
  var user: UserIdentifier?
  var isRunning = false
  /// The task that `start` began.
  private var runner: Task<Void, Never>?
  /// Orders at WeChat Pay that a background task is asking about.
  var watchedWeChat: Set<RecordIdentifier> = []
  /// Earlier records that are being submitted.
  var submittingEarlier: Set<RecordIdentifier> = []
  /// Purchases from outside the app that it has not bought yet.
  var promotions: [PromotedPayment] = []
  /// The last log lines, for support.
  var recent: [SupportBundle.Line] = []
  var waitingForStart: [OneShotPromise<Void>] = []
  var recoveries: [Int: OneShotPromise<RecoveryReport>] = [:]
  var flows: [Int: PurchaseFlow] = [:]
  /// Records that a flow or a recovery works on; no other task may close them.
  var claimed: Set<RecordIdentifier> = []
  var sheets: [OpenedSheet] = []
  /// Payments that the store has answered with an earlier transaction, until the server has judged that.
  var answered: [TransactionKey: OrderIdentifier] = [:]
  var submissions: [TransactionKey: SubmissionState] = [:]
  /// Queue entries with a requested, unanswered finish.
  var finishing: Set<String> = []
  /// Failed entries already handled in this run.
  var knownFailures: Set<String> = []
  /// Orders for which the queue is being watched after a failure.
  var watchedFailures: Set<RecordIdentifier> = []
  /// The store's id for each product, as orders reported it.
  var storeProducts: [ProductIdentifier: StoreProductIdentifier] = [:]
  var listeners: [Int: AsyncStream<PurchaseEvent>.Continuation] = [:]
  /// The open orders as the last event showed them.
  var shown: [RecordIdentifier: ShownOrder] = [:]
  /// Records that left the vault in this run; ids are never reused.
  var removed: Set<RecordIdentifier> = []
  /// Whether a retry is planned for a recovery that did not get all answers.
  var isLookingAgain = false
  private var lastNumber = 0
  /// Maximum purchases from outside the app to remember: a customer begins one at a time.
  private static let promotionsMax = 8

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
    self.configuration = configuration
    self.queue = queue
    self.weChat = weChat
    self.dependencies = dependencies
    self.server = ServerConnection(
      base: try configuration.checkedServer(), exchange: exchange, language: configuration.language,
      policies: configuration.policies)
    self.book = VaultRecords(vault: vault, app: configuration.app, log: configuration.log, now: dependencies.now)
    self.submissionPlaces = AsyncSemaphore(places: max(1, configuration.policies.submissionsAtOnce))
  }

  /// Starts to listen to the store and to do the work, at the launch of the app; returns at once. A second call does
  /// nothing (1A.25), so it may stand in every entry point: app delegate, scene, background task.
  public func start() async {
    guard runner == nil, !isRunning else { return }
    // The only task that no other task waits for. It owns all others, and `stop` ends it.
    runner = Task {
      await self.run()
      self.runnerHasEnded()
    }
    _ = await hasStarted()
  }

  private func runnerHasEnded() { runner = nil }

  /// Listens to the store and does the work, from the launch of the app until its task is cancelled or `stop` is
  /// called. Every background task of the client is a child of this call; without it the client does nothing.
  ///
  /// It begins with a recovery, which completes what the last run left open. A call while it already runs returns at
  /// once.
  public func run() async {
    guard !isRunning else {
      log(.warning, "client.run.twice")
      return
    }
    isRunning = true
    for waiting in waitingForStart { waiting.resolve(()) }
    waitingForStart = []
    await tasks.add { await self.listen() }
    await tasks.add { await self.listenToPromotions() }
    await tasks.add { await self.listenToWeChat() }
    await tasks.add { _ = await self.performRecovery(.launch) }
    if !configuration.storeProducts.isEmpty {
      await tasks.add { _ = await self.storeProducts(self.configuration.storeProducts) }
    }
    await tasks.run()
    isRunning = false
    endEverything()
  }

  /// Ends `run`. Open purchases stay in the vault for the next `run`.
  public func stop() async {
    guard isRunning else { return }
    await tasks.stop()
  }

  /// Sets the signed-in user; nil when no one is signed in. Orders of another user stay with that user: they are kept,
  /// and completed for that user.
  ///
  /// Transactions that waited for a user are now submitted in the background.
  public func setUser(_ user: UserIdentifier?) async {
    guard user != self.user else { return }
    self.user = user
    guard user != nil else { return }
    for order in openOrders() { emit(.orderOpen(order)) }
    await tasks.add { _ = await self.performRecovery(.userChanged) }
  }

  /// Completes open purchases: the store's queue, the vault's evidence, the orders of the signed-in user. Call it when
  /// the app comes to the foreground, when the network is back, on a push message and when the customer asks. It never
  /// restores.
  @discardableResult
  public func recover(_ reason: RecoveryReason) async -> RecoveryReport {
    var incomplete = RecoveryReport()
    incomplete.isComplete = false
    guard await hasStarted() else { return incomplete }
    if reason == .foreground || reason == .link { await noteForeground() }
    let number = nextNumber()
    let report = OneShotPromise<RecoveryReport>()
    recoveries[number] = report
    await tasks.add { report.resolve(await self.performRecovery(reason)) }
    let result = await report.value()
    recoveries[number] = nil
    return result ?? incomplete
  }

  // MARK: for the other files of this actor

  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Whether `run` runs; waits a little for one that is about to begin.
  func hasStarted() async -> Bool {
    if isRunning { return true }
    let started = OneShotPromise<Void>()
    waitingForStart.append(started)
    _ = await dependencies.limited(to: configuration.policies.requestLimit) { await started.value() }
    return isRunning
  }

  /// Runs work that may ignore cancellation, or never end, and waits for it at most for the given time.
  ///
  /// - Returns: nil if the time ended first; the work goes on as a background task.
  func bounded<Value: Sendable>(
    _ span: TimeSpan, _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let done = OneShotPromise<Value>()
    await tasks.add { done.resolve(await work()) }
    return await dependencies.limited(to: span) { await done.value() } ?? nil
  }

  func log(_ level: LogEvent.Level, _ name: String, _ fields: [(name: String, value: String)] = []) {
    let event = LogEvent(level, name, fields)
    configuration.log(event)
    remember(event)
  }

  /// Resolves all waits: the work behind them has ended.
  private func endEverything() {
    for number in flows.keys.sorted() { endFlow(number) }
    for number in recoveries.keys.sorted() {
      var report = RecoveryReport()
      report.isComplete = false
      recoveries[number]?.resolve(report)
    }
    recoveries = [:]
  }

  private func listenToPromotions() async {
    for await payment in await queue.promotedPayments() {
      promotions = promotions.suffix(Self.promotionsMax - 1) + [payment]
      emit(.promotedPayment(payment))
    }
  }

  private func listen() async {
    while !Task.isCancelled {
      for await transaction in await queue.updates() {
        await tasks.add { _ = await self.receive(transaction, from: .update) }
      }
      if Task.isCancelled { return }
      // The stream ended unexpectedly: it is requested again after a pause, not in a tight loop.
      log(.warning, "client.updates.ended")
      try? await dependencies.sleep(configuration.policies.storeLimit)
    }
  }
}
