import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// `counterfoil-lab simulate --apple-history N`: months of purchases and the comparison with Apple's records, told in
/// numbers.
enum AppleHistoryReport {
  static func run(transactions: Int, seed: Int64, _ doors: Platform) throws -> Int32 {
    let start = doors.monotonicNanoseconds()
    let isTerminal = doors.isTerminal
    let report = try AppleHistory(transactions: transactions, seed: UInt64(seed)).run { what in
      if isTerminal { doors.rewriteLine("  \(what)") }
    }
    if isTerminal { doors.rewriteLine("") }
    let seconds = (doors.monotonicNanoseconds() - start) / 1_000_000_000
    doors.print(
      """
      transactions          \(report.transactions)
      customers             \(report.customers)
      not known here        \(report.missed)
      found                 \(report.found)
      healed                \(report.healed)
      wait for their owner  \(report.waiting)
      refunds found         \(report.refundsFound)
      kills in between      \(report.kills)
      compared within       \(report.span.milliseconds / 60_000) min of the world's time

      """)
    for count in report.calls {
      doors.print(
        "\(count.endpoint): \(count.calls) calls, at most \(count.highest) in a second; Apple allows \(count.allowed)\n"
      )
    }
    doors.print(
      """
      refused for the rate  \(report.tooOften)
      broken promises       \(report.problems.count)
      (\(report.steps) steps, \(seconds) s)

      """)
    for problem in report.problems.prefix(20) { doors.print("BROKEN \(problem)\n") }
    return report.problems.isEmpty ? ExitCode.done : ExitCode.failed
  }
}
