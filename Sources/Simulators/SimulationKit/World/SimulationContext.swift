import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import Synchronization

/// What all parts of a world share: the scheduler, the network, the trace, and whether faults are still active.
final class SimulationContext: Sendable {
  private struct State {
    var lastNumber = 0
    var processes: [SimulatedProcess] = []
    var faults: WorldPlan.Faults
    var isHealed = false
    var isOver = false
    var lastAppointment = SimulatedWorld.beginning
    var reach: [WorldPlace: @Sendable (HTTPRequest) -> NetworkEndpoint<HTTPResponse>?] = [:]
  }

  let seed: UInt64
  let world: SimulatedWorld
  let plan: WorldPlan
  let substitutions: Substitutions
  let events: EventTrace
  let network: WorldNetwork
  /// What the app sells now, and every earlier catalog.
  let catalog: WorldCatalog
  /// The sandbox purchases of testers.
  let sandboxNotes = SandboxNotes()
  let floodNotes = FloodNotes()
  /// What the servers have answered about orders.
  let orderAnswers = OrderAnswers()
  /// The users whose accounts were merged.
  let merges = WorldMerges()
  /// What the backend gave users without a payment.
  let promotions = WorldPromotions()
  /// What the backend lets users spend in a month.
  let limits = WorldLimits()
  /// What operators wrote to customers who complain.
  let complaints = WorldComplaints()
  /// What operators press in the console.
  let operators = WorldOperators()
  /// What an operator granted, and to which users.
  let operatorBook = WorldOperatorBook()
  /// The process for everything outside the simulated system: user actions, planned kills. It is never killed.
  let director: SimulatedProcess
  private let state: Mutex<State>

  /// - Parameter plan: the events of the world; default: the seed decides.
  init(seed: UInt64, substitutions: Substitutions, keepsLines: Bool, plan: WorldPlan? = nil) {
    self.seed = seed
    self.substitutions = substitutions
    world = SimulatedWorld(seed: seed)
    var plan = plan ?? WorldPlan(seed: seed, hazards: substitutions.hazards)
    if let kind = substitutions.databaseKind { plan.database.kind = kind }
    if substitutions.nodes > 0 {
      plan.servers = substitutions.nodes
      plan.database.kind = .nodes
      plan.nodes = NodePlan(seed: seed)
    }
    self.plan = plan
    events = EventTrace(world, keepsLines: keepsLines)
    catalog = WorldCatalog(
      sells: WorldShop.products + WorldShop.subscriptions, owing: plan.aftermath.debt,
      other: plan.crowd.otherBegins, at: world.now)
    director = SimulatedProcess("director", number: 1, in: world)
    let wires = SimulatedProcess("network", number: 2, in: world)
    network = WorldNetwork(plan, wires, seed: seed, events: events)
    state = Mutex(State(lastNumber: 2, processes: [director, wires], faults: plan.faults))
  }

  func process(_ name: String) -> SimulatedProcess {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let process = SimulatedProcess(name, number: number, in: world)
    state.withLock { $0.processes.append(process) }
    return process
  }

  /// The app environment in which the orders of the main app are made.
  var appEnvironment: AppEnvironment { AppEnvironment(app: WorldShop.id, environment: plan.sandbox.home) }
  var processes: [SimulatedProcess] { state.withLock { $0.processes } }
  /// The Apple accounts of all phones that have one.
  var accounts: [String] { Set(plan.phones.filter { !$0.isAndroid }.map(\.account)).sorted() }
  /// The faults that are active now.
  var faults: WorldPlan.Faults { state.withLock { $0.faults } }
  /// Whether no fault is active any more.
  var isHealed: Bool { state.withLock { $0.isHealed } }
  /// Whether the oracle has finished: later events are ignored.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Registers an event that is due at that moment, long after all faults have ended.
  func note(appointment moment: Timestamp) {
    state.withLock { $0.lastAppointment = max($0.lastAppointment, moment) }
  }

  var lastAppointment: Timestamp { state.withLock { $0.lastAppointment } }

  func heal() {
    network.heal()
    state.withLock { state in
      state.isHealed = true
      state.faults = WorldPlan.Faults()
    }
    events.record("world", "everything heals")
  }

  func end() {
    state.withLock { state in
      state.isOver = true
      state.reach = [:]
    }
    world.end(processes)
  }

  /// The world continues for days without events: longer intervals only reduce the number of steps.
  var engineLimits: EngineLimits {
    var limits = EngineLimits()
    limits.expiryInterval = .hours(6)
    limits.deliveryIdle = .hours(1)
    limits.watchInterval = .hours(1)
    limits.storeQuestionIdle = .hours(1)
    let comparison = isHealed ? nil : plan.apple.comparison
    limits.reconciliationInterval = comparison ?? ApplePlan.quietComparison
    if comparison == nil { limits.reconciliationDelay = ApplePlan.quietComparison }
    limits.reconciliationDays = 2
    // Nobody looks at charts there.
    limits.totalsInterval = nil
    return limits
  }

  // MARK: the director process

  func sleep(_ span: TimeSpan) async throws { try await director.dependencies().sleep(span) }

  /// Waits for an answer that may never come because its process was killed.
  func wait<Answer: Sendable>(for letter: NetworkMessage<Answer>, atMost span: TimeSpan) async -> Answer? {
    let first = NetworkMessage<Answer?>()
    director.spawn { first.answer(await letter.wait()) }
    director.spawn { [self] in
      try? await sleep(span)
      first.answer(nil)
    }
    return await first.wait() ?? nil
  }

  // MARK: HTTP between the places

  /// Registers the handler for requests to a place.
  func open(
    _ place: WorldPlace, _ attend: @escaping @Sendable (HTTPRequest) -> NetworkEndpoint<HTTPResponse>?
  ) {
    state.withLock { $0.reach[place] = attend }
  }

  func exchange(from: WorldPlace, to: WorldPlace) -> HTTPExchange {
    HTTPExchange { [weak self] request, limit throws(HTTPExchangeError) in
      guard let self, let attend = state.withLock({ $0.reach[to] }) else { throw .unreachable("the world is over") }
      var arriving = request
      arriving.target = Self.path(of: request.target)
      let sent = arriving
      return try await network.carry(
        "\(sent.method) \(sent.target.prefix { $0 != "?" })", from: from, to: to, limit: limit, mayRepeat: true
      ) { attend(sent) }
    }
  }

  /// The request target that a server sees for an absolute URL.
  static func path(of target: String) -> String {
    guard let host = target.range(of: "://")?.upperBound else { return target }
    return target[host...].firstIndex(of: "/").map { String(target[$0...]) } ?? "/"
  }
}

extension String {
  /// The position of a text in this string, compared by bytes.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
