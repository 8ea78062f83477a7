import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import CounterfoilStoreKit
import HTTPMessages
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Synchronization
import TestDoubles
import Testing

/// A phone with the shop's app: the client library with a shipped adapter and the Keychain vault, over the shims of
/// Apple's frameworks.
final class Phone {
  enum Interface: String, CaseIterable, CustomTestStringConvertible {
    case storeKit1, storeKit2
    var testDescription: String { self == .storeKit1 ? "StoreKit 1" : "StoreKit 2" }
  }

  let device: Device
  let interface: Interface
  let eventLog = EventLog()
  let clock = TimeLimits()
  private unowned let world: ClientFixture
  private(set) var run: AppRun?
  private(set) var process: SimulatedProcess?
  private(set) var purchasing: Purchasing?
  private(set) var queue: (any StoreQueue)?
  private var user: UserIdentifier?
  /// Verdicts that replace the server's own for some transactions.
  var verdicts: [TransactionIdentifier: Verdict] = [:]
  var configure: (inout PurchasingConfiguration) -> Void = { _ in }
  /// Where the app wants its sheet to open; nil: the adapter finds the place.
  var presenting: PurchaseAnchor.Choice?

  init(_ device: Device, _ interface: Interface, in world: ClientFixture) {
    self.device = device
    self.interface = interface
    self.world = world
  }

  /// Starts the app for a user, if one is signed in.
  ///
  /// - Parameter listens: whether it begins to listen to its queue; otherwise call `beginListening` later.
  func launch(as user: UserIdentifier? = "anna", listens: Bool = true) throws {
    kill()
    self.user = user
    let process = world.nextProcess()
    let run = device.launch { process.spawn($0) }
    let dependencies = process.dependencies()
    let simulation = world.simulation
    var configuration = PurchasingConfiguration(server: TestShop.address, app: TestShop.id) { wish in
      TestShop.token(for: wish.user, at: simulation.now)
    }
    configuration.platform = "ios"
    configuration.log = eventLog.log
    configure(&configuration)
    let (interface, presenting) = (interface, presenting ?? { PurchaseAnchor.found() })
    let queue: any StoreQueue = AppRun.$current.withValue(run) {
      let start = AdapterStart { run.start($0) }
      return interface == .storeKit1
        ? StoreKit1Queue(dependencies: dependencies, start: start)
        : StoreKit2Queue(presenting: presenting, dependencies: dependencies, start: start)
    }
    let purchasing = try Purchasing(
      configuration, queue: queue, vault: KeychainVault(),
      exchange: clock.timing(device.serverLink.carrying(world.server.exchange(verdicts))), dependencies: dependencies)
    (self.run, self.process, self.purchasing, self.queue) = (run, process, purchasing, queue)
    if listens { beginListening() }
    if let user { run.start { await purchasing.setUser(user) } }
  }

  /// The app begins its work, listening first of all; a second call changes nothing.
  func beginListening() {
    guard let run, let purchasing else { return }
    run.start { await purchasing.run() }
  }

  /// Another user signs in; nil signs out.
  func signIn(_ user: UserIdentifier?) {
    self.user = user
    _ = ask { await $0.setUser(user) }
  }

  /// The process ends between two of its jobs, without notice.
  func kill() {
    process?.kill()
    run?.end()
    (run, process, purchasing, queue) = (nil, nil, nil, nil)
  }

  /// A tap on the button; the result is there after the world has run.
  func tap(
    _ product: ProductIdentifier = "coins6", quantity: Int = 1, details: PurchaseDetails = PurchaseDetails()
  ) -> Tap {
    let tap = Tap()
    guard let purchasing else { return tap }
    let user = user
    run?.start {
      // A user who taps has signed in before.
      await purchasing.setUser(user)
      do throws(PurchasingError) {
        tap.end(.success(try await purchasing.purchase(product, quantity: quantity, details: details)))
      } catch { tap.end(.failure(error)) }
    }
    return tap
  }

  /// A tap, and everything until its answer.
  @discardableResult
  func buy(
    _ product: ProductIdentifier = "coins6", quantity: Int = 1, details: PurchaseDetails = PurchaseDetails()
  ) -> Tap {
    let tap = tap(product, quantity: quantity, details: details)
    world.goOn(until: { tap.result != nil })
    return tap
  }

  /// Asks the app for something.
  func ask<Answer: Sendable>(_ body: @escaping @Sendable (Purchasing) async -> Answer) -> Answer? {
    guard let purchasing, let run else { return nil }
    let answer = SharedValue<Answer?>(nil)
    run.start { answer.value = await body(purchasing) }
    world.goOn(until: { answer.value != nil })
    return answer.value
  }

  /// The events that the app receives from now on, in this process.
  func listen() -> Heard {
    let heard = Heard()
    guard let purchasing, let run else { return heard }
    run.start { for await event in await purchasing.events() { heard.add(event) } }
    return heard
  }

  /// The orders' records in the Keychain, as the next process would read them.
  var records: [OrderRecord] {
    device.keychain.items.values.compactMap { item in
      guard case .order(let record)? = try? VaultItem(bytes: item.data) else { return nil }
      return record
    }.sorted { $0.writtenAt < $1.writtenAt }
  }

  /// The names of the vault's items, except the memory of finished transactions.
  var openRecords: [String] {
    device.keychain.items.keys.map(\.account).filter { !$0.hasPrefix("cleared-") }.sorted()
  }

  /// The number of jobs that the app has run in this process.
  var steps: Int { process?.steps ?? 0 }
}

/// One tap and the result of its `purchase`.
final class Tap: Sendable {
  private let state = Mutex<Result<PurchaseOutcome, PurchasingError>?>(nil)

  func end(_ result: Result<PurchaseOutcome, PurchasingError>) { state.withLock { $0 = result } }

  var result: Result<PurchaseOutcome, PurchasingError>? { state.withLock { $0 } }
  var outcome: PurchaseOutcome? { try? result?.get() }
  var error: PurchasingError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
  var isFulfilled: Bool {
    guard case .fulfilled = outcome else { return false }
    return true
  }
}

/// The events that an app received.
final class Heard: Sendable {
  private let events = Mutex<[PurchaseEvent]>([])

  func add(_ event: PurchaseEvent) { events.withLock { $0.append(event) } }
  var all: [PurchaseEvent] { events.withLock { $0 } }

  /// The phases of open orders, in their order.
  var phases: [OrderRecord.Phase] {
    all.compactMap { event in
      guard case .orderOpen(let open) = event else { return nil }
      return open.phase
    }
  }

  var grants: Int {
    all.count { event in
      guard case .fulfilled = event else { return false }
      return true
    }
  }
}

/// The time limit that the app gave each of its requests.
final class TimeLimits: Sendable {
  private let seen = Mutex<[(request: HTTPRequest, limit: TimeSpan)]>([])

  func timing(_ exchange: HTTPExchange) -> HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in
      self.seen.withLock { $0.append((request, limit)) }
      return try await exchange.send(request, limit)
    }
  }

  var all: [(request: HTTPRequest, limit: TimeSpan)] { seen.withLock { $0 } }
}
