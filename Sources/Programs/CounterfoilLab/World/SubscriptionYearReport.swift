import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// `counterfoil-lab simulate --subscription-year N`: a year of an app's subscribers, told in numbers.
enum SubscriptionYearReport {
  static func run(subscribers: Int, seed: Int64, _ doors: Platform) throws -> Int32 {
    let start = doors.monotonicNanoseconds()
    let isTerminal = doors.isTerminal
    let report = try SubscriptionYear(subscribers: subscribers, seed: UInt64(seed)).run { day in
      if isTerminal { doors.rewriteLine("  day \(day) of 365 ") }
    }
    if isTerminal { doors.rewriteLine("") }
    let seconds = (doors.monotonicNanoseconds() - start) / 1_000_000_000
    let standing = report.standing.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    doors.print(
      """
      subscriptions         \(report.lines): \(standing)
      paid periods          \(report.periods)
      refunded              \(report.refunds)
      notifications         \(report.notifications)
      healed by comparing   \(report.healed)
      differences           \(report.differences)
      broken promises       \(report.problems.count)
      (\(report.steps) steps, \(seconds) s)

      """)
    for problem in report.problems.prefix(20) { doors.print("BROKEN \(problem)\n") }
    return report.problems.isEmpty ? ExitCode.done : ExitCode.failed
  }
}
