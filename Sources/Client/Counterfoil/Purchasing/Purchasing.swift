public import HTTPMessages
public import PaymentPrimitives
import CounterfoilAPI

/// Purchases of one app on one device: whatever was paid is delivered exactly once, whatever breaks in between.
///
///     let purchasing = try Purchasing(
///       configuration, queue: queue, vault: vault, exchange: exchange, surroundings: surroundings)
///     await purchasing.start()                            // at launch, for as long as the app lives
///     await purchasing.setUser("user-1")
///     let outcome = try await purchasing.purchase("coins60")
///
/// An order is made and written to the vault before the payment sheet opens; the store's transaction goes to the
/// server, and is finished only on the server's word. Every step is written so that it may be the last one of this
/// process: the next start goes on from vault, queue and server.
public actor Purchasing {
  let configuration: PurchasingConfiguration
  let queue: any StoreQueue
  let weChat: (any WeChatApp)?
  let server: ServerConnection
  let surroundings: Dependencies
  let book: VaultRecords
  let tasks = BackgroundTasks()
  /// Submissions under way at the same time, so that a long queue does not storm the server.
  let submissionPlaces: AsyncSemaphore

  /// The device's id, once the queue has said it.
  var deviceId: String?
  /// The signed-in user.
  var user: UserIdentifier?
  var isRunning = false
  /// The task that `start` began.
  private var runner: Task<Void, Never>?
  /// Orders at WeChat Pay that are being asked about in the background.
  var watchedWeChat: Set<RecordIdentifier> = []
  /// Earlier records that are being handed in.
  var submittingEarlier: Set<RecordIdentifier> = []
  /// Purchases from outside the app that it has not bought yet.
  var promotions: [PromotedPayment] = []
  /// The last log lines, for support.
  var recent: [SupportBundle.Line] = []
  var waitingForStart: [OneShotPromise<Void>] = []
  var recoveries: [Int: OneShotPromise<RecoveryReport>] = [:]
  var flows: [Int: PurchaseFlow] = [:]
  /// Records that a flow or a recovery works on; nobody else may close them.
  var claimed: Set<RecordIdentifier> = []
  var sheets: [OpenedSheet] = []
  /// Payments that the store has answered with an earlier transaction, until the server has judged that.
  var answered: [TransactionKey: OrderIdentifier] = [:]
  var submissions: [TransactionKey: SubmissionState] = [:]
  /// Queue entries whose finish has been asked for and not answered.
  var finishing: Set<String> = []
  /// Failed entries that were dealt with in this run.
  var knownFailures: Set<String> = []
  /// Orders for which the queue is being watched after a failure.
  var watchedFailures: Set<RecordIdentifier> = []
  /// What each of our products is called at the store, as orders said.
  var storeProducts: [ProductIdentifier: StoreProductIdentifier] = [:]
  var listeners: [Int: AsyncStream<PurchaseEvent>.Continuation] = [:]
  /// The open orders as the last event showed them.
  var shown: [RecordIdentifier: ShownOrder] = [:]
  /// Records that left the vault in this run; names are never used again.
  var removed: Set<RecordIdentifier> = []
  /// Whether a recovery that could not ask everybody is going to be tried again.
  var isLookingAgain = false
  private var lastNumber = 0
  /// Purchases from outside the app to remember: a customer begins one.
  private static let promotionsMax = 8

  /// A client that does nothing until `start` or `run` is called.
  ///
  /// - Parameters:
  ///   - configuration: what the app decides.
  ///   - queue: the device's payment queue; `AbsentStoreQueue` where there is no App Store.
  ///   - vault: where orders are written down; the Keychain on Apple's systems.
  ///   - exchange: the network to the server.
  ///   - surroundings: time and chance.
  ///   - weChat: the WeChat app, if this app pays with it.
  /// - Throws: `PurchasingError` with `configurationInvalid`.
  public init(
    _ configuration: PurchasingConfiguration, queue: any StoreQueue, vault: any Vault,
    exchange: HTTPExchange, surroundings: Dependencies, weChat: (any WeChatApp)? = nil
  ) throws(PurchasingError) {
    self.configuration = configuration
    self.queue = queue
    self.weChat = weChat
    self.surroundings = surroundings
    self.server = ServerConnection(
      base: try configuration.checkedServer(), exchange: exchange, language: configuration.language,
      policies: configuration.policies)
    self.book = VaultRecords(vault: vault, app: configuration.app, log: configuration.log, now: surroundings.now)
    self.submissionPlaces = AsyncSemaphore(places: max(1, configuration.policies.submissionsAtOnce))
  }

  /// Begins to listen to the store and to do the work, at the launch of the app; returns at once. Calling it again
  /// does nothing (1A.25), so it may stand wherever the app may begin: app delegate, scene, background task.
  public func start() async {
    guard runner == nil, !isRunning else { return }
    // The one task that nobody waits for. It owns all others, and `stop` ends it.
    runner = Task {
      await self.run()
      self.runnerHasEnded()
    }
    _ = await hasStarted()
  }

  private func runnerHasEnded() { runner = nil }

  /// Listens to the store and does the work, from the launch of the app until its task is cancelled or `stop` is
  /// called. Every background task of the client is a child of this call; nothing happens without it.
  ///
  /// It begins with a recovery: what the last run left open is completed. Calling it while it runs returns at once.
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

  /// Lets `run` end. What is open stays open, in the vault, for the next `run`.
  public func stop() async {
    guard isRunning else { return }
    await tasks.stop()
  }

  /// Tells who is signed in; nil for nobody. Orders of another user stay his: they are kept, and completed for him.
  ///
  /// What waited for a user is submitted now, in the background.
  public func setUser(_ user: UserIdentifier?) async {
    guard user != self.user else { return }
    self.user = user
    guard user != nil else { return }
    for order in openOrders() { emit(.orderOpen(order)) }
    await tasks.add { _ = await self.performRecovery(.userChanged) }
  }

  /// Completes what is open: the store's queue, the vault's evidence, the orders of the signed-in user. Call it
  /// when the app comes to the foreground, when the network is back, on a push message and when the customer asks.
  /// It never restores.
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
    _ = await surroundings.limited(to: configuration.policies.requestLimit) { await started.value() }
    return isRunning
  }

  /// Does work that may not heed cancellation, or never end, and waits for it for at most that long.
  ///
  /// - Returns: nil when the time was over first; the work goes on as a background task.
  func bounded<Value: Sendable>(
    _ span: TimeSpan, _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let done = OneShotPromise<Value>()
    await tasks.add { done.resolve(await work()) }
    return await surroundings.limited(to: span) { await done.value() } ?? nil
  }

  func log(_ level: LogEvent.Level, _ name: String, _ fields: [(name: String, value: String)] = []) {
    let event = LogEvent(level, name, fields)
    configuration.log(event)
    remember(event)
  }

  /// Nobody may wait for what no longer runs.
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
      // The stream ended though nobody ended it: it is asked for again, not in a tight loop.
      log(.warning, "client.updates.ended")
      try? await surroundings.sleep(configuration.policies.storeLimit)
    }
  }
}
