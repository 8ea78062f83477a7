import SimulationKit
import TestTier
import Testing

/// Operators at the console, who also claim what was bought again after a refund.
@Suite struct `A world with operators who claim` {
  /// Of the first 1,000 seeds those whose plans let operators press buttons and claim; the likely ones come first.
  private static let seeds: [UInt64] = [
    564, 921, 879, 675, 177, 996, 310, 505, 229, 434, 457, 645, 189, 937, 970, 903, 36, 785, 9, 527, 780, 70, 218, 283,
    590, 578, 312, 275, 588, 468, 678, 77, 335, 437, 618, 615, 386, 302, 515, 63, 46,
  ]

  @Test func `claims nothing if its operators do not press buttons, or may not claim`() async {
    for hazard in [WorldHazard.operators, .operatorClaims] {
      let reports = await run(2, without: hazard)
      #expect(reports.flatMap(\.problems) == [])
      #expect(reports.allSatisfy { $0.marks[.operatorPressedClaim] == nil })
    }
  }

  @Test func `gives a purchase to its buyer once, however many operators press, and whatever is killed`() async {
    let reports = await run(Tier.among(test: 12, check: 24, night: Self.seeds.count))
    for report in reports where !report.problems.isEmpty {
      Issue.record(
        "\(report.problems.joined(separator: "\n"))\nagain: counterfoil-lab simulate --seed \(report.seed) --explain")
    }
    #expect(reports.contains { $0.marks[.operatorPressedClaim] != nil }, "no world shows it: look for other seeds")
  }

  private func run(_ count: Int, without hazard: WorldHazard? = nil) async -> [WorldReport] {
    var substitutions = Substitutions()
    if let hazard { substitutions.hazards.remove(hazard) }
    let changed = substitutions
    return await runWorlds(1...UInt64(count)) { number in
      PaymentWorld.run(seed: Self.seeds[Int(number) - 1], substitutions: changed)
    }
  }
}
