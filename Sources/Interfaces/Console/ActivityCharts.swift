import HTTPMessages
import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// What happened in the last 24 hours or 7 days, as charts of the overview.
struct ActivityCharts {
  /// How much time is shown.
  enum Span: String, CaseIterable {
    case day, week

    var title: BilingualText {
      switch self {
      case .day: BilingualText("24 hours", "24 小时")
      case .week: BilingualText("7 days", "7 天")
      }
    }
  }

  let visit: AppVisit
  let span: Span
  /// Nil if nothing was counted yet.
  let activity: Activity?
  let now: Timestamp

  private var language: Language { visit.language }

  var markup: Markup {
    let head = Markup.element(
      .div, [.style("head")],
      .element(.div, .element(.h2, .text(Self.title[language])), .element(.p, [.style("muted")], .text(state))),
      .element(
        .nav, [.style("filter"), .of(.ariaLabel, Self.period[language])],
        all: Span.allCases.map { one in
          .element(
            .a,
            [.link(visit.link(query: one == .day ? [] : [("span", one.rawValue)]))]
              + (one == span ? [.of(.ariaCurrent, "page")] : []), .text(one.title[language]))
        }))
    guard let activity else { return head }
    return head + .element(.div, [.style("charts")], all: charts(activity).map(\.markup))
  }

  // MARK: what is counted

  /// A count that lags more is one that still fills old hours.
  private static let lagMax = TimeSpan.minutes(5)

  private var state: String {
    guard let activity else { return Self.nothing[language] }
    let since = String(Display.text(HourlyTotal.start(ofHour: activity.since)).prefix(16))
    let until = Display.text(min(now, activity.until))
    guard now - activity.until <= Self.lagMax else {
      return BilingualText(
        "Figures exist from \(since) on. Older hours are still being counted: complete until \(until).",
        "自 \(since) 起有统计。较早的时段仍在统计中：完整至 \(until)。")[language]
    }
    return BilingualText(
      "Figures exist from \(since) on, and are about a minute behind.", "自 \(since) 起有统计，约滞后一分钟。")[language]
  }

  // MARK: columns

  private struct Column {
    let hours: Range<Int64>
    /// In full, and as the axis shows it.
    let text: String
    let short: String
  }

  /// The hours of a span, up to the present one; days are those of the shown zone.
  static func hours(of span: Span, at now: Timestamp) -> Range<Int64> {
    let hour = HourlyTotal.hour(of: now)
    switch span {
    case .day: return hour - 23..<hour + 1
    case .week:
      let today = (hour + zoneHours).flooredDivision(by: 24)
      return (today - 6) * 24 - zoneHours..<(today + 1) * 24 - zoneHours
    }
  }

  /// That of `Display`.
  private static let zoneHours: Int64 = 8

  private var columns: [Column] {
    let hours = Self.hours(of: span, at: now)
    let size: Int64 = span == .day ? 1 : 24
    return stride(from: hours.lowerBound, to: hours.upperBound, by: Int(size)).map { first in
      let text = Display.text(HourlyTotal.start(ofHour: first))
      let shown = text.prefix(span == .day ? 16 : 10)
      return Column(hours: first..<first + size, text: String(shown), short: String(shown.suffix(5)))
    }
  }

  /// The sums of the columns; nil for those of which nothing was counted.
  private func values(_ activity: Activity, _ columns: [Column], of amounts: [Int64: Int64]) -> [Int64?] {
    columns.map { column in
      guard column.hours.upperBound > activity.since,
        HourlyTotal.start(ofHour: column.hours.lowerBound) <= activity.until
      else { return nil }
      return column.hours.reduce(Int64(0)) { sum, hour in
        let (new, overflow) = sum.addingReportingOverflow(amounts[hour] ?? 0)
        return overflow ? Int64.max : new
      }
    }
  }

  // MARK: charts

  private func charts(_ activity: Activity) -> [BarChart] {
    let columns = columns
    let counts = Dictionary(grouping: activity.totals, by: \.key.what).mapValues { totals in
      totals.reduce(into: [Int64: Int64]()) { $0[$1.key.hour, default: 0] += $1.count }
    }
    func chart(_ title: BilingualText, _ series: [BarChart.Series], note: BilingualText) -> BarChart {
      BarChart(
        title: title[language], note: note[language], columns: columns.map(\.text),
        ends: (columns.first?.short ?? "", columns.last?.short ?? ""), series: series, language: language)
    }
    /// A rare name has a row only where it happened.
    func rows(_ names: [(what: String, words: BilingualText, tone: Tone)], always: Int) -> [BarChart.Series] {
      names.enumerated().compactMap { place, name in
        let row = BarChart.Series(
          name.words[language], name.tone, values: values(activity, columns, of: counts[name.what] ?? [:]))
        return place < always || row.sum > 0 ? row : nil
      }
    }
    return [
      chart(Self.ordersTitle, rows(Self.orders, always: 1), note: Self.ordersNote),
      chart(Self.amountsTitle, amounts(activity, columns), note: Self.amountsNote),
      chart(Self.outcomesTitle, rows(Self.outcomes, always: 3), note: Self.outcomesNote),
      chart(
        Self.deliveriesTitle, deliveries(activity, columns, made: counts[HourlyTotal.deliveryMade] ?? [:]),
        note: Self.deliveriesNote),
    ]
  }

  /// A row for each currency. Payments without a stated price are counted, since they have no amount.
  private func amounts(_ activity: Activity, _ columns: [Column]) -> [BarChart.Series] {
    let granted = Dictionary(grouping: activity.totals.filter { $0.key.what == Self.granted }, by: \.key.currency)
    let rows = granted.sorted { $0.key < $1.key }.map { currency, totals in
      let byHour = Dictionary(totals.map { ($0.key.hour, currency.isEmpty ? $0.count : $0.amount) }) { $0 + $1 }
      let numbers = values(activity, columns, of: byHour)
      guard !currency.isEmpty else { return BarChart.Series(Self.unpriced[language], .warn, values: numbers) }
      return BarChart.Series(currency, .ok, values: numbers) {
        Display.text(StatedPrice(milliunits: $0, currency: currency))
      }
    }
    guard rows.isEmpty else { return rows }
    return [BarChart.Series(Words.amount[language], .ok, values: values(activity, columns, of: [:]))]
  }

  private func deliveries(_ activity: Activity, _ columns: [Column], made: [Int64: Int64]) -> [BarChart.Series] {
    var (acknowledged, pending, parked) = (made, [Int64: Int64](), [Int64: Int64]())
    for open in activity.open {
      acknowledged[open.hour, default: 0] -= open.count
      if open.isParked { parked[open.hour] = open.count } else { pending[open.hour] = open.count }
    }
    return [
      (Words.states["acknowledged"], Tone.ok, acknowledged), (Words.states["pending"], .warn, pending),
      (Words.states["parked"], .bad, parked),
    ].map { words, tone, counts in
      BarChart.Series(words?[language] ?? "", tone, values: values(activity, columns, of: counts))
    }
  }

  // MARK: words

  private static let title = BilingualText("What happened", "业务概况")
  private static let period = BilingualText("Period", "时间范围")
  private static let nothing = BilingualText(
    "No hour is counted yet. The first count begins when the server starts.", "尚无统计。服务器启动后开始首次统计。")
  private static let granted = "payment.fulfilled"
  private static let unpriced = BilingualText("Payments without a stated price", "未标明价格的支付笔数")

  private static let ordersTitle = BilingualText("Paid orders", "已支付订单")
  private static let ordersNote = BilingualText("By the time at which the payment was recorded here.", "按支付入库的时间统计。")
  private static let orders: [(what: String, words: BilingualText, tone: Tone)] = [
    ("order.paid", BilingualText("Paid", "已支付"), .ok),
    ("order.paidLate", BilingualText("Paid after closing", "关闭后支付"), .warn),
    ("order.derived", BilingualText("Made from a payment", "根据支付创建"), .info),
  ]

  private static let amountsTitle = BilingualText("Amount by currency", "各币种金额")
  private static let amountsNote = BilingualText(
    "Granted payments at the price that the store states, renewals included. Refunds are not subtracted.",
    "已入账支付按商店标明的价格计，含续订，未扣除退款。")

  private static let outcomesTitle = BilingualText("Outcomes of payments", "支付处理结果")
  private static let outcomesNote = BilingualText(
    "Each time that a payment reached the state: one that was held and then granted counts in both.",
    "按支付进入该状态的次数统计：先挂起后入账的支付两边都计入。")
  private static let outcomes: [(what: String, words: BilingualText, tone: Tone)] = [
    ("payment.fulfilled", BilingualText("Granted", "已入账"), .ok),
    ("payment.held", BilingualText("Held", "已挂起"), .bad),
    ("payment.unclaimed", BilingualText("Unclaimed", "待认领"), .warn),
    ("payment.reversed", BilingualText("Taken back", "已冲正"), .warn),
    ("payment.reinstated", BilingualText("Given back", "已恢复"), .info),
    ("payment.revoked", BilingualText("Refunded before the grant", "入账前已退款"), .warn),
    ("payment.setAside", BilingualText("Set aside", "已搁置"), .warn),
    ("payment.imported", BilingualText("Imported", "已导入"), .info),
    ("payment.verified", BilingualText("Verified only", "仅验证"), .info),
  ]

  private static let deliveriesTitle = BilingualText("Deliveries by result", "发货通知结果")
  private static let deliveriesNote = BilingualText(
    "By the time at which they were made, with their present state.", "按通知创建的时间统计，状态为当前状态。")
}

extension ConsolePages {
  func activityCharts(_ visit: AppVisit) async throws -> ActivityCharts {
    let span = visit.visit.query("span").flatMap(ActivityCharts.Span.init(rawValue:)) ?? .day
    let now = visit.visit.now
    let home = AppEnvironment(app: visit.app.id, environment: visit.app.home)
    let activity = try await engine.readActivity(in: ActivityCharts.hours(of: span, at: now), of: home)
    return ActivityCharts(visit: visit, span: span, activity: activity, now: now)
  }
}
