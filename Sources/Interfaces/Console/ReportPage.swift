import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import StrictJSON

/// What an app sold and gave back in a month, by store and currency, with everything that keeps the sums from being
/// equal to the ledger or a bill. What users were given without a payment stands apart.
struct ReportPage {
  let visit: AppVisit
  let choice: ReportChoice
  let report: JSONValue?

  static let title = BilingualText("Reports", "报表")
  /// More do not fit on a page: the file has all.
  private static let linesMax = 500

  private var language: Language { visit.language }

  var markup: Markup {
    let head = Markup.element(.div, [.style("head")], .element(.h1, .text(Self.title[language])))
    let filters = ListFilters(choices: choice.fields, target: visit.link("reports"), exportsTo: "reports/revenue.csv")
      .markup(visit)
    guard let report else { return head + filters + .element(.p, .text(Self.tooLarge[language])) }
    let tables =
      head + .element(.p, .text(Self.note(report)[language]))
      + ListPanel.table(
        Self.columns, (report["totals"]?.array ?? []).map { row($0, period: choice.month) },
        title: BilingualText("Totals", "合计"), in: language, filters: filters)
      + ListPanel.table(
        Self.columns,
        (report["rows"]?.array ?? []).prefix(Self.linesMax).map { row($0, period: $0["period"]?.string ?? "") },
        title: BilingualText("Rows", "明细"), in: language)
      + ListPanel.table(
        Self.differenceColumns, (report["differences"]?.array ?? []).prefix(Self.linesMax).map(difference),
        title: BilingualText("Differences", "差异"), in: language)
    return tables + given(report)
  }

  /// What users were given without a payment. It is no money, so it stands in tables of its own.
  private func given(_ report: JSONValue) -> Markup {
    func number(_ value: JSONValue?) -> Markup { .text("\(value?.integer ?? 0)") }
    let credits = (report["credits"]?.array ?? []).prefix(Self.linesMax).map { row -> [Markup] in
      [
        .text(row["period"]?.string ?? choice.month), .foreign(row["unit"]?.string ?? "–"), number(row["count"]),
        number(row["amount"]),
      ]
    }
    let promotional = (report["promotional"]?.array ?? []).prefix(Self.linesMax).map { row -> [Markup] in
      [.foreign(row["entitlement"]?.string ?? "–"), number(row["given"]), number(row["revoked"])]
    }
    return ListPanel.table(
      [
        BilingualText("Period", "期间"), BilingualText("Unit", "单位"), BilingualText("Credits", "赠送次数"),
        BilingualText("Units given", "赠送数量"),
      ], credits, title: BilingualText("Units given without a payment", "赠送的数量"), in: language)
      + ListPanel.table(
        [
          BilingualText("Entitlement", "权益"), BilingualText("Given", "已赠送"),
          BilingualText("Taken back since", "其中已收回"),
        ], promotional, title: BilingualText("Entitlements given without a payment", "赠送的权益"), in: language)
  }

  private static let columns = [
    BilingualText("Period", "期间"), Words.store, BilingualText("Currency", "币种"), Words.product,
    BilingualText("Storefront", "店面"), BilingualText("Sales", "销售"), Words.refunds, BilingualText("Deferred", "递延收入"),
    BilingualText("Fees", "手续费"), BilingualText("Coupons", "代金券"), BilingualText("Net", "净额"),
  ]

  private func row(_ row: JSONValue, period: String) -> [Markup] {
    let currency = row["currency"]?.string ?? ""
    func money(_ amount: JSONValue?) -> String {
      guard let amount = amount?.integer else { return "–" }
      return Self.text(amount, currency)
    }
    func sum(_ name: String) -> Markup {
      .text("\(money(row[name]?["amount"])) (\(row[name]?["count"]?.integer ?? 0))")
    }
    let net = money(row["net"])
    let isEstimate = row["netIsEstimate"]?.bool == true
    return [
      .text(period), store(of: row),
      .foreign(currency), .foreign(row["productId"]?.string ?? "–"), .foreign(row["storefront"]?.string ?? "–"),
      sum("sales"), sum("refunds"), .text(money(row["deferred"])), .text(money(row["fees"])),
      .text(money(row["coupons"])),
      .text(isEstimate ? BilingualText("\(net) (estimate)", "\(net)（估算）")[language] : net),
    ]
  }

  private func store(of row: JSONValue) -> Markup {
    .text(row["store"]?.string.map { Words.stores[$0]?[language] ?? $0 } ?? "–")
  }

  private static func text(_ amount: Int64, _ currency: String) -> String {
    let (milliunits, overflow) = amount.multipliedReportingOverflow(by: 10)
    guard !overflow, let code = CurrencyCode(currency), code.minorUnitDigits == 2 else {
      return "\(amount) (\(currency))"
    }
    return Display.text(StatedPrice(milliunits: milliunits, currency: currency))
  }

  private static let differenceColumns = [
    BilingualText("Kind", "类型"), Words.store, BilingualText("Day", "日期"), BilingualText("Number", "编号"),
    BilingualText("Here", "本系统"), BilingualText("In the bill", "账单"), BilingualText("Details", "详情"),
  ]

  private func difference(_ row: JSONValue) -> [Markup] {
    let number = ["transactionId", "refund"].compactMap { row[$0]?.string }.joined(separator: " ")
    let currency = row["currency"]?.string ?? ""
    func money(_ name: String) -> Markup { .text(row[name]?.integer.map { Self.text($0, currency) } ?? "–") }
    return [
      .foreign(row["kind"]?.string.map { Words.difference($0, language) } ?? "–"), store(of: row),
      .foreign(row["day"]?.string ?? "–"), .foreign(number), money("ours"), money("theirs"),
      .foreign(row["details"]?.string.map { details($0) } ?? "–"),
    ]
  }

  /// A reason or a state in words; of a fund-flow bill, the amount that was expected, in fen.
  private func details(_ text: String) -> String {
    let expected = RevenueReport.Difference.expectedInFundFlow
    guard text.hasPrefix(expected), let fen = Int64(text.dropFirst(expected.count)) else {
      return Words.detail(text, language)
    }
    let amount = Display.text(Money(minorUnits: fen, currency: .cny))
    return BilingualText(expected + amount, "资金账单，应为 " + amount)[language]
  }

  private static func note(_ report: JSONValue) -> BilingualText {
    let days = "\(report["from"]?.string ?? "") – \(report["to"]?.string ?? "")"
    let rate = report["commissionPercent"]?.integer.map { "\($0)" }
    return BilingualText(
      "\(days), Beijing time. "
        + (rate.map { "Net amounts of the App Store are estimated with \($0) percent for Apple. " }
          ?? "Without commission_percent in the configuration there is no net amount of the App Store. ")
        + "Taxes are not taken out.",
      "\(days)，北京时间。"
        + (rate.map { "App Store 的净额按 Apple 收取 \($0)% 估算。" } ?? "未配置 commission_percent 时不给出 App Store 的净额。")
        + "未扣除税款。")
  }

  private static let tooLarge = BilingualText(
    "The report has too many rows. Choose another division.", "报表行数过多，请选择其他划分方式。")
}

/// The month and the division that a page of reports shows.
struct ReportChoice {
  let month: String
  let division: RevenueReport.Dimension?
  private let months: [String]

  /// Months of one year are offered, the newest first. Another word in the address gives the present month.
  init(_ visit: AppVisit) {
    let today = ReportDays.day(of: visit.visit.now)
    months = Self.months(until: String(today.prefix(7)), count: 13)
    let named = visit.visit.query("month")
    month = months.first { $0 == named } ?? String(today.prefix(7))
    division = visit.visit.query("by").flatMap { RevenueReport.Dimension(rawValue: $0) }
  }

  var fields: [ListFilters.Choice] {
    [
      .init(name: "month", label: BilingualText("Month", "月份"), values: months),
      .init(
        name: "by", label: BilingualText("Divided by", "划分"),
        values: RevenueReport.Dimension.allCases.map(\.rawValue), words: Words.dimensions),
      ConsolePages.environments,
    ]
  }

  /// Nil never happens: the month has a first and a last day.
  func request(in appEnvironment: AppEnvironment) -> RevenueReport.Request? {
    let last = (28...31).reversed().lazy.map { "\(month)-\($0)" }
    return last.compactMap { ReportDays(from: month + "-01", to: $0) }.first.map {
      RevenueReport.Request($0, by: division.map { [$0] } ?? [], in: appEnvironment)
    }
  }

  private static func months(until last: String, count: Int) -> [String] {
    let parts = last.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 2 else { return [last] }
    let number = parts[0] * 12 + parts[1] - 1
    return (0..<count).map { back in
      let (year, month) = (number - back).quotientAndRemainder(dividingBy: 12)
      return "\(year)-\(month < 9 ? "0" : "")\(month + 1)"
    }
  }
}

extension ConsolePages {
  func showReport(_ visit: AppVisit) async throws -> HTTPResponse {
    let choice = ReportChoice(visit)
    let page = ReportPage(visit: visit, choice: choice, report: try await report(choice, visit))
    return console.page(ReportPage.title[visit.language], page.markup, for: visit, at: .reports)
  }

  func exportReport(_ visit: AppVisit) async throws -> HTTPResponse {
    guard let report = try await report(ReportChoice(visit), visit) else { throw ConsoleProblem.notFound }
    var table = CSVTable(columns: RevenueReport.columns)
    for line in RevenueReport.lines(of: report) { table.add(line) }
    return try await export(table, as: "revenue", of: try console.environment(visit), for: visit)
  }

  /// Nil if it has too many rows.
  private func report(_ choice: ReportChoice, _ visit: AppVisit) async throws -> JSONValue? {
    guard let request = choice.request(in: try console.environment(visit)) else { return nil }
    do { return try await engine.readRevenueReport(request, of: visit.app).json } catch is ReportTooLarge { return nil }
  }
}
