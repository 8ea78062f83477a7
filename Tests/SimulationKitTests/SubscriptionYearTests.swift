import SimulationKit
import TestTier
import Testing

@Suite struct `A year of subscribers` {
  private struct Size {
    let subscribers: Int
    let days: Int
    let seed: UInt64
  }

  /// `counterfoil-lab simulate --subscription-year 1000` runs the whole year; this is a small one. Its days are what
  /// costs: the server looks at its clock every few seconds of them.
  @Test func `ends with every entitlement as the store states it, whatever was lost, late or repeated`() throws {
    let size = Tier.among(
      test: Size(subscribers: 5, days: 45, seed: 4), check: Size(subscribers: 8, days: 150, seed: 3),
      night: Size(subscribers: 40, days: 150, seed: 3))
    let count = size.subscribers
    let report = try SubscriptionYear(subscribers: count, days: size.days, seed: size.seed).run()
    #expect(report.problems == [])
    #expect(report.differences == 0)
    #expect(report.lines == count)
    #expect(report.periods > count * max(1, size.days / 60))
    #expect(report.healed > 0, "nothing was lost that mattered")
    #expect(report.standing.count > 1, "all subscriptions have the same status")
    // A backend that heard events alone has the store's revenue and days in its books: a difference is a problem.
    // So do our own reports, by month and currency.
    #expect(report.bookedMonths > 2 && report.bookedDays > count && report.repeatedEvents > 0)
    #expect(report.takenOver > 0, "no two users of an Apple account paid for one subscription")
  }
}
