import Counterfoil
import HTTPMessages
import PaymentVocabulary
import Synchronization

/// A device, Apple, a server and time, around one app that can be started, killed at any job, and started again.
final class ClientWorld {
  let clock = VirtualClock()
  let server: FakeServer
  let store: FakeAppStore
  let disk: FakeDisk
  let diary = Diary()
  /// Whether Apple's notifications reach the server.
  private let notifies = Box(false)
  var configure: (inout PurchasingConfiguration) -> Void = { _ in }
  private(set) var app: App?

  /// One process of the app.
  final class App {
    let executor = SteppedExecutor()
    let purchasing: Purchasing
    init(_ purchasing: Purchasing) { self.purchasing = purchasing }
  }

  init() {
    let clock = self.clock
    let server = FakeServer(clock: clock)
    let notifies = self.notifies
    self.server = server
    self.disk = FakeDisk()
    self.store = FakeAppStore(
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
    let diary = self.diary
    var configuration = PurchasingConfiguration(
      server: "https://pay.example.com/", app: "shop",
      userToken: { "token-" + $0.user.text + ($0.wasRefused ? "#2" : "") })
    configuration.platform = "ios"
    configuration.log = { diary.note($0) }
    configure(&configuration)
    guard
      let purchasing = try? Purchasing(
        configuration, queue: FakeQueue(store: store), vault: FileVault(disk.folder),
        exchange: server.exchange, surroundings: clock.surroundings)
    else { preconditionFailure("the test's own configuration is refused") }
    let app = App(purchasing)
    self.app = app
    start { await purchasing.run() }
    if let user { start { await purchasing.setUser(user) } }
    return app
  }

  /// The process ends between two of its jobs, without a word.
  func kill() {
    app?.executor.kill()
    app = nil
    store.processDied()
  }

  /// Begins a task in the app's process.
  @discardableResult
  func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard let app else { preconditionFailure("launch first") }
    return Task(executorPreference: app.executor) { await work() }
  }

  /// A tap on the button. The result is there once the world has gone on.
  func tap(_ product: ProductIdentifier = "coins60", quantity: Int = 1) -> Tap {
    guard let purchasing = app?.purchasing else { preconditionFailure("launch first") }
    let tap = Tap()
    tap.task = start {
      do throws(PurchasingError) {
        tap.result = .success(try await purchasing.purchase(product, quantity: quantity))
      } catch {
        tap.result = .failure(error)
      }
    }
    return tap
  }

  /// Asks the app for something and lets the world go on until it has answered.
  func ask<Value: Sendable>(_ question: @escaping @Sendable (Purchasing) async -> Value) -> Value? {
    guard let purchasing = app?.purchasing else { return nil }
    let answer = Box<Value?>(nil)
    start { answer.value = await question(purchasing) }
    goOn { answer.value != nil }
    return answer.value
  }

  // MARK: time

  /// Lets everything happen that can happen within a span, or until a condition holds, or until the app has run so many jobs.
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

  // MARK: what must hold

  /// What stands in the vault, but for the memory of finished transactions.
  var openRecords: [String] { disk.names.filter { !$0.hasPrefix("cleared-") } }

  /// Everything that is wrong with the ledger: charges without a grant or with two, grants without a charge, finishes too early.
  func faults(owner: UserIdentifier = "anna") -> [String] {
    var faults = store.violations
    let grants = server.grants
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

/// One tap and what `purchase` said to it.
final class Tap: Sendable {
  private let state = Mutex<(Result<PurchaseOutcome, PurchasingError>?, Task<Void, Never>?)>((nil, nil))
  var result: Result<PurchaseOutcome, PurchasingError>? {
    get { state.withLock { $0.0 } }
    set { state.withLock { $0.0 = newValue } }
  }
  var task: Task<Void, Never>? {
    get { state.withLock { $0.1 } }
    set { state.withLock { $0.1 = newValue } }
  }
  var isDone: Bool { result != nil }
  var outcome: PurchaseOutcome? { try? result?.get() }
  var error: PurchasingError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}

/// A value that tasks of different processes share.
final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The app's log lines.
final class Diary: Sendable {
  private let lines = Mutex<[String]>([])
  func note(_ event: LogEvent) {
    lines.withLock { $0.append(event.name + event.fields.map { " \($0.name)=\($0.value)" }.joined()) }
  }
  var all: [String] { lines.withLock { $0 } }
}

/// The device's disk: a file is there in its old or its new form, whenever the process ends.
final class FakeDisk: Sendable {
  private struct State {
    var files: [String: [UInt8]] = [:]
    var cannotWrite = false
    var cannotRead = false
    var writes: [String] = []
  }
  private let state = Mutex(State())
  struct Failure: Error {}

  var names: [String] { state.withLock { $0.files.keys.sorted() } }
  var writes: [String] { state.withLock { $0.writes } }
  func text(_ name: String) -> String { state.withLock { String(decoding: $0.files[name] ?? [], as: UTF8.self) } }
  func put(_ name: String, _ text: String) { state.withLock { $0.files[name] = Array(text.utf8) } }

  /// Puts down an order's record as an earlier run of the app left it, for one piece of a product, made and expiring as said.
  func putRecord(
    _ name: String, user: String, product: String = "coins60", state: String, order: UInt64,
    createdAt: String = "2027-01-15T07:00:00.000Z", expiresAt: String = "2027-01-22T07:00:00.000Z"
  ) {
    let id = OrderIdentifier(high: 0x0192_F0C8_0000_7000, low: 1 << 63 | order)
    put(
      "order-\(name).json",
      #"{"version":1,"kind":"order","record":"\#(name)","app":"shop","user":"\#(user)","#
        + #""request":{"productId":"\#(product)","store":"appStore"},"writtenAt":"\#(createdAt)","state":\#(state),"#
        + #""order":{"id":"\#(id)","storeProduct":"com.example.\#(product)","createdAt":"\#(createdAt)","#
        + #""expiresAt":"\#(expiresAt)"}}"#)
  }

  func refuseWrites(_ refuses: Bool) { state.withLock { $0.cannotWrite = refuses } }
  func refuseReads(_ refuses: Bool) { state.withLock { $0.cannotRead = refuses } }

  /// The disk as the vault's folder. The process may end before a call takes effect, and before it returns.
  var folder: VaultFolder {
    VaultFolder(
      list: {
        await Task.yield()
        return try self.state.withLock { state in
          if state.cannotRead { throw Failure() }
          return state.files.keys.sorted()
        }
      },
      read: { name, bytesMax in
        try self.state.withLock { state in
          if state.cannotRead { throw Failure() }
          return state.files[name]
        }
      },
      replace: { name, bytes in
        await Task.yield()
        try self.state.withLock { state in
          if state.cannotWrite { throw Failure() }
          state.files[name] = bytes
          state.writes.append(name)
        }
        await Task.yield()
      },
      remove: { name in
        await Task.yield()
        try self.state.withLock { state in
          if state.cannotWrite { throw Failure() }
          state.files[name] = nil
        }
        await Task.yield()
      })
  }
}
