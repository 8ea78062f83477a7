import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// `counterfoil-lab simulate --wechat-day N`: a day of a shop at WeChat Pay, told in numbers.
enum WeChatDayReport {
  static func run(orders: Int, seed: Int64, _ platform: Platform) throws -> Int32 {
    let start = platform.monotonicNanoseconds()
    let isTerminal = platform.isTerminal
    let report = try WeChatDay(orders: orders, seed: UInt64(seed)).run { hour in
      if isTerminal { platform.rewriteLine("  hour \(hour) of 24 ") }
    }
    if isTerminal { platform.rewriteLine("") }
    let seconds = (platform.monotonicNanoseconds() - start) / 1_000_000_000
    platform.print(
      """
      orders at the store   \(report.orders)
      paid                  \(report.paid)
      refunds done          \(report.refunds)
      healed by the bill    \(report.healed)
      bill                  \(report.billFen) fen
      ledger                \(report.ledgerFen) fen
      unexplained lines     \(report.unexplained)
      broken promises       \(report.problems.count)
      (\(report.steps) steps, \(seconds) s)

      """)
    for problem in report.problems.prefix(20) { platform.print("BROKEN \(problem)\n") }
    return report.problems.isEmpty && report.unexplained == 0 ? ExitCode.done : ExitCode.failed
  }
}
