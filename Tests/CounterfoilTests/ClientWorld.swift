import Counterfoil
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import TestDoubles

/// A device, Apple, a server and time, around one app that can be started, killed at any job, and restarted.
final class ClientWorld {
  let clock = ManualClock()
  let server: ScriptedBackend
  let store: ScriptedAppStore
  private(set) var disk: ScriptedDisk
  let weChat: ScriptedWeChat
  let eventLog = EventLog()
  /// Whether Apple's notifications reach the server.
  private let notifies = SharedValue(false)
  var configure: (inout PurchasingConfiguration) -> Void = { _ in }
  /// How far the device's clock is ahead of the server's.
  var skew = TimeSpan.zero
  var hasWeChat = true
  var hasAppStore = true
  /// The queue as the app calls it; the scripted one itself, unless a test wraps it.
  var wrapQueue: (ScriptedQueue) -> any StoreQueue = { $0 }
  /// How an app of this world calls WeChat; nil: it calls the scripted one directly.
  var makeWeChat: (() -> any WeChatApp)?
  private(set) var app: App?

  /// One process of the app.
  final class App {
    let executor = SteppedExecutor()
    let purchasing: Purchasing
    init(_ purchasing: Purchasing) { self.purchasing = purchasing }
  }

  init() {
    let clock = self.clock
    let server = ScriptedBackend(clock: clock)
    let notifies = self.notifies
    self.server = server
    self.disk = ScriptedDisk()
    self.weChat = ScriptedWeChat(clock: clock, backend: server)
    self.store = ScriptedAppStore(
      clock: clock, isDurable: { server.isDurable($0) },
      notify: { if notifies.value { server.notify($0) } })
    let store = self.store
    server.trust { store.isGenuine($0) }
  }

  func letAppleNotify() { notifies.value = true }

  // MARK: processes

  /// Starts the app, for a user if one is signed in, and lets it run its one long task.
  @discardableResult
  func launch(as user: UserIdentifier? = "anna") -> App {
    kill()
    store.relaunch()
    let purchasing = makeClient()
    let app = App(purchasing)
    self.app = app
    start { await purchasing.run() }
    if let user { start { await purchasing.setUser(user) } }
    return app
  }

  /// The client of one process, not yet running.
  func makeClient() -> Purchasing {
    var configuration = PurchasingConfiguration(
      server: "https://pay.example.com/", app: "shop",
      userToken: { "token-" + $0.user.text + ($0.wasRefused ? "#2" : "") })
    configuration.platform = "ios"
    configuration.log = eventLog.log
    configure(&configuration)
    guard
      let purchasing = try? Purchasing(
        configuration, queue: hasAppStore ? wrapQueue(ScriptedQueue(store: store)) : AbsentStoreQueue(),
        vault: FileVault(disk.folder),
        exchange: server.exchange, dependencies: deviceDependencies(),
        weChat: hasWeChat ? makeWeChat?() ?? weChat : nil)
    else { preconditionFailure("the test's own configuration is refused") }
    return purchasing
  }

  private func deviceDependencies() -> Dependencies {
    let (outside, skew) = (clock.dependencies, self.skew)
    return Dependencies(
      now: { outside.now() + skew }, randomBytes: outside.randomBytes, sleep: outside.sleep)
  }

  /// The process ends between two of its jobs, without a clean-up.
  func kill() {
    app?.executor.kill()
    app = nil
    store.processDied()
    weChat.processDied()
  }

  /// Deletes everything that the app had stored, as on a new phone, and kills its process.
  func loseVault() {
    kill()
    disk = ScriptedDisk()
  }

  /// Begins a task in the app's process.
  @discardableResult
  func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard let app else { preconditionFailure("launch first") }
    return Task(executorPreference: app.executor) { await work() }
  }

  /// A tap on the button; the result is available later, when the world runs.
  func tap(
    _ product: ProductIdentifier = "coins60", quantity: Int = 1, store: Store? = nil,
    details: PurchaseDetails = PurchaseDetails()
  ) -> Tap {
    guard let purchasing = app?.purchasing else { preconditionFailure("launch first") }
    let tap = Tap()
    tap.task = start {
      do throws(PurchasingError) {
        tap.result = .success(
          try await purchasing.purchase(product, quantity: quantity, store: store, details: details))
      } catch {
        tap.result = .failure(error)
      }
    }
    return tap
  }

  /// The events that the app receives from now on.
  func listen() -> SharedValue<[PurchaseEvent]> {
    guard let purchasing = app?.purchasing else { preconditionFailure("launch first") }
    let heard = SharedValue<[PurchaseEvent]>([])
    start { for await event in await purchasing.events() { heard.value.append(event) } }
    return heard
  }

  /// The app comes to the foreground.
  func comeToForeground() {
    guard let purchasing = app?.purchasing else { preconditionFailure("launch first") }
    start { await purchasing.recover(.foreground) }
  }

  /// Calls the app, and runs the world until it has answered.
  func ask<Value: Sendable>(_ question: @escaping @Sendable (Purchasing) async -> Value) -> Value? {
    guard let purchasing = app?.purchasing else { return nil }
    let answer = SharedValue<Value?>(nil)
    start { answer.value = await question(purchasing) }
    goOn { answer.value != nil }
    return answer.value
  }

  // MARK: time

  /// Runs the world for a span, until a condition holds, or until the app has run that many jobs.
  ///
  /// - Returns: false when the job limit was reached: the moment to kill.
  @discardableResult
  func goOn(
    for span: TimeSpan = .minutes(20), jobs: Int = .max, until isDone: () -> Bool = { false }
  ) -> Bool {
    let end = clock.now + span
    while !isDone() {
      if let app {
        guard app.executor.steps < jobs else { return false }
        if app.executor.step() { continue }
      }
      guard let due = clock.nextDue, due <= end else { return true }
      clock.fireNext()
    }
    return true
  }

  /// Runs everything that can happen within a span, then lets the rest of the span pass.
  func letPass(_ span: TimeSpan) {
    let end = clock.now + span
    goOn(for: span)
    clock.pass(end - clock.now)
  }

  // MARK: what must hold

  /// The records in the vault, without the list of finished transactions.
  var openRecords: [String] { disk.names.filter { !$0.hasPrefix("cleared-") } }

  /// All errors in the ledger: charges without a grant or with two, grants without a charge, early finishes.
  func faults(owner: UserIdentifier = "anna") -> [String] {
    var faults = store.violations
    var grants = server.grants
    // The server learns of WeChat payments from WeChat Pay, and grants once per order.
    let paid = grants.filter { $0.transaction.text.hasPrefix("wx-") }
    grants.removeAll { $0.transaction.text.hasPrefix("wx-") }
    if Set(paid.map(\.order)).count != paid.count { faults.append("an order at WeChat Pay was granted twice") }
    for grant in paid where grant.user != owner { faults.append("\(grant.order) was granted to \(grant.user)") }
    for charge in store.charges {
      let own = grants.filter { $0.transaction == charge.id }
      if own.count != 1 { faults.append("\(charge.id) was granted \(own.count) times") }
      for grant in own where grant.user != owner { faults.append("\(charge.id) was granted to \(grant.user)") }
      for grant in own where grant.product != charge.product || grant.quantity != charge.quantity {
        faults.append("\(charge.id) was granted as something else")
      }
    }
    if grants.count > store.charges.count { faults.append("something was granted and not charged") }
    return faults
  }
}
