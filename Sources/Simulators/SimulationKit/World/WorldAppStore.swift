import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import Synchronization

/// The simulated App Store as a process that can be killed; it keeps only its log.
final class WorldAppStore: Sendable {
  private struct State {
    var process: SimulatedProcess?
    var store: SimulatedAppStore?
    var opening: SimulatedProcess?
    var isAsleep = false
  }

  fileprivate let context: SimulationContext
  private let file = WorldLogFile()
  private let state = Mutex(State())

  init(_ context: SimulationContext) { self.context = context }

  var process: SimulatedProcess? { state.withLock { $0.process ?? $0.opening } }
  /// The App Store of the current process, once it has read its log.
  var store: SimulatedAppStore? { state.withLock { $0.store } }

  /// Starts a process, and returns when it answers; it never answers if it is killed while it opens.
  func start() async {
    let process = context.process("App Store")
    state.withLock { $0.opening = process }
    process.whenKilled { [weak self] in self?.wasKilled() }
    let opened = NetworkMessage<Bool>()
    process.spawn { [weak self] in await self?.open(in: process, opened) }
    _ = await context.wait(for: opened, atMost: .minutes(1))
  }

  private func open(in process: SimulatedProcess, _ opened: NetworkMessage<Bool>) async {
    let dependencies = process.dependencies()
    let events = context.events
    do {
      let store = try await SimulatedAppStore.open(
        log: file.log(dependencies), dependencies: dependencies,
        exchange: context.exchange(from: .appStore, to: .server),
        settings: SimulatorSettings(environment: .production, receiptKeys: WorldShop.receiptKeys),
        report: { event in if event.name == "simulator.tornLinesDropped" { events.mark(.logTorn) } })
      try await WorldShop.stock(
        store, accounts: context.accounts, sellsSubscriptions: context.plan.sellsSubscriptions,
        further: context.plan.catalog.furtherStoreProducts, sellsElsewhere: context.plan.crowd.otherPurchases > 0,
        graceDays: context.plan.aftermath.graceDays)
      if context.plan.sandbox.purchases > 0 {
        let tester = AppleAccountIdentifier(SandboxPlan.account)
        try await store.catalog.setAccount(SimulatedAppleAccount(id: tester, environment: .sandbox))
      }
      state.withLock { state in
        state.store = store
        state.process = process
      }
      opened.answer(true)
      if context.plan.sellsSubscriptions { process.spawn { await SubscriptionCalendar(store).run() } }
      await NotificationSender(store).run()
    } catch { if !context.isOver { events.reportViolation("the App Store does not open: \(error)") } }
  }

  /// Stops it for days without work; `start` starts it again.
  func sleep() {
    state.withLock { $0.isAsleep = true }
    process?.kill()
  }

  private func wasKilled() {
    if !state.withLock({ $0.isAsleep }) { context.events.record("App Store", "is killed", mark: .appStoreKilled) }
    state.withLock { state in
      state.isAsleep = false
      state.process = nil
      state.store = nil
      state.opening = nil
    }
  }

  /// The endpoint that runs work at the App Store now; nil if no process is ready.
  func attendance<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) -> NetworkEndpoint<Result<Answer, any Error>>? {
    let (process, store) = state.withLock { ($0.process, $0.store) }
    guard let process, let store else { return nil }
    return NetworkEndpoint(process: process) {
      do { return .success(try await body(store)) } catch { return .failure(error) }
    }
  }

  /// Retries until it answers; for actions from outside the simulated system.
  func insist<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    while true {
      if let attendance = attendance(body) {
        let letter = NetworkMessage<Result<Answer, any Error>>()
        attendance.process.spawn { letter.answer(await attendance.work()) }
        if let answer = await context.wait(for: letter, atMost: .minutes(2)) { return try answer.get() }
      }
      try await context.sleep(.seconds(5))
    }
  }
}

extension WorldAppStore {
  /// The servers' connection to Apple's API: the simulator's connection faults and the network's faults both apply.
  var exchange: HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      let path = SimulationContext.path(of: request.target).prefix { $0 != "?" }
      let result = try await context.network.carry(
        "\(request.method) \(path)", from: .server, to: .appStore, limit: limit, mayRepeat: true
      ) { [self] in attendance { store in try await store.serverAPI.network.send(request, limit) } }
      switch result {
      case .success(let response):
        if response.status >= 400 { context.events.mark(.appleRefused) }
        return response
      case .failure(let error): throw error as? HTTPExchangeError ?? .outcomeUnknown("\(error)")
      }
    }
  }
}

/// A phone's connection to the App Store.
struct WorldAppStoreLink: AppStoreLink {
  let phone: Int
  let appStore: WorldAppStore
  let network: WorldNetwork

  func reach<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    let (appStore, events) = (appStore, network.events)
    let result: Result<Answer, any Error>
    do {
      // Apple's own protocol ensures that a duplicated packet does not cause a second purchase.
      result = try await network.carry(
        "asks the store", from: .phone(phone), to: .appStore, limit: .seconds(20), mayRepeat: false
      ) { appStore.attendance(body) }
    } catch { throw LinkDown() }
    let answer = try result.get()
    if let purchase = answer as? SimulatedPurchase, purchase.outcome == .unfinishedDelivered {
      events.record(
        "App Store", "delivers \(purchase.transaction.id) again instead of selling", mark: .unfinishedDelivered)
    }
    return answer
  }
}
