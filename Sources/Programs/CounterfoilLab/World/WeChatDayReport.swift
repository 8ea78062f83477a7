import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// `counterfoil-lab simulate --wechat-day N`: a day of a shop at WeChat Pay, told in numbers.
enum WeChatDayReport {
  static func run(orders: Int, seed: Int64, _ doors: Platform) throws -> Int32 {
    let start = doors.monotonicNanoseconds()
    let isTerminal = doors.isTerminal
    let report = try WeChatDay(orders: orders, seed: UInt64(seed)).run { hour in
      if isTerminal { doors.rewriteLine("  hour \(hour) of 24 ") }
    }
    if isTerminal { doors.rewriteLine("") }
    let seconds = (doors.monotonicNanoseconds() - start) / 1_000_000_000
    doors.print(
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
    for problem in report.problems.prefix(20) { doors.print("BROKEN \(problem)\n") }
    return report.problems.isEmpty && report.unexplained == 0 ? ExitCode.done : ExitCode.failed
  }
}
