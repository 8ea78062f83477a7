public import Counterfoil
public import PaymentPrimitives
import Synchronization

/// A device with one app, its stores and its server, for the tests of apps: one thread, no real time, no network.
///
///     let bench = TestBench()
///     bench.store.next(.buysSilently)
///     try bench.launch(as: "alice")
///     let outcome = try bench.run { try await $0.purchase("coins60") }
///
/// Work that the app does through `run` and `begin` stays on the bench: time passes when all of it waits. A task that
/// the app makes itself (`Task { … }`) runs outside the bench.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class TestBench: Sendable {
  private struct Process: Sendable {
    let executor: SteppedExecutor
    let purchasing: Purchasing
  }

  /// Work took longer than its limit, in the bench's time: it waits for an event that does not come.
  public struct OutOfTime: Error {}

  /// The bench's clock.
  public let clock: ManualClock
  /// The server.
  public let server: ScriptedBackend
  /// Apple's side, and the device's queue.
  public let store: ScriptedAppStore
  /// WeChat on the device.
  public let weChat: ScriptedWeChat
  /// The device's disk, which holds the vault.
  public let disk = ScriptedDisk()
  private let process = Mutex<Process?>(nil)

  /// A new device without earlier purchases.
  ///
  /// - Parameter notifies: whether Apple also tells the server of charges.
  public init(notifies: Bool = false) {
    let clock = ManualClock()
    let server = ScriptedBackend(clock: clock)
    let store = ScriptedAppStore(
      clock: clock, isDurable: { server.isDurable($0) }, notify: { if notifies { server.notify($0) } })
    server.trust { store.isGenuine($0) }
    self.clock = clock
    self.server = server
    self.store = store
    self.weChat = ScriptedWeChat(clock: clock, backend: server)
  }

  // MARK: processes

  /// Starts the app in a new process; a running one is killed. The contents of store, server and disk are kept.
  ///
  /// - Parameters:
  ///   - user: the signed-in user; nil if no one is signed in.
  ///   - configure: changes to the configuration.
  /// - Throws: `PurchasingError` with `configurationInvalid`.
  @discardableResult
  public func launch(
    as user: UserIdentifier?, configure: (inout PurchasingConfiguration) -> Void = { _ in }
  ) throws(PurchasingError) -> Purchasing {
    kill()
    store.relaunch()
    var configuration = PurchasingConfiguration(
      server: "https://pay.example.com", app: "shop", userToken: { "token-" + $0.user.text })
    configure(&configuration)
    let purchasing = try Purchasing(
      configuration, queue: ScriptedQueue(store: store), vault: FileVault(disk.folder), exchange: server.exchange,
      dependencies: clock.dependencies, weChat: weChat)
    process.withLock { $0 = Process(executor: SteppedExecutor(), purchasing: purchasing) }
    begin { await $0.run() }
    if let user { begin { await $0.setUser(user) } }
    return purchasing
  }

  /// Ends the process between two of its steps: no clean-up runs, as in a real kill.
  public func kill() {
    process.withLock { process in
      process?.executor.kill()
      process = nil
    }
    store.processDied()
    weChat.processDied()
  }

  // MARK: work

  /// Begins work in the app's process; does nothing if the app does not run. The work continues in `run` and `goOn`.
  public func begin(_ work: @escaping @Sendable (Purchasing) async -> Void) {
    guard let process = process.withLock({ $0 }) else { return }
    Task(executorPreference: process.executor) { await work(process.purchasing) }
  }

  /// Runs work in the app's process, and lets time pass until it has ended.
  ///
  /// - Throws: the error of the work; `OutOfTime` if it has not ended within that span of the bench's time, or if the
  ///   app does not run.
  public func run<Value: Sendable>(
    within span: TimeSpan = .minutes(20), _ work: @escaping @Sendable (Purchasing) async throws -> Value
  ) throws -> Value {
    let result = Outcome<Value>()
    begin { purchasing in
      do {
        result.value = .success(try await work(purchasing))
      } catch {
        result.value = .failure(error)
      }
    }
    goOn(for: span, until: { result.value != nil })
    guard let value = result.value else { throw OutOfTime() }
    return try value.get()
  }

  /// Lets the simulation run: for a span of time, for at most that many steps of the app, or until a condition holds.
  ///
  /// - Returns: false if the steps were used up: the moment to kill the app in a test of kills.
  @discardableResult
  public func goOn(
    for span: TimeSpan = .minutes(20), steps: Int = .max, until isDone: () -> Bool = { false }
  ) -> Bool {
    let end = clock.now + span
    var left = steps
    while !isDone() {
      if let executor = process.withLock({ $0?.executor }) {
        guard left > 0 else { return false }
        if executor.step() {
          left -= 1
          continue
        }
      }
      guard let due = clock.nextDue, due <= end else { return true }
      clock.fireNext()
    }
    return true
  }
}

/// The result of some work, shared between bench and app.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class Outcome<Value: Sendable>: Sendable {
  private let state = Mutex<Result<Value, any Error>?>(nil)
  var value: Result<Value, any Error>? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
