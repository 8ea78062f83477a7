import DeviceWorld
import PaymentPrimitives
import SimulationKit
import TestTier
import Testing

@Suite struct `A world with the shipped adapters on its phones` {
  private static let count: UInt64 = Tier.among(test: 6, check: 30, night: 300)

  @Test
  func `keeps the promise, covers device behaviour, and repeats exactly (S1 to S10, S15, S19, S20)`() async {
    let reports = await runWorlds(1...Self.count) { PaymentWorld.run(seed: $0, substitutions: .devices) }
    for report in reports where !report.problems.isEmpty {
      Issue.record("\(report.problems.joined(separator: "\n"))\nagain: make world SEED=\(report.seed)")
    }
    var seen: [CoverageMark: Int] = [:]
    for report in reports { seen.merge(report.marks) { $0 + $1 } }
    let missing = CoverageMark.ofDevices.filter { seen[$0] == nil }.map(\.rawValue).sorted()
    #expect(missing == [] || Self.count < 60, "the worlds do not cover this: it was never seen")
    #expect(reports.reduce(0) { $0 + $1.charges } > 4 * Self.count)
    let again = await runWorlds(1...Self.count / 6) { PaymentWorld.run(seed: $0, substitutions: .devices) }
    let before = reports.prefix(again.count)
    #expect(again.map(\.trace) == before.map(\.trace), "a seed had another result when it ran again")
  }

  @Test(arguments: Mutant.all.filter { $0.testDescription.hasPrefix("a client") })
  func `detects a broken client within 40 seeds`(fault: Mutant) {
    var substitutions = Substitutions.devices
    fault.plant(&substitutions)
    let planted = substitutions
    let caught = (1...40 as ClosedRange<UInt64>).lazy.map { PaymentWorld.run(seed: $0, substitutions: planted) }
      .first { !$0.problems.isEmpty }
    #expect(caught != nil)
  }
}
