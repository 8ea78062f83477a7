import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The days that were compared with WeChat Pay's bills, the newest first: what moved in the merchant's account, and
/// what differs.
struct BillsPage {
  let visit: AppVisit
  let days: [ReconciliationRecord]

  static let title = BilingualText("Bills", "账单")

  private static let columns = [
    BilingualText("Day", "日期"), BilingualText("Differences", "差异"), BilingualText("Fund-flow bill", "资金账单"),
    BilingualText("Payments", "收款"), BilingualText("Refunds", "退款"), BilingualText("Refunds returned", "退款退回"),
    BilingualText("Fees", "手续费"), BilingualText("Fees returned", "退还手续费"), BilingualText("Top-ups", "充值"),
    BilingualText("Withdrawals", "提现"), BilingualText("Others", "其他"), BilingualText("Balance before", "期初余额"),
    BilingualText("Balance after", "期末余额"),
  ]

  private static let movements = [
    "payments", "refunds", "returnedRefunds", "fees", "returnedFees", "topUps", "withdrawals", "others",
  ]

  var markup: Markup {
    .element(.div, [.style("head")], .element(.h1, .text(Self.title[visit.language])))
      + ListPanel.table(
        Self.columns, days.map(row), title: BilingualText("WeChat Pay, newest day first", "微信支付，最新日期在前"),
        in: visit.language)
  }

  private func row(_ day: ReconciliationRecord) -> [Markup] {
    let report = day.report.flatMap { try? JSONReader.read($0.utf8) }
    let flow = report?["fundFlow"]
    let differences = report?["differences"]?.integer
    return [
      .foreign(day.day),
      differences.map { Display.tag("\($0)", $0 == 0 ? .ok : .bad) } ?? .text("–"),
      flow?["state"]?.string.map { name in
        Display.tag(Words.fundFlows[name]?[visit.language] ?? name, name == "compared" ? .ok : .plain)
      } ?? .text("–"),
    ]
      + Self.movements.map { name -> Markup in
        guard let sum = flow?[name], let count = sum["count"]?.integer, count > 0 else { return .text("–") }
        return Self.money(sum["amount"]) + .text(" (\(count))")
      } + [Self.money(flow?["opening"]), Self.money(flow?["closing"])]
  }

  /// An amount in fen.
  private static func money(_ fen: JSONValue?) -> Markup {
    .text(fen?.integer.map { Display.text(Money(minorUnits: $0, currency: .cny)) } ?? "–")
  }
}

extension ConsolePages {
  func showBills(_ visit: AppVisit) async throws -> HTTPResponse {
    // All days: the newest ones are shown, as many as a list has.
    let days = try await engine.listReconciliations(
      from: "0000-01-01", to: "9999-12-31", at: .weChatPay, in: try console.environment(visit))
    return console.page(
      BillsPage.title[visit.language], BillsPage(visit: visit, days: days).markup, for: visit, at: .bills)
  }
}
