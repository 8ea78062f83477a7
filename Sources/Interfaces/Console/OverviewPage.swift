import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// What waits, with its age, what happened, and the newest orders.
struct OverviewPage {
  let visit: AppVisit
  let backlog: DeliveryBacklog
  let items: [AttentionItem]
  let orders: [OrderDetails]
  let charts: ActivityCharts
  let now: Timestamp

  private var language: Language { visit.language }

  var markup: Markup {
    .element(
      .div, [.style("head")],
      .element(
        .div, .element(.h1, .text(visit.app.id.text)),
        .element(.div, [.style("tags")], all: tags)))
      + .element(.div, [.style("cards")], all: cards)
      + charts.markup + ListPanel.orders(orders, title: BilingualText("Newest orders", "最新订单"), visit)
  }

  private var tags: [Markup] {
    [Display.environmentTag(visit.app.home, language)]
      + (visit.app.isObserving
        ? [Display.tag(BilingualText("Observes only: nothing is granted", "仅观察：不入账")[language], .warn)] : [])
  }

  private var cards: [Markup] {
    let oldest = items.compactMap(\.since).min()
    let refunds = items.filter { $0.kind == .stuckRefund || $0.kind == .disputedRefund }
    return [
      card(
        BilingualText("Not acknowledged by the backend", "后端未确认"), backlog.pending,
        since: backlog.oldestPending, to: visit.link("deliveries", query: [("state", "pending")]),
        tone: backlog.pending == 0 ? .ok : .warn),
      card(
        BilingualText("Parked deliveries", "已停放的通知"), backlog.parked, since: nil,
        to: visit.link("deliveries", query: [("state", "parked")]), tone: backlog.parked == 0 ? .ok : .bad),
      card(
        Words.needsAttention, items.count, since: oldest, to: visit.link("needs-attention"),
        tone: items.isEmpty ? .ok : .bad),
      card(
        BilingualText("Payments that wait", "待处理的支付"), items.filter { $0.kind == .payment }.count,
        since: items.filter { $0.kind == .payment }.compactMap(\.since).min(),
        to: visit.link("needs-attention", query: [("kind", "payment")]),
        tone: items.contains { $0.kind == .payment } ? .bad : .ok),
      card(
        BilingualText("Refunds stuck or disputed", "受阻或有争议的退款"), refunds.count,
        since: refunds.compactMap(\.since).min(), to: visit.link("needs-attention"),
        tone: refunds.isEmpty ? .ok : .bad),
      card(
        BilingualText("Open complaints", "未完成的投诉"), items.filter { $0.kind == .complaint }.count,
        since: items.filter { $0.kind == .complaint }.compactMap(\.since).min(), to: visit.link("complaints"),
        tone: items.contains { $0.kind == .complaint } ? .bad : .ok),
      card(
        BilingualText("Days that differ from a bill", "与账单不符的日期"),
        items.filter { $0.kind == .reconciliationDifference }.count, since: nil,
        to: visit.link("needs-attention", query: [("kind", "reconciliationDifference")]),
        tone: items.contains { $0.kind == .reconciliationDifference } ? .bad : .ok),
    ]
  }

  private func card(
    _ title: BilingualText, _ count: Int, since: Timestamp?, to target: LinkTarget, tone: Tone
  ) -> Markup {
    let age = since.map { Display.age(now - $0, language) }
    let oldest = age.map { BilingualText("oldest \($0)", "最久 \($0)")[language] }
    return .element(
      .a, [.style("panel card \(tone.rawValue)"), .link(target)], .element(.small, .text(title[language])),
      .element(.b, .text(count >= OverviewPage.countMax ? "\(count)+" : "\(count)")),
      .element(.small, .text(oldest ?? (count == 0 ? BilingualText("all well", "正常")[language] : ""))))
  }

  /// More are not counted: the list has them.
  static let countMax = 100
}

/// The choice of an app.
struct AppsPage {
  let apps: [AppPolicy]
  let title = BilingualText("Apps", "应用")

  func markup(_ language: Language) -> Markup {
    let none = BilingualText(
      "Your account has no role in any app. Somebody with access to the server gives one:",
      "您的账号在任何应用中都没有角色。请有服务器权限的同事授予：")
    let items = apps.map { app in
      Markup.element(
        .a, [.style("panel card"), .link(LinkTarget(["console", "app", app.id.text]))],
        .element(.b, .text(app.id.text)), Display.environmentTag(app.home, language))
    }
    return .element(.div, [.style("head")], .element(.h1, .text(title[language])))
      + (apps.isEmpty
        ? .element(.p, .text(none[language]), " ", .element(.code, "counterfoil accounts add NAME --role ROLE"))
        : .element(.div, [.style("cards")], all: items))
  }
}
