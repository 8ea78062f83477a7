import PaymentPrimitives
import StrictJSON

/// The part of a day's report about its fund-flow bill: fees, transfers and balances. Empty for a report without one.
struct FundFlowText {
  private let report: ShownReport
  private static let columns = ["kind", "number", "flowAmount", "expectedAmount", "details"]

  init(_ report: ShownReport) { self.report = report }

  subscript(language: Language) -> String {
    guard report.json["fundFlow"] != nil else { return "" }
    guard report.text("fundFlow", "state") == "compared" else { return missing[language] }
    return head[language] + findings
  }

  private func text(_ names: String...) -> String {
    var value = report.json["fundFlow"]
    for name in names { value = value?[name] }
    return value?.string ?? value?.integer.map { "\($0)" } ?? "?"
  }

  private var missing: BilingualText {
    let reason = TerminalText.line(text("reason"))
    return BilingualText(
      "  fund-flow bill        \(text("state")): \(reason)\n", "  资金账单        \(text("state"))：\(reason)\n")
  }

  private var head: BilingualText {
    BilingualText(
      """
        fund-flow bill, fen
          balance             \(text("opening")) to \(text("closing"))
          payments            \(sum("payments", "in"))
          refunds             \(sum("refunds", "in")), came back \(sum("returnedRefunds", "in"))
          fees                \(sum("fees", "in")), came back \(sum("returnedFees", "in"))
          paid in             \(sum("topUps", "in")), withdrawn \(sum("withdrawals", "in"))
          other movements     \(sum("others", "in"))
          differences         \(text("differences"))

      """,
      """
        资金账单（分）
          余额            \(text("opening")) 至 \(text("closing"))
          支付            \(sum("payments", "，共"))
          退款            \(sum("refunds", "，共"))，退回 \(sum("returnedRefunds", "，共"))
          手续费          \(sum("fees", "，共"))，退还 \(sum("returnedFees", "，共"))
          充值            \(sum("topUps", "，共"))，提现 \(sum("withdrawals", "，共"))
          其他变动        \(sum("others", "，共"))
          差异            \(text("differences"))

      """)
  }

  /// The amount, and the number of lines that it comes from.
  private func sum(_ name: String, _ joint: String) -> String {
    joint == "in"
      ? "\(text(name, "amount")) in \(text(name, "count"))" : "\(text(name, "count")) 笔\(joint) \(text(name, "amount"))"
  }

  private var findings: String {
    (report.json["fundFlow"]?["findings"]?.array ?? []).map { finding in
      let parts = Self.columns.map { ($0, ReportForm.shown(finding[$0])) }.filter { !$0.1.isEmpty }
      return "    " + TerminalText.line(parts.map { $0 == "kind" ? $1 : "\($0)=\($1)" }.joined(separator: " ")) + "\n"
    }.joined()
  }
}
