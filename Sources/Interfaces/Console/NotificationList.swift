import AppStoreProtocol
import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayProtocol

/// All notifications of both stores, the newest first; how many had no effect; and those that the earlier system has
/// not taken.
struct NotificationList {
  let visit: AppVisit
  let page: NotificationPage
  let keptCounts: [(type: String, count: Int)]
  let forwards: [NotificationForward]
  let next: LinkTarget?
  let first: LinkTarget?

  static let title = BilingualText("Store notifications", "商店通知")
  private var language: Language { visit.language }

  var markup: Markup {
    ConsolePages.heading(Self.title, visit) + .element(.p, .text(Self.explanation[language]))
      + .element(.div, [.style("stack")], all, kept, notTaken)
  }

  private var all: Markup {
    let known = NotificationTypeV2.allCases.map(\.rawValue).sorted() + WeChatPayEventType.allCases.map(\.rawValue)
    let others = Set(keptCounts.map(\.type)).subtracting(known).sorted()
    let filters = ListFilters(
      choices: [
        .init(name: "store", label: Words.store, values: Store.allCases.map(\.rawValue), words: Words.stores),
        .init(
          name: "state", label: NotificationView.effect,
          values: ReceivedNotification.Effect.allCases.map(\.rawValue), words: Words.states),
        .init(name: "type", label: NotificationView.type, values: known + others), ConsolePages.environments,
      ], target: visit.link("notifications"))
    let rows = page.notifications.map { one -> [Markup] in
      [
        Display.id(one.id, to: visit.link(to: one)), Display.time(one.receivedAt),
        .text(Words.name(of: one.store)[language]),
        .foreign([one.type, one.subtype].compactMap(\.self).joined(separator: " ")),
        one.transaction.map { transaction in
          Display.id(
            transaction.text,
            to: visit.link(
              to: PaymentKey(
                app: one.appEnvironment.app, store: one.store, environment: one.appEnvironment.environment,
                transaction: transaction)))
        } ?? .text("–"), NotificationView.tag(one.effect, language),
      ]
    }
    return ListPanel.table(
      [
        NotificationView.number, NotificationView.received, Words.store, NotificationView.type, Words.transaction,
        NotificationView.effect,
      ], rows, title: BilingualText("The newest first", "最新的在前"), in: language, filters: filters.markup(visit),
      next: next, first: first)
  }

  private var kept: Markup {
    let rows = keptCounts.map { count -> [Markup] in
      let query = [("type", count.type), ("state", ReceivedNotification.Effect.kept.rawValue)]
      let realm = visit.visit.query("environment").map { [("environment", $0)] } ?? []
      return [
        .element(.a, [.link(visit.link("notifications", query: query + realm))], .foreign(count.type)),
        .text("\(count.count)"),
      ]
    }
    return ListPanel.table(
      [NotificationView.type, BilingualText("Kept", "已保存")], rows,
      title: BilingualText("Kept without an effect, by type", "未生效的通知（按类型）"), in: language)
  }

  private var notTaken: Markup {
    let rows = forwards.map { one -> [Markup] in
      [
        Display.id(
          one.notification,
          to: visit.link(
            "notifications", one.notification,
            query: [("environment", one.appEnvironment.environment.rawValue)])), Display.time(one.createdAt),
        .text("\(one.attempts)"), .foreign(one.lastProblem ?? "–"),
      ]
    }
    return ListPanel.table(
      [
        NotificationView.number, NotificationView.received, Words.attempts,
        BilingualText("Last problem", "上次的问题"),
      ], rows, title: BilingualText("Not taken by the earlier system", "旧系统尚未接收"), in: language)
  }

  private static let explanation = BilingualText(
    "What a notification did stands on the page of its payment. A search finds one by its number. A page with a filter"
      + " may be short, and the next one go on.",
    "通知的作用见对应支付的页面；可按通知编号搜索。筛选后一页可能较短，下一页会继续。")
}
