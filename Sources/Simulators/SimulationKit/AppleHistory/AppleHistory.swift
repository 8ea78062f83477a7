import AppStoreSimulator
package import PaymentPrimitives

/// Months of purchases at the App Store of which the server heard too little, and the comparison with Apple's own
/// records that makes up for it, killed again and again.
///
/// Customers buy for five months. Phones tell of their first purchases and of some of the later ones; no notification
/// ever arrives: none was sent at first, those of the last weeks got lost. Then the shop is given a key for Apple's
/// servers. In the end each charge must be granted once, or stand there with a reason, and Apple must never have been
/// asked more often than it allows.
package struct AppleHistory: Sendable {
  package struct Report: Sendable {
    package var transactions = 0
    package var customers = 0
    /// Charges that the server did not know when the comparison began.
    package var missed = 0
    /// Those of them that it knows now.
    package var found = 0
    /// Those of them that are granted, or taken back as they were refunded.
    package var healed = 0
    /// Those of them that have no order of ours, and wait for their owner.
    package var waiting = 0
    /// Refunds that the server did not know of, and knows now.
    package var refundsFound = 0
    /// What was asked of Apple, by endpoint.
    package var calls: [AppleCallMeter.Count] = []
    /// Answers that it was asked too often.
    package var tooOften = 0
    /// How often the server was killed while it compared.
    package var kills = 0
    /// How long it took from the first comparison until everything was read and told, on the world's clock.
    package var span = TimeSpan.zero
    package var steps = 0
    /// What broke the promise, in sentences.
    package var problems: [String] = []
  }

  private let transactions: Int
  private let seed: UInt64

  /// A history of so many charges.
  package init(transactions: Int, seed: UInt64) {
    self.transactions = transactions
    self.seed = seed
  }

  /// Lets the months pass, then compares until nothing is left to be read.
  ///
  /// - Parameter progress: is told what is under way.
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
    try compare(shop, people, &report, progress)
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

  /// Pages of twenty are the least that must be asked for: by their number a comparison takes so long.
  private var comparisonMilliseconds: Int { max(4_000, transactions / 20 * 2 * 1000 / 25) }
  /// Kills: enough to fall into every part of a comparison.
  private var killsPlanned: Int { min(25, max(5, transactions / 2_000)) }
  private static let longest = TimeSpan.days(12)

  private func compare(
    _ shop: AppleHistoryShop, _ people: SimulatedProcess, _ report: inout Report,
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
    try shop.world.perform(in: people) { try await shop.appStore.forgetAPIFaults() }
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
