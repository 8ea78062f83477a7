import AppStoreSimulator
import PaymentDatabase
import PaymentPrimitives
import WeChatPaySimulator

/// A whole world from one number: shoppers with the real client library, the real server and engine over a database
/// that fails, the real simulated App Store and WeChat Pay, a backend that books deliveries, a bad network between all
/// of them, and kills.
///
/// Everything comes from the seed: people, products, faults and their strengths, kills, delays, and the order in which
/// jobs run. So a seed that fails is a story that can be told again, to the last step:
///
///     counterfoil-lab simulate --seed 4711 --explain
///
/// prints it. In a test `PaymentWorld.run(seed: 4711, keepsStory: true)` gives the same lines; set a breakpoint in
/// `EventTrace.complain`, or look at `steps` and halve the way. A run whose `trace` differs from the last one of the
/// same seed has an order from outside in it (a dictionary's, a thread's): mend that first.
///
/// After some twenty minutes in which anything may fail everything heals; people open their apps once more; eight days
/// go by; they look in again; then the oracle compares the store's charges with grants, bookings, vaults and queues.
package enum PaymentWorld {
  /// Runs a world to its end.
  ///
  /// - Parameters:
  ///   - seams: the parts that a test replaces; default: none.
  ///   - keepsStory: whether the report contains the trace lines.
  package static func run(
    seed: UInt64, seams: Substitutions = Substitutions(), keepsStory: Bool = false
  ) -> WorldReport {
    let stage = SimulationContext(seed: seed, seams: seams, keepsLines: keepsStory)
    var report = WorldReport(seed: seed)
    do {
      let life = try WorldLife(stage)
      let charges = try stage.world.perform(in: stage.director) { try await life.live() }
      report.charges = charges
    } catch is SimulatedWorld.Stuck {
      stage.story.complain("the world stands still before its end")
    } catch {
      stage.story.complain("the world broke off: \(error)")
    }
    let escaped = stage.world.escapedJobs
    if escaped > 0 { stage.story.complain("\(escaped) jobs left the world") }
    report.problems = stage.story.problems
    report.story = stage.story.lines
    report.sights = stage.story.sights
    report.steps = stage.world.steps
    report.trace = stage.world.trace
    stage.end()
    return report
  }
}

package struct WorldReport: Hashable, Sendable {
  package let seed: UInt64
  /// Violated rules; empty if the world passed.
  package var problems: [String] = []
  /// How often each coverage mark was reached.
  package var sights: [CoverageMark: Int] = [:]
  /// The trace, if it was requested.
  package var story: [EventTraceLine] = []
  package var charges = 0
  package var steps = 0
  /// A hash of all events; the same seed gives the same hash.
  package var trace: UInt64 = 0

  init(seed: UInt64) { self.seed = seed }
}

/// The parts of one world, and its course of events.
struct WorldLife: Sendable {
  private let stage: SimulationContext
  private let database: WorldDatabase
  private let appStore: WorldAppStore
  private let weChatPay: WorldWeChatPay
  private let backend: WorldBackend
  private let servers: [WorldServer]
  private let phones: [WorldPhone]
  private let director: Workload

  /// - Throws: `CodedError<DatabaseErrorCode>`.
  init(_ stage: SimulationContext) throws {
    self.stage = stage
    let database = try WorldDatabase(stage.plan.database.kind)
    self.database = database
    let appStore = WorldAppStore(stage)
    self.appStore = appStore
    let weChatPay = WorldWeChatPay(stage)
    self.weChatPay = weChatPay
    backend = WorldBackend(stage)
    servers = (0..<stage.plan.servers).map { WorldServer($0, stage, database, appStore, weChatPay) }
    let plans = stage.plan.phones
    let apples = plans.enumerated().filter { !$0.element.isAndroid }
    let settings = apples.map { stage.handsetSetting(of: $0.offset, $0.element, appStore) }
    var handsets = stage.seams.handsets(settings)
    precondition(handsets.count == apples.count, "a world needs a handset for each of its phones")
    handsets += plans.indices.dropFirst(apples.count).map { AndroidHandset($0, stage) }
    let all = handsets
    phones = plans.indices.map { WorldPhone($0, plans[$0], stage, all[$0], database, weChatPay) }
    director = Workload(
      stage: stage, appStore: appStore, weChatPay: weChatPay, servers: servers, backend: backend, phones: phones)
  }

  /// Runs the world from its start to the oracle's judgement.
  ///
  /// - Returns: the number of charges that the App Store made.
  func live() async throws -> Int {
    if servers.count > 1 { stage.story.see(.twoServers) }
    if case .sqlite = stage.plan.database.kind { stage.story.see(.onSQLite) }
    if stage.accounts.count < phones.count(where: { !$0.plan.isAndroid }) { stage.story.see(.accountShared) }
    openDoors()
    await appStore.start()
    backend.start()
    await weChatPay.start()
    try await director.registerBackend(in: database)
    for server in servers { try await director.restart(server) }
    try await turnKnobs(on: true)
    try await director.hurry(true)
    try await director.chaos()
    stage.heal()
    for phone in phones { phone.handset.heal() }
    try await turnKnobs(on: false)
    if stage.plan.apple.comparison != nil { try await director.deploy() }
    try await director.settleSpending()
    try await director.endHurry()
    try await visits()
    try await director.claimBoughtAgain(refunds: true)
    // The App Store still has scheduled work, retries after an hour, and comparisons with its records. Then the world
    // sleeps for the week in which open orders expire.
    try await stage.sleep(max(quiet, stage.lastAppointment + quiet - stage.world.now))
    appStore.sleep()
    // WeChat Pay repeats its notifications for a day, and its bill is available on the next morning.
    try await stage.sleep(.hours(30))
    weChatPay.sleep()
    try await stage.sleep(.hours(8 * 24 - 30))
    await appStore.start()
    await weChatPay.start()
    try await visits(restoring: stage.plan.aftermath.restores > 0)
    try await director.claimBoughtAgain(refunds: false)
    try await director.endSaleElsewhere()
    try await director.endSandbox()
    try await stage.sleep(quiet)
    return try await judge()
  }

  /// Long enough for every periodic task without faults: see `ApplePlan.quietComparison`.
  private var quiet: TimeSpan {
    stage.plan.apple.hasKey ? .hours(5) : .hours(3)
  }

  private func openDoors() {
    let (servers, backend, seed) = (servers, backend, stage.seed)
    let choice = WorldChoice(SeededChance(seed: seed, purpose: "which server"))
    stage.open(.server) { request in
      let first = choice.number(below: servers.count)
      for offset in 0..<servers.count {
        let server = servers[(first + offset) % servers.count]
        if let attendance = server.attendance(request, from: "192.0.2.1") { return attendance }
      }
      return nil
    }
    stage.open(.backend) { backend.attendance($0) }
  }

  private func turnKnobs(on: Bool) async throws {
    for planned in stage.plan.knobs {
      guard let knob = SimulatorKnob(rawValue: planned.name) else { continue }
      if on { stage.story.tell("App Store", "\(planned.name) = \(planned.value)") }
      try await appStore.insist { try await $0.setKnob(knob, to: on ? planned.value : 0) }
    }
    try await director.spoilAppleServers(on)
    try await director.spoilWeChatPay(on)
  }

  private func visits(restoring: Bool = false) async throws {
    for phone in phones where !phone.plan.isLost { try await director.visit(phone, restores: restoring) }
  }

  private func judge() async throws -> Int {
    let (sold, all, told) = try await appStore.insist { store in
      (await store.charges(), await store.transactions(), await store.notifications())
    }
    let (real, tested) = (sold.filter { !$0.transaction.isOfSandbox }, sold.filter { $0.transaction.isOfSandbox })
    let charges = real.filter { $0.transaction.owner.bundleId == WorldShop.bundleId }
    let transactions = all.filter { $0.owner.bundleId == WorldShop.bundleId && !$0.isOfSandbox }
    let notifications = told.filter { $0.facts.bundleId == WorldShop.bundleId && $0.facts.environment == .production }
    let lines = try await appStore.insist { try await AppleLine.all(of: $0) }
    let (orders, refunds) = try await weChatPay.insist { (await $0.orders(), await $0.refunds()) }
    let world = stage.world
    var oracle = WorldOracle(
      stage: stage, charges: charges, transactions: transactions, phones: phones, entries: backend.book.entries,
      store: database.store(now: { world.now }))
    let paid = Dictionary(transactions.compactMap { sold in sold.repeats.map { (sold.id, $0) } }) { first, _ in first }
    oracle.truths = AppleTruth.truths(of: notifications, paid)
    oracle.lines = lines
    oracle.debits = backend.till.debits
    oracle.chargesElsewhere = real.filter { $0.transaction.owner.bundleId == OtherShop.bundleId }
    oracle.sandbox = SandboxFacts(
      charges: tested, transactions: all.filter(\.isOfSandbox),
      truths: AppleTruth.truths(of: told.filter { $0.facts.environment == .sandbox }, [:]),
      entries: backend.sandboxBook.entries)
    oracle.weChatOrders = orders
    oracle.weChatRefunds = refunds
    try await oracle.judge()
    return charges.count + orders.count { $0.paidAt != nil }
  }
}
