import AppStoreSimulator
package import PaymentPrimitives

/// Months of App Store purchases of which the server learned too little, and the comparison with Apple's records that
/// completes them. The server is killed again and again meanwhile.
///
/// Customers buy for five months. Phones submit their first purchases and some of the later ones. No notification ever
/// arrives: at first none was sent, and those of the last weeks were lost. Then the app gets a key for Apple's
/// servers. At the end each charge must be granted once, or wait for a known reason. Apple must never have been asked
/// more often than it allows.
package struct AppleHistory: Sendable {
  package struct Report: Sendable {
    package var transactions = 0
    package var customers = 0
    /// Charges that the server did not know when the comparison began.
    package var missed = 0
    /// Those of them that the server knows now.
    package var found = 0
    /// Those of them that are granted, or reversed because of their refund.
    package var healed = 0
    /// Those of them that have no order here, and wait for their owner.
    package var waiting = 0
    /// Refunds that the server did not know at first, and knows now.
    package var refundsFound = 0
    /// The calls to Apple, by endpoint.
    package var calls: [AppleCallMeter.Count] = []
    /// Answers in which Apple reported too many calls.
    package var tooOften = 0
    /// How often the server was killed during the comparison.
    package var kills = 0
    /// Time from the first comparison until everything was read and reported, on the world's clock.
    package var span = TimeSpan.zero
    package var steps = 0
    /// Violated rules, as sentences.
    package var problems: [String] = []
  }

  private let transactions: Int
  private let seed: UInt64

  /// A history of this many charges.
  package init(transactions: Int, seed: UInt64) {
    self.transactions = transactions
    self.seed = seed
  }

  /// Runs the months, then compares until nothing is left to read.
  ///
  /// - Parameter progress: gets a description of the current phase.
  package func run(progress: @escaping @Sendable (String) -> Void = { _ in }) throws -> Report {
    let world = SimulatedWorld(seed: seed)
    let people = SimulatedProcess("people", number: 1, in: world)
    let shop = try AppleHistoryShop(world, people)
    progress("people buy")
    let past = AppleHistoryPast(shop, transactions: transactions, seed: seed)
    try world.perform(in: people) { try await past.happen() }
    let judge = AppleHistoryJudge(shop)
    var report = Report()
    let missed = try world.perform(in: people) { try await judge.missed() }
    report.missed = missed.count
    let start = world.now
    try compare(shop, people, report: &report, progress)
    report.span = world.now - start
    progress("the oracle looks")
    let before = report
    report = try world.perform(in: people) { try await judge.report(before, missed) }
    report.calls = shop.meter.counts
    report.tooOften = shop.meter.tooOften
    judge.judgeRates(&report)
    report.steps = world.steps
    if world.escapedJobs > 0 { report.problems.append("\(world.escapedJobs) jobs left the world") }
    return report
  }

  /// The estimated duration of a comparison, in milliseconds. It must request at least one page per twenty
  /// transactions.
  private var comparisonMilliseconds: Int { max(4_000, transactions / 20 * 2 * 1000 / 25) }
  /// The number of kills: enough to hit every part of a comparison.
  private var killsPlanned: Int { min(25, max(5, transactions / 2_000)) }
  private static let longest = TimeSpan.days(12)

  private func compare(
    _ shop: AppleHistoryShop, _ people: SimulatedProcess, report: inout Report,
    _ progress: (String) -> Void
  ) throws {
    var chance = SeededChance(seed: seed, purpose: "kills")
    let end = shop.world.now + Self.longest
    for number in 1...killsPlanned {
      progress("comparison \(number), to be killed")
      try shop.world.perform(in: people) { try await shop.planFaults(number, seed: seed) }
      let server = try shop.start()
      shop.world.run(for: shop.comparisonInterval)
      shop.world.run(for: .milliseconds(Int64(chance.number(below: comparisonMilliseconds))))
      server.kill(atStep: server.steps + 1 + chance.number(below: 60))
      shop.world.run(for: .seconds(1))
      if shop.meter.isBusy(at: shop.world.now) { report.kills += 1 }
      server.kill()
    }
    try shop.world.perform(in: people) { try await shop.appStore.apiSettings.forgetFaults() }
    _ = try shop.start()
    repeat {
      progress("everything else is read")
      shop.world.run(for: .hours(1))
      if shop.world.now > end {
        report.problems.append("after \(Self.longest.milliseconds / 86_400_000) days it is not read to its end")
        return
      }
    } while try !shop.world.perform(in: people) { try await shop.isAllRead() }
  }
}
