import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// `counterfoil-lab simulate --subscription-year N`: a year of an app's subscribers, told in numbers.
enum SubscriptionYearReport {
  static func run(subscribers: Int, seed: Int64, _ platform: Platform) throws -> Int32 {
    let start = platform.monotonicNanoseconds()
    let isTerminal = platform.isTerminal
    let report = try SubscriptionYear(subscribers: subscribers, seed: UInt64(seed)).run { day in
      if isTerminal { platform.rewriteLine("  day \(day) of 365 ") }
    }
    if isTerminal { platform.rewriteLine("") }
    let seconds = (platform.monotonicNanoseconds() - start) / 1_000_000_000
    let standing = report.standing.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    platform.print(
      """
      subscriptions         \(report.lines): \(standing)
      paid by two in turn   \(report.takenOver)
      paid periods          \(report.periods)
      refunded              \(report.refunds)
      notifications         \(report.notifications)
      healed by comparing   \(report.healed)
      differences           \(report.differences)
      booked by events      \(report.bookedMonths) months, \(report.bookedDays) days, \(report.repeatedEvents) repeated
      broken promises       \(report.problems.count)
      (\(report.steps) steps, \(seconds) s)

      """)
    for problem in report.problems.prefix(20) { platform.print("BROKEN \(problem)\n") }
    return report.problems.isEmpty ? ExitCode.done : ExitCode.failed
  }
}
