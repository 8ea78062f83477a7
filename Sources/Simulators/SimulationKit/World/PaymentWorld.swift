import AppStoreSimulator
import PaymentDatabase
import PaymentPrimitives
import SimulatorCore
import WeChatPaySimulator

/// A whole world from one number: shoppers with the real client library, the real server and engine over a database
/// that fails, the real simulated App Store and WeChat Pay, a backend that books deliveries, a bad network between all
/// of them, and kills.
///
/// Everything comes from the seed: people, products, faults and their strengths, kills, delays, and the order in which
/// jobs run. So a seed that fails gives the same events again, to the last step:
///
///     counterfoil-lab simulate --seed 4711 --explain
///
/// prints it. In a test `PaymentWorld.run(seed: 4711, keepsTrace: true)` gives the same lines. Set a breakpoint in
/// `EventTrace.reportViolation`, or look at `steps` and halve the interval. If two runs of one seed differ in `trace`,
/// something outside decides an order (a dictionary, a thread): fix that first.
///
/// After some twenty minutes in which anything may fail everything heals; people open their apps once more; eight days
/// go by; they look in again; then the oracle compares the store's charges with grants, bookings, vaults and queues.
package enum PaymentWorld {
  /// Runs a world to its end.
  ///
  /// - Parameters:
  ///   - substitutions: the parts that a test replaces; default: none.
  ///   - keepsStory: whether the report contains the trace lines.
  package static func run(
    seed: UInt64, substitutions: Substitutions = Substitutions(), keepsTrace: Bool = false
  ) -> WorldReport {
    let context = SimulationContext(seed: seed, substitutions: substitutions, keepsLines: keepsTrace)
    var report = WorldReport(seed: seed)
    do {
      let life = try WorldLife(context)
      let charges = try context.world.perform(in: context.director) { try await life.live() }
      report.charges = charges
    } catch is SimulatedWorld.Stuck {
      context.events.reportViolation("the world stands still before its end")
    } catch {
      context.events.reportViolation("the world broke off: \(error)")
    }
    let escaped = context.world.escapedJobs
    if escaped > 0 { context.events.reportViolation("\(escaped) jobs left the world") }
    report.problems = context.events.problems
    report.events = context.events.lines
    report.marks = context.events.marks
    report.steps = context.world.steps
    report.trace = context.world.trace
    context.end()
    return report
  }
}

package struct WorldReport: Hashable, Sendable {
  package let seed: UInt64
  /// Violated rules; empty if the world passed.
  package var problems: [String] = []
  /// How often each coverage mark was reached.
  package var marks: [CoverageMark: Int] = [:]
  /// The trace, if it was requested.
  package var events: [EventTraceLine] = []
  package var charges = 0
  package var steps = 0
  /// A hash of all events; the same seed gives the same hash.
  package var trace: UInt64 = 0

  init(seed: UInt64) { self.seed = seed }
}

/// The parts of one world, and its course of events.
struct WorldLife: Sendable {
  private let context: SimulationContext
  private let database: WorldDatabase
  private let appStore: WorldAppStore
  private let weChatPay: WorldWeChatPay
  private let backend: WorldBackend
  private let servers: [WorldServer]
  private let phones: [WorldPhone]
  private let director: Workload
  /// What happens to the nodes over the modelled PostgreSQL.
  private let nodeFaults: NodeFaults?

  /// - Throws: `CodedError<DatabaseErrorCode>`.
  init(_ context: SimulationContext) throws {
    self.context = context
    let database = try WorldDatabase(of: context)
    self.database = database
    let appStore = WorldAppStore(context)
    self.appStore = appStore
    let weChatPay = WorldWeChatPay(context)
    self.weChatPay = weChatPay
    backend = WorldBackend(context)
    servers = (0..<context.plan.servers).map {
      WorldServer($0, context, database: database, appStore: appStore, weChatPay: weChatPay)
    }
    let plans = context.plan.phones
    let apples = plans.enumerated().filter { !$0.element.isAndroid }
    let settings = apples.map { context.handsetSetting(of: $0.offset, $0.element, appStore) }
    var handsets = context.substitutions.handsets(settings)
    precondition(handsets.count == apples.count, "a world needs a handset for each of its phones")
    handsets += plans.indices.dropFirst(apples.count).map { AndroidHandset($0, context) }
    let all = handsets
    phones = plans.indices.map {
      WorldPhone($0, plans[$0], context: context, handset: all[$0], database: database, weChatPay: weChatPay)
    }
    director = Workload(
      context: context, appStore: appStore, weChatPay: weChatPay, servers: servers, backend: backend, phones: phones,
      database: database)
    nodeFaults = NodeFaults(of: context, over: database, servers, director.restarts)
  }

  /// Runs the world from its start to the oracle's judgement.
  ///
  /// - Returns: the number of charges that the App Store made.
  func live() async throws -> Int {
    if servers.count > 1 { context.events.mark(.twoServers) }
    if case .sqlite = context.plan.database.kind { context.events.mark(.onSQLite) }
    if context.accounts.count < phones.count(where: { !$0.plan.isAndroid }) { context.events.mark(.accountShared) }
    openDoors()
    await appStore.start()
    backend.start()
    await weChatPay.start()
    await database.insertKeys(of: context)
    for server in servers { try await director.restarts.restart(server) }
    try await turnBehaviours(on: true)
    try await director.subscribers.shortenMonths(true)
    try await runFaults()
    context.heal()
    try await nodeFaults?.end()
    for phone in phones { phone.handset.heal() }
    try await turnBehaviours(on: false)
    if context.plan.apple.comparison != nil || nodeFaults != nil { try await director.restarts.deploy() }
    try await director.debits.settle()
    try await director.credits.settle()
    try await director.merges.settle()
    try await director.limits.settle()
    try await director.promotions.settle()
    try await director.operators.settle()
    try await director.complaints.settle()
    try await director.subscribers.runLate()
    try await visits()
    try await director.claims.run(refunds: true)
    // The App Store still has scheduled work, retries after an hour, and comparisons with its records. Then the world
    // sleeps for the week in which open orders expire.
    try await context.sleep(max(quiet, context.lastAppointment + quiet - context.world.now))
    appStore.sleep()
    // WeChat Pay repeats its notifications for a day, and its bill is available on the next morning.
    try await context.sleep(.hours(30))
    weChatPay.sleep()
    try await context.sleep(.hours(8 * 24 - 30))
    await appStore.start()
    await weChatPay.start()
    try await visits(restoring: context.plan.aftermath.restores > 0)
    try await director.claims.run(refunds: false)
    try await director.otherShop.resubmit()
    try await director.sandbox.resubmit()
    try await context.sleep(quiet)
    try await director.erasures.run()
    return try await judge()
  }

  private func runFaults() async throws {
    guard let nodeFaults else { return try await director.run() }
    let director = director
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await director.run() }
      group.addTask { try await nodeFaults.run() }
      try await group.waitForAll()
    }
  }

  /// Long enough for every periodic task without faults: see `ApplePlan.quietComparison`.
  private var quiet: TimeSpan {
    context.plan.apple.hasKey ? .hours(5) : .hours(3)
  }

  private func openDoors() {
    let (servers, backend, seed) = (servers, backend, context.seed)
    let choice = WorldChoice(SeededChance(seed: seed, purpose: "which server"))
    context.open(.server) { request in
      let first = choice.number(below: servers.count)
      for offset in 0..<servers.count {
        let server = servers[(first + offset) % servers.count]
        if let attendance = server.attendance(request, from: "192.0.2.1") { return attendance }
      }
      return nil
    }
    let console = WorldChoice(SeededChance(seed: seed, purpose: "which console"))
    context.open(.console) { request in
      let first = console.number(below: servers.count)
      return servers.indices.lazy.compactMap { offset in
        servers[(first + offset) % servers.count].consoleAttendance(request)
      }.first
    }
    context.open(.backend) { backend.attendance($0) }
  }

  private func turnBehaviours(on: Bool) async throws {
    for planned in context.plan.behaviours {
      guard let behaviour = SimulatorBehaviour(rawValue: planned.name) else { continue }
      if on { context.events.record("App Store", "\(planned.name) = \(planned.value)") }
      try await appStore.insist { try await $0.setBehaviour(behaviour, to: on ? planned.value : 0) }
    }
    try await director.faults.setAppleFaults(on)
    try await director.faults.setWeChatPayFaults(on)
  }

  private func visits(restoring: Bool = false) async throws {
    for phone in phones where !phone.plan.isLost { try await director.sessions.visit(phone, restores: restoring) }
  }

  private func judge() async throws -> Int {
    let (sold, all, told) = try await appStore.insist { store in
      (await store.charges(), await store.transactions(), await store.notifications())
    }
    let (real, tested) = (sold.filter { !$0.transaction.isOfSandbox }, sold.filter { $0.transaction.isOfSandbox })
    let charges = real.filter { $0.transaction.owner.bundleId == WorldShop.bundleId }
    let transactions = all.filter { $0.owner.bundleId == WorldShop.bundleId && !$0.isOfSandbox }
    let notifications = told.filter { $0.facts.bundleId == WorldShop.bundleId && $0.facts.environment == .production }
    let subscriptions = try await appStore.insist { try await AppleSubscription.all(of: $0) }
    let (orders, refunds) = try await weChatPay.insist { (await $0.orders(), await $0.refunds()) }
    let world = context.world
    var records = WorldRecords(
      context: context, charges: charges, transactions: transactions, phones: phones,
      entries: backend.book.entries.map { context.merges.present($0) },
      database: database.connect(now: { world.now }))
    let paid = Dictionary(transactions.compactMap { sold in sold.repeats.map { (sold.id, $0) } }) { first, _ in first }
    records.truths = AppleTruth.truths(of: notifications, paid)
    records.subscriptions = subscriptions
    records.debits = backend.till.debits.map { context.merges.present($0) }
    records.credits = backend.gifts.debits.map { context.merges.present($0) }
    records.chargesElsewhere = real.filter { $0.transaction.owner.bundleId == OtherShop.bundleId }
    records.sandbox = SandboxFacts(
      charges: tested, transactions: all.filter(\.isOfSandbox),
      truths: AppleTruth.truths(of: told.filter { $0.facts.environment == .sandbox }, [:]),
      entries: backend.sandboxBook.entries)
    records.weChatOrders = orders
    records.weChatRefunds = refunds
    if context.plan.bookkeeping.complaints > 0 {
      records.weChatComplaints = try await weChatPay.insist { await $0.complaints() }
    }
    try await WorldOracle(records).run()
    return charges.count + orders.count { $0.paidAt != nil }
  }
}
