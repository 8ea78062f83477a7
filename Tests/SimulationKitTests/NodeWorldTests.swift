import PaymentPrimitives
import SimulationKit
import TestTier
import Testing

/// A world of three nodes over the modelled PostgreSQL.
private func world(_ seed: UInt64, _ change: (inout ModelledPostgreSQL.Habits) -> Void = { _ in }) -> WorldReport {
  var substitutions = Substitutions()
  substitutions.nodes = 3
  change(&substitutions.postgreSQL)
  return PaymentWorld.run(seed: seed, substitutions: substitutions)
}

/// A way in which the database, or a node that uses it, may break a rule.
struct NodeMutant: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let plant: @Sendable (inout ModelledPostgreSQL.Habits) -> Void

  static let all = [
    NodeMutant(testDescription: "answers a commit before the standby has it") { $0.waitsForStandby = false },
    NodeMutant(testDescription: "takes a commit without an answer for written") { $0.asksAboutCommits = false },
  ]
}

@Suite(.enabled(if: Tier.among(test: 0, check: 1, night: 1) > 0, "hundreds of worlds: make check, make night"))
struct `A world of three nodes over the modelled PostgreSQL` {
  private static let count: UInt64 = Tier.among(test: 0, check: 20, night: 1000)

  @Test(arguments: NodeMutant.all)
  func `detects a database that breaks a rule within 200 seeds`(mutant: NodeMutant) {
    let caught = (1...200 as ClosedRange<UInt64>).lazy.map { world($0, mutant.plant) }.first { !$0.problems.isEmpty }
    #expect(caught != nil)
  }

  @Test func `keeps the promise, reaches its coverage marks, and repeats exactly`() async {
    let reports = await runWorlds(1...Self.count) { world($0) }
    for report in reports where !report.problems.isEmpty {
      let again = "counterfoil-lab simulate --nodes 3 --seed \(report.seed) --explain"
      Issue.record("\(report.problems.joined(separator: "\n"))\nagain: \(again)")
    }
    let seen = Set(reports.flatMap(\.marks.keys))
    #expect(CoverageMark.ofNodes.subtracting(seen) == [])
    let again = await runWorlds(1...Self.count / 10) { world($0) }
    #expect(again.map(\.trace) == reports.prefix(again.count).map(\.trace))
  }
}
