import AppStoreIntegration
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Notifications of the stores that had no effect, and those that the earlier system has not taken.
struct NotificationList {
  let visit: AppVisit
  let counts: [(type: String, count: Int)]
  let kept: [ReceivedNotification]
  let forwards: [NotificationForward]
  let next: LinkTarget?
  let first: LinkTarget?

  static let title = BilingualText("Store notifications", "商店通知")
  private var language: Language { visit.language }

  var markup: Markup {
    let filters = ListFilters(
      choices: [
        .init(name: "type", label: NotificationPage.type, values: counts.map(\.type)),
        .init(name: "environment", label: Words.environment, values: StoreEnvironment.allCases.map(\.rawValue)),
      ], target: visit.link("notifications"))
    let types = counts.map { count -> [Markup] in [.foreign(count.type), .text("\(count.count)")] }
    let rows = kept.map { one -> [Markup] in
      [
        Display.id(one.id, to: visit.link(to: one)),
        .foreign([one.type, one.subtype].compactMap(\.self).joined(separator: " ")),
        Display.time(one.receivedAt), one.transaction.map { .foreign($0.text) } ?? .text("–"),
      ]
    }
    let open = forwards.map { one -> [Markup] in
      [
        Display.id(
          one.notification,
          to: visit.link(
            "notifications", one.notification,
            query: [("environment", one.appEnvironment.environment.rawValue)])), Display.time(one.createdAt),
        .text("\(one.attempts)"), .foreign(one.lastProblem ?? "–"),
      ]
    }
    return ConsolePages.heading(Self.title, visit) + .element(.p, .text(Self.explanation[language]))
      + .element(
        .div, [.style("stack")],
        ListPanel.table(
          [NotificationPage.type, BilingualText("Kept", "已保存")], types,
          title: BilingualText("Kept without an effect, by type", "未生效的通知（按类型）"), in: language,
          filters: filters.markup(visit)),
        visit.visit.query("type") == nil
          ? Markup()
          : ListPanel.table(
            [NotificationPage.number, NotificationPage.type, NotificationPage.received, Words.transaction], rows,
            title: BilingualText("Kept", "已保存"), in: language, next: next, first: first),
        ListPanel.table(
          [
            NotificationPage.number, NotificationPage.received, Words.attempts,
            BilingualText("Last problem", "上次的问题"),
          ], open, title: BilingualText("Not taken by the earlier system", "旧系统尚未接收"), in: language))
  }

  private static let explanation = BilingualText(
    "What a notification did stands on the page of its payment. A search finds one by its number.",
    "通知的作用见对应支付的页面；可按通知编号搜索。")
}

/// One notification: what the store said, and what became of it.
struct NotificationPage {
  let visit: AppVisit
  let notification: ReceivedNotification
  let forward: NotificationForward?

  static let type = BilingualText("Type", "类型")
  static let number = BilingualText("Number", "编号")
  static let received = BilingualText("Received", "接收时间")
  private var language: Language { visit.language }

  var markup: Markup {
    let realm = notification.appEnvironment.environment
    let isApplied = notification.effect == .applied
    let again =
      notification.isFromAppStore
      ? visit.form(.applyNotification, on: ["notifications", realm.rawValue, notification.id], isMain: !isApplied)
      : Markup()
    return .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("notifications"))], .text(NotificationList.title[language])))
      + .element(
        .div, [.style("head")],
        .element(
          .div, .element(.h1, .foreign(notification.type)), Display.id(notification.id, language),
          .element(
            .div, [.style("tags")], Display.environmentTag(realm, language),
            isApplied
              ? Display.tag(BilingualText("took effect", "已生效")[language], .ok)
              : Display.tag(BilingualText("kept", "已保存，未生效")[language], .warn))),
        .element(.div, [.style("actions")], again))
      + .element(
        .div, [.style("cols")], .element(.div, [.style("stack")], payload), .element(.div, [.style("side-col")], facts))
  }

  private var payload: Markup {
    .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("What the store signed", "商店签名的内容")[language]))),
      .element(
        .div, [.style("body")],
        visit.may(.readPersonalData)
          ? .element(.pre, [.of(.tabindex, "0")], .foreign(SignedText.readable(notification.signedPayload)))
          : .element(.p, [.style("muted")], .text(Words.hidden[language]))))
  }

  private var facts: Markup {
    let store: Store = notification.isFromAppStore ? .appStore : .weChatPay
    let payment = notification.transaction.map { transaction in
      Display.id(
        transaction.text,
        to: visit.link(
          to: PaymentKey(
            app: notification.appEnvironment.app, store: store, environment: notification.appEnvironment.environment,
            transaction: transaction)))
    }
    let passedOn = forward.map { forward -> BilingualText in
      switch forward.state {
      case .acknowledged: BilingualText("taken", "已接收")
      case .pending: BilingualText("\(forward.attempts) attempts", "已尝试 \(forward.attempts) 次")
      case .parked: BilingualText("parked", "已停放")
      }
    }
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Facts", "事实")[language]))),
      .element(
        .div, [.style("body")],
        Display.pairs(
          [
            (Words.store, .text(Words.name(of: store)[language])),
            (BilingualText("Subtype", "子类型"), notification.subtype.map { .foreign($0) }),
            (Words.transaction, payment), (BilingualText("Signed", "签名时间"), Display.time(notification.signedDate)),
            (Self.received, Display.time(notification.receivedAt)),
            (BilingualText("Earlier system", "旧系统"), passedOn.map { .text($0[language]) }),
          ], language)))
  }
}

extension AppVisit {
  func link(to notification: ReceivedNotification) -> LinkTarget {
    link(
      "notifications", notification.id,
      query: [("environment", notification.appEnvironment.environment.rawValue)])
  }
}
