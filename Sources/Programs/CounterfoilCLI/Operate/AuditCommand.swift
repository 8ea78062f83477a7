import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import StrictJSON

/// `counterfoil audit`: checks every row of the database against the money rules.
enum AuditCommand {
  static let command = Command.of(
    "audit", BilingualText("check every row against the nine rules of money", "用九条资金规则核查每一行数据"),
    usage: """
      usage: counterfoil audit [--idle] [--json]

      Reads all orders, payments, grants, postings, balances and deliveries, and prints each rule of money that is
      broken. Reads only; works beside a running server.

        --idle              also that nothing is half done: for a server that has been stopped, or is idle
      \(ServerFlags.usage)
        --json              one JSON object

      Exit codes: 0 all rules hold, 1 a rule is broken, 2 wrong usage or no readable database.

      """,
    valued: ServerFlags.valued, flags: ["idle"]
  ) { options, platform in
    let database = try await OpenDatabase.reading(options, platform)
    let report = try await PaymentAudit(atRest: options.has("idle")).run(on: database.reader)
    platform.print(options.has("json") ? json(report).text + "\n" : text(report, CommandLineProgram.language(platform)))
    return report.violations.isEmpty ? ExitCode.done : ExitCode.failed
  }

  static func json(_ report: AuditReport) -> JSONValue {
    .members([
      ("orders", .integer(report.orders)), ("payments", .integer(report.payments)),
      ("balances", .integer(report.balances)), ("deliveriesOpen", .integer(report.deliveriesOpen)),
      ("stopped", .integer(report.stopped)),
      (
        "paymentsByState",
        .members(
          report.paymentsByState.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
      ), ("violations", .array(report.violations.map { .string($0.description) })),
    ])
  }

  static func text(_ report: AuditReport, _ language: Language) -> String {
    var lines = [
      "orders \(report.orders), payments \(report.payments), balances \(report.balances), "
        + "deliveries open \(report.deliveriesOpen)"
    ]
    for (state, count) in report.paymentsByState.sorted(by: { $0.key < $1.key }) {
      lines.append("  payments \(state): \(count)")
    }
    if report.stopped > 0 { lines.append("  changes stopped: \(report.stopped)") }
    if report.isEmpty {
      lines.append(
        BilingualText(
          """
          The database is EMPTY: no order, no payment, no balance. Check that this is the server's database. A copy by
          `cp` looks empty, too, without the -wal file beside it: use `counterfoil backup`.
          """,
          """
          数据库为空：没有订单、支付或余额。请确认这就是服务器所用的数据库。用 cp 复制而缺少旁边的 -wal 文件时也会如此：
          请改用 `counterfoil backup`。
          """)[language])
    } else if report.violations.isEmpty {
      lines.append(
        BilingualText("All rules of money hold.", "所有资金规则均成立。")[language])
    }
    for violation in report.violations {
      lines.append(TerminalText.line("BROKEN  \(violation)"))
      lines.append("        " + violation.invariant.statement[language])
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
