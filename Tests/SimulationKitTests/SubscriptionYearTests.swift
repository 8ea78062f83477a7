import SimulationKit
import TestTier
import Testing

@Suite struct `A year of subscribers` {
  /// `counterfoil-lab simulate --subscription-year 1000` runs the whole year; this is a small one.
  @Test func `ends with every entitlement as the store states it, whatever was lost, late or repeated`() throws {
    let count = Tier.among(test: 2, check: 8, night: 40)
    let report = try SubscriptionYear(subscribers: count, days: 150, seed: 3).run()
    #expect(report.problems == [])
    #expect(report.differences == 0)
    #expect(report.lines == count)
    #expect(report.periods > 2 * count)
    #expect(report.healed > 0, "nothing was lost that mattered")
    #expect(report.standing.count > 1, "all subscriptions have the same status")
  }
}
