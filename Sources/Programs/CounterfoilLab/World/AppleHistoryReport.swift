import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// `counterfoil-lab simulate --apple-history N`: months of purchases and the comparison with Apple's records, told in
/// numbers.
enum AppleHistoryReport {
  static func run(transactions: Int, seed: Int64, _ platform: Platform) throws -> Int32 {
    let start = platform.monotonicNanoseconds()
    let isTerminal = platform.isTerminal
    let report = try AppleHistory(transactions: transactions, seed: UInt64(seed)).run { what in
      if isTerminal { platform.rewriteLine("  \(what)") }
    }
    if isTerminal { platform.rewriteLine("") }
    let seconds = (platform.monotonicNanoseconds() - start) / 1_000_000_000
    platform.print(
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
      platform.print(
        "\(count.endpoint): \(count.calls) calls, at most \(count.highest) in a second; Apple allows \(count.allowed)\n"
      )
    }
    platform.print(
      """
      refused for the rate  \(report.tooOften)
      broken promises       \(report.problems.count)
      (\(report.steps) steps, \(seconds) s)

      """)
    for problem in report.problems.prefix(20) { platform.print("BROKEN \(problem)\n") }
    return report.problems.isEmpty ? ExitCode.done : ExitCode.failed
  }
}
