import SimulationKit
import TestTier
import Testing

/// The worlds of some seeds, perhaps without one kind of fault.
private func run(_ seeds: ArraySlice<UInt64>, without hazard: WorldHazard? = nil) async -> [WorldReport] {
  var substitutions = Substitutions()
  if let hazard { substitutions.hazards.remove(hazard) }
  let (changed, seeds) = (substitutions, Array(seeds))
  return await runWorlds(1...UInt64(seeds.count)) { number in
    PaymentWorld.run(seed: seeds[Int(number) - 1], substitutions: changed)
  }
}

private func record(_ reports: [WorldReport]) {
  for report in reports where !report.problems.isEmpty {
    Issue.record(
      "\(report.problems.joined(separator: "\n"))\nagain: counterfoil-lab simulate --seed \(report.seed) --explain")
  }
}

/// Limits of what users may spend in a month, beside merges of these users.
@Suite struct `A world with spending limits` {
  /// Of the first 500 seeds those whose plans limit and merge users.
  private static let seeds: [UInt64] = [
    7, 36, 56, 66, 80, 82, 164, 166, 200, 217, 224, 310, 340, 341, 374, 380, 386, 395, 397, 416, 458, 489, 500,
  ]

  @Test func `refuses no order for a limit if nobody sets one`() async {
    let reports = await run(Self.seeds.prefix(2), without: .limits)
    #expect(reports.flatMap(\.problems) == [])
    #expect(reports.allSatisfy { $0.marks[.limitSet] == nil && $0.marks[.limitReached] == nil })
  }

  @Test func `lets no order pass what its user has left, whoever was merged and whatever is killed`() async {
    let reports = await run(Self.seeds.prefix(Tier.among(test: 4, check: 10, night: Self.seeds.count)))
    record(reports)
    #expect(reports.contains { $0.marks[.limitSet] != nil }, "no world shows it: look for other seeds")
    #expect(reports.contains { $0.marks[.limitReached] != nil }, "no world shows it: look for other seeds")
  }
}

/// Customers who complain at WeChat Pay.
@Suite struct `A world with complaints` {
  /// Of the first 300 seeds those whose plans let two customers or more complain; then some with merges.
  private static let seeds: [UInt64] = [
    11, 12, 22, 27, 33, 47, 53, 60, 67, 68, 69, 74, 78, 104, 105, 106, 114, 124, 131, 132, 136, 150, 158, 162, 159, 200,
    210, 245, 248, 257,
  ]

  @Test func `answers nobody if no customer complains`() async {
    let reports = await run(Self.seeds.prefix(2), without: .complaints)
    #expect(reports.flatMap(\.problems) == [])
    #expect(reports.allSatisfy { $0.marks[.complained] == nil && $0.marks[.complaintAnswered] == nil })
  }

  @Test func `sends each answer once, and knows each complaint as it stands, whatever is killed`() async {
    let reports = await run(Self.seeds.prefix(Tier.among(test: 4, check: 10, night: Self.seeds.count)))
    record(reports)
    for mark in [CoverageMark.complained, .complainedAgain, .complaintAnswered] {
      #expect(reports.contains { $0.marks[mark] != nil }, "no world shows \(mark): look for other seeds")
    }
  }
}
