import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The report of an audit, as a command prints it.
extension AuditReport {
  var json: JSONValue {
    .members([
      ("orders", .integer(orders)), ("payments", .integer(payments)),
      ("balances", .integer(balances)), ("deliveriesOpen", .integer(deliveriesOpen)),
      ("stopped", .integer(stopped)),
      (
        "paymentsByState",
        .members(
          paymentsByState.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
      ), ("violations", .array(violations.map { .string($0.description) })),
    ])
  }

  func text(_ language: Language) -> String {
    var lines = [
      "orders \(orders), payments \(payments), balances \(balances), "
        + "deliveries open \(deliveriesOpen)"
    ]
    for (state, count) in paymentsByState.sorted(by: { $0.key < $1.key }) {
      lines.append("  payments \(state): \(count)")
    }
    if stopped > 0 { lines.append("  changes stopped: \(stopped)") }
    if isEmpty {
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
    } else if violations.isEmpty {
      lines.append(
        BilingualText("All rules of money hold.", "所有资金规则均成立。")[language])
    }
    for violation in violations {
      lines.append(TerminalText.line("BROKEN  \(violation)"))
      lines.append("        " + violation.invariant.statement[language])
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
