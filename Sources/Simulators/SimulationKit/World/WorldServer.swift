import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import Console
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import Synchronization

/// The consecutive processes of one server over one database: the real HTTP server and the real engine.
final class WorldServer: Sendable {
  private struct Running {
    let process: SimulatedProcess
    let server: PaymentServer
    let console: Console
    let engine: PaymentEngine
    /// The number of catalog versions when it was configured.
    var catalogs: Int
  }

  private struct State {
    var running: Running?
    /// The number of this process's transactions that are at each pause point now.
    var points: [DatabasePausePoint: Int] = [:]
    /// The number of open requests for Apple's records.
    var comparing = 0
    /// Gets an answer when the next such request starts.
    var compares: NetworkMessage<Bool>?
    var chance: SeededChance
  }

  let number: Int
  let context: SimulationContext
  let database: WorldDatabase
  let nodeNotes = NodeNotes()
  private let appStore: WorldAppStore
  private let weChatPay: WorldWeChatPay
  private let state: Mutex<State>

  init(
    _ number: Int, _ context: SimulationContext, database: WorldDatabase, appStore: WorldAppStore,
    weChatPay: WorldWeChatPay
  ) {
    self.number = number
    self.context = context
    self.database = database
    self.appStore = appStore
    self.weChatPay = weChatPay
    state = Mutex(State(chance: SeededChance(seed: context.seed, purpose: "database \(number)")))
  }

  var process: SimulatedProcess? { state.withLock { $0.running?.process } }
  private var name: String { "server \(number)" }

  /// Whether it runs with the newest configuration.
  var isCurrent: Bool { state.withLock { $0.running?.catalogs } == context.catalog.versions.count }

  /// Starts a process with a new database connection, engine and HTTP server; the database keeps its rows.
  ///
  /// - Parameters:
  ///   - apple: the App Store; the server trusts its root certificate and gets its API key.
  ///   - platform: WeChat Pay's public key and its identifier.
  func start(trusting apple: SimulatedAppStore, _ platform: (identifier: String, key: RSAPublicKey)) async throws {
    let catalogs = context.catalog.versions.count
    // Existing purchases stay valid, whatever the configuration has dropped.
    let configured = try apps(apple, platform)
    let directory = AppDirectory(configured)
    let apps = try await auditor.read { try directory.goingOn(over: $0) }
    // Another task may have started it meanwhile: there is one process of each number.
    state.withLock { $0.running }?.process.kill()
    let process = context.process(name)
    let dependencies = process.dependencies(skew: nodeNotes.nextSkew(of: self))
    let log: Log = { [context, name] event in
      if event.name == "invariant.broken" {
        context.events.reportViolation("\(name) broke a rule of money: \(event.fields.first?.value ?? "")")
      }
    }
    let database = try await connect(process, dependencies)
    // To join others takes time, in which another task may have started it.
    state.withLock { $0.running }?.process.kill()
    let backend = context.exchange(from: .server, to: .backend)
    let engine = PaymentEngine(
      configured, apps: apps, database: context.substitutions.database(database),
      verifier: try apple.verifier(asApple: context.plan.sandbox.home == .production),
      dependencies: dependencies,
      exchanges: Exchanges(outside: backend, anywhere: stores),
      secret: WorldShop.installationSecret, limits: context.engineLimits, log: log)
    var keys = [WorldShop.tokenKey: try UserTokenKey(app: WorldShop.id, method: .hs256(WorldShop.tokenSecret))]
    if directory[OtherShop.id] != nil || context.plan.crowd.otherPurchases == 0 {
      keys[OtherShop.tokenKey] = try UserTokenKey(app: OtherShop.id, method: .hs256(WorldShop.tokenSecret))
    }
    let settings = ServerSettings(
      userTokenKeys: keys, isSimulated: context.plan.sandbox.home == .simulated, version: "world")
    let shared = dependencies.keepingTime(of: database)
    let server = PaymentServer(engine: engine, settings: settings, dependencies: shared, log: log)
    let console = Console(
      engine: engine,
      settings: ConsoleSettings(
        origin: WorldShop.serverURL, isSimulated: true, version: "world",
        approvals: ApprovalRules(refundMinorUnits: OperatorPresses.refundMax)),
      requests: server.requests, dependencies: shared, log: log)
    state.withLock { state in
      state.running = Running(process: process, server: server, console: console, engine: engine, catalogs: catalogs)
      state.points = [:]
      state.comparing = 0
    }
    process.whenKilled { [weak self] in self?.wasKilled() }
    process.spawn { await engine.run() }
  }

  private func apps(
    _ apple: SimulatedAppStore, _ platform: (identifier: String, key: RSAPublicKey)
  ) throws -> [AppSettings] {
    var app = WorldShop.app(context.plan.aftermath, selling: context.catalog.present)
    if context.plan.bookkeeping.credits > 0 { app.policy.credits = [BookkeepingPlan.ceiling] }
    app.policy.events = context.plan.bookkeeping.tellsEvents
    app.policy.referenceFromApp = context.plan.bookkeeping.merges > 0
    if context.plan.apple.hasKey {
      app.appStore?.server = try apple.access(of: WorldShop.bundleId, at: AppStoreServerHost(WorldShop.appleURL))
    }
    app.weChatPay = try WorldShop.weChatPay(platform, context.plan.weChat)
    let other = context.plan.crowd.otherPurchases > 0 ? OtherShop.app(standing: context.catalog.other) : nil
    return [app, other].compactMap(\.self).map { context.plan.sandbox.settings($0) }
  }

  /// Makes the running process take over the newest configuration.
  ///
  /// - Returns: its answer; nil if the process was not running, or was killed meanwhile. Restart the process unless
  ///   the answer says that it took over everything without a restart.
  func reload(trusting apple: SimulatedAppStore, _ platform: (identifier: String, key: RSAPublicKey)) async throws
    -> ReloadOutcome?
  {
    guard let running = state.withLock({ $0.running }) else { return nil }
    let catalogs = context.catalog.versions.count
    let configured = AppDirectory(try apps(apple, platform))
    let letter = NetworkMessage<ReloadOutcome?>()
    running.process.spawn { letter.answer(try? await running.engine.reload(configured)) }
    guard let outcome = await context.wait(for: letter, atMost: .seconds(30)) ?? nil, !running.process.isDead else {
      return nil
    }
    guard outcome == .taken(needRestart: []) else { return outcome }
    state.withLock { if $0.running?.process === running.process { $0.running?.catalogs = catalogs } }
    return outcome
  }

  private var stores: HTTPExchange {
    let (apple, weChatPay) = (appStore.exchange, context.substitutions.weChatPay(weChatPay.exchange))
    return HTTPExchange { [weak self] request, limit throws(HTTPExchangeError) in
      guard SimulationContext.path(of: request.target).hasPrefix("/app-store/") else {
        return try await weChatPay.send(request, limit)
      }
      let isComparing = request.target.contains("/history")
      if isComparing { self?.noteComparison(begins: true) }
      defer { if isComparing { self?.noteComparison(begins: false) } }
      return try await apple.send(request, limit)
    }
  }

  private func noteComparison(begins: Bool) {
    let letter = state.withLock { state -> NetworkMessage<Bool>? in
      state.comparing += begins ? 1 : -1
      defer { if begins { state.compares = nil } }
      return begins ? state.compares : nil
    }
    letter?.answer(true)
  }

  /// Waits until it requests Apple's records, at most for this time span.
  func comparison(within span: TimeSpan) async {
    let letter = NetworkMessage<Bool>()
    state.withLock { $0.compares = letter }
    _ = await context.wait(for: letter, atMost: span)
  }

  private func wasKilled() {
    let (points, isComparing) = state.withLock { state in
      state.running = nil
      return (state.points, state.comparing > 0)
    }
    if isComparing { context.events.mark(.serverKilledWhileComparing) }
    let isOpen = points[.beforeRun, default: 0] + points[.betweenRuns, default: 0] > 0
    let isUnheard = points[.afterCommit, default: 0] > 0
    context.events.record(
      name,
      "is killed" + (isOpen ? " with a transaction open" : "") + (isUnheard ? " after an unheard commit" : "")
        + (isComparing ? " while it compares" : ""))
    if isOpen { context.events.mark(.serverKilledBeforeCommit) }
    if isUnheard { context.events.mark(.serverKilledAfterCommit) }
  }

  func attendance(_ request: HTTPRequest, from peer: String) -> NetworkEndpoint<HTTPResponse>? {
    guard let running = state.withLock({ $0.running }) else { return nil }
    let (events, name, context) = (context.events, name, context)
    return NetworkEndpoint(process: running.process) { [weak self] in
      let asked = context.world.now
      let response = await running.server.respond(to: request, from: peer)
      self?.judge(response, to: request, asked: asked)
      context.limits.note(response, to: request, in: events)
      if response.status == 500 {
        events.reportViolation("\(name) answered 500: \(String(decoding: response.body, as: UTF8.self))")
      }
      return response
    }
  }

  /// The same for a request of an operator's browser.
  func consoleAttendance(_ request: HTTPRequest) -> NetworkEndpoint<HTTPResponse>? {
    guard let running = state.withLock({ $0.running }) else { return nil }
    let (events, name) = (context.events, name)
    return NetworkEndpoint(process: running.process) {
      let response = await running.console.respond(to: request, from: "192.0.2.2")
      if response.status == 500 { events.reportViolation("\(name) answered 500 to \(request.target)") }
      return response
    }
  }

  // MARK: its database

  private var auditor: any PaymentDatabase {
    let world = context.world
    return database.connect(now: { world.now })
  }

  private func connect(_ process: SimulatedProcess, _ dependencies: Dependencies) async throws -> any PaymentDatabase {
    let world = context.world
    let faults = DatabaseFaults(
      transaction: { [weak self] in self?.drawFault() ?? .none },
      read: { [weak self] in self?.drawReadFault() }, isDiskFull: { [weak self] in self?.isDiskFull() ?? false })
    let pause: @Sendable (DatabasePausePoint) async -> Void = { [weak self] point in
      await self?.pause(at: point, dependencies)
    }
    guard case .nodes(let cluster) = database, cluster.single == nil else {
      return database.connect(now: { world.now }, faults: faults, pause: pause)
    }
    return try await ModelledNode.join(
      cluster,
      as: ModelledNode.Member(
        place: number, process: process, dependencies: dependencies, faults: faults, pause: pause,
        leasedWork: { [nodeNotes] in nodeNotes.noteLeasedWork() }))
  }

  private func isDiskFull() -> Bool {
    guard !context.isHealed, context.plan.database.full.contains(context.world.now - SimulatedWorld.beginning) else {
      return false
    }
    context.events.mark(.diskFull)
    return true
  }

  private func drawFault() -> DatabaseFault {
    // SQLite detects the full disk itself.
    if context.plan.database.kind.isInMemory, isDiskFull() { return .refused(.full) }
    let faults = context.faults
    let fault = state.withLock { state -> DatabaseFault in
      if state.chance.happens(perMille: faults.storeConflict) { return .conflict }
      if state.chance.happens(perMille: faults.storeBusy) { return .refused(.contended) }
      if state.chance.happens(perMille: faults.commitUnknown) {
        return state.chance.happens(perMille: 500) ? .outcomeUnknownButCommitted : .outcomeUnknownAndNotCommitted
      }
      return .none
    }
    switch fault {
    case .none: break
    case .conflict: context.events.mark(.storeConflict)
    case .refused: context.events.mark(.storeBusy)
    case .outcomeUnknownButCommitted: context.events.mark(.commitUnknownButWritten)
    case .outcomeUnknownAndNotCommitted: context.events.mark(.commitUnknownNotWritten)
    }
    return fault
  }

  private func drawReadFault() -> DatabaseErrorCode? {
    let faults = context.faults
    return state.withLock { $0.chance.happens(perMille: faults.readRefused) ? .unavailable : nil }
  }

  private func pause(at point: DatabasePausePoint, _ dependencies: Dependencies) async {
    let span = state.withLock { state in
      state.points[point, default: 0] += 1
      return TimeSpan.milliseconds(Int64(state.chance.number(below: 4)))
    }
    try? await dependencies.sleep(span)
    state.withLock { $0.points[point, default: 0] -= 1 }
  }
}
