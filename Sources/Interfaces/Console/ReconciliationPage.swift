import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The days of the last month, compared with WeChat Pay's bills. Apple has no bills.
struct ReconciliationList {
  let visit: AppVisit
  let days: [ReconciliationRecord]

  var markup: Markup {
    let language = visit.language
    let rows = days.map { record -> [Markup] in
      let report = Self.report(record)
      let target = visit.link(
        "reconciliation", record.store.rawValue, record.day,
        query: [("environment", record.appEnvironment.environment.rawValue)])
      return [
        Display.id(record.day, to: target), Self.state(record, report, in: language),
        .text(Self.sum(report, "payments")), .text(Self.sum(report, "refunds")),
        .text(Self.number(report, "healed")), .text(Self.number(report, "differences")),
        Display.time(record.triedAt),
      ]
    }
    return ConsolePages.heading(Words.reconciliation, visit, acts: visit.form(.reconcile, on: ["reconciliation"]))
      + .element(.p, .text(Self.apple[language]))
      + ListPanel.table(
        [
          Self.day, Words.state, Words.payments, Words.refunds, Self.healed, Self.differences, Self.tried,
        ], rows, title: Words.reconciliation, in: language)
  }

  static func report(_ record: ReconciliationRecord) -> JSONValue? {
    record.report.flatMap { try? JSONReader.read($0.utf8) }
  }

  static func number(_ report: JSONValue?, _ name: String) -> String {
    report?[name]?.integer.map { "\($0)" } ?? "–"
  }

  /// `3 · ¥18.00`: how many lines, and their amount. WeChat Pay's amounts are in fen.
  static func sum(_ report: JSONValue?, _ name: String) -> String {
    guard let count = report?[name]?["count"]?.integer, let amount = report?[name]?["amount"]?.integer else {
      return "–"
    }
    return "\(count) · " + Display.text(Money(minorUnits: amount, currency: .cny))
  }

  /// Equal, put right, or different; a day whose comparison did not end says so.
  static func state(_ record: ReconciliationRecord, _ report: JSONValue?, in language: Language) -> Markup {
    guard record.doneAt != nil, let report else {
      return Display.tag(BilingualText("not compared yet", "尚未对账")[language], .warn)
    }
    if report["differences"]?.text != "0" {
      return Display.tag(BilingualText("differs", "有差异")[language], .bad)
    }
    return report["healed"]?.text == "0"
      ? Display.tag(BilingualText("equal", "一致")[language], .ok)
      : Display.tag(BilingualText("put right", "已修正")[language], .info)
  }

  private static let apple = BilingualText(
    "Days in Beijing time, compared with WeChat Pay's bills. Apple has no bills: its histories are read instead.",
    "按北京时间逐日与微信支付账单核对。Apple 不提供账单，改为读取其交易历史。")
  static let day = BilingualText("Day", "日期")
  static let healed = BilingualText("Put right", "已修正")
  static let differences = BilingualText("Differences", "差异")
  private static let tried = BilingualText("Compared", "对账时间")
}

/// One day: the sums, and what differs, line by line.
struct ReconciledDayPage {
  let visit: AppVisit
  let record: ReconciliationRecord

  private var language: Language { visit.language }

  var markup: Markup {
    let report = ReconciliationList.report(record)
    let findings = (report?["findings"]?.array ?? []) + (report?["fundFlow"]?["findings"]?.array ?? [])
    return .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("reconciliation"))], .text(Words.reconciliation[language])))
      + .element(
        .div, [.style("head")],
        .element(
          .div, .element(.h1, .text("\(Words.name(of: record.store)[language]) \(record.day)")),
          .element(
            .div, [.style("tags")], Display.environmentTag(record.appEnvironment.environment, language),
            ReconciliationList.state(record, report, in: language))))
      + .element(
        .section, [.style("panel")],
        .element(
          .div, [.style("body")],
          Display.pairs(
            [
              (Words.payments, .text(ReconciliationList.sum(report, "payments"))),
              (Words.refunds, .text(ReconciliationList.sum(report, "refunds"))),
              (ReconciliationList.healed, .text(ReconciliationList.number(report, "healed"))),
              (ReconciliationList.differences, .text(ReconciliationList.number(report, "differences"))),
            ], language)))
      + lines(findings)
  }

  /// Each finding with its kind and whether it is put right.
  private func lines(_ findings: [JSONValue]) -> Markup {
    let rows = findings.prefix(Self.linesMax).map { finding -> [Markup] in
      [
        .text(finding["kind"]?.string.map { Words.difference($0, language) } ?? "–"), .foreign(line(finding)),
        finding["healed"]?.bool == true
          ? Display.tag(BilingualText("put right", "已修正")[language], .info)
          : Display.tag(BilingualText("open", "未处理")[language], .bad),
      ]
    }
    return ListPanel.table(
      [BilingualText("Kind", "类型"), BilingualText("Line", "明细"), Words.state], Array(rows), title: Self.title,
      in: language)
  }

  /// What a finding names besides: its numbers, its amounts and a detail.
  private func line(_ finding: JSONValue) -> String {
    let rest = (finding.object ?? []).filter { !["kind", "healed"].contains($0.name) }
    return rest.map { member in
      let name = Self.members[member.name]?[language] ?? member.name
      return name + BilingualText(": ", "：")[language] + value(of: member)
    }.joined(separator: BilingualText(", ", "，")[language])
  }

  private func value(of member: JSONMember) -> String {
    if Self.amounts.contains(member.name), let fen = member.value.integer {
      return Display.text(Money(minorUnits: fen, currency: .cny))
    }
    let text = member.value.string ?? member.value.text
    return member.name == "details" ? Words.detail(text, language) : text
  }

  /// What the members of a finding are called. A member that only a newer version knows keeps its name.
  private static let members: [String: BilingualText] = [
    "orderId": BilingualText("order", "订单"), "transactionId": BilingualText("transaction", "交易号"),
    "refund": BilingualText("refund", "退款单号"), "billAmount": BilingualText("in the bill", "账单"),
    "ourAmount": BilingualText("here", "本系统"), "details": BilingualText("details", "详情"),
    "number": BilingualText("number", "单号"), "flowAmount": BilingualText("in the fund-flow bill", "资金账单"),
    "expectedAmount": BilingualText("expected", "应为"),
  ]
  private static let amounts: Set<String> = ["billAmount", "ourAmount", "flowAmount", "expectedAmount"]
  /// More do not fit on a page; the route of the API has all.
  private static let linesMax = 500
  private static let title = BilingualText("What was found", "核对结果")
}
