import SimulationKit
import Testing

@Suite struct `A year of subscribers` {
  /// `counterfoil world --subscription-year 1000` is the whole; this is a small one.
  @Test func `ends with every right as the store says, whatever was lost, late or told twice`() throws {
    let report = try SubscriptionYear(subscribers: 8, days: 150, seed: 3).run()
    #expect(report.problems == [])
    #expect(report.differences == 0)
    #expect(report.lines == 8)
    #expect(report.periods > 20)
    #expect(report.healed > 0, "nothing was lost that mattered")
    #expect(report.standing.count > 1, "all subscriptions stand alike")
  }
}
