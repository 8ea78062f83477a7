import AppStoreIntegration
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// One notification: what the store said, and what became of it.
struct NotificationView {
  let visit: AppVisit
  let notification: ReceivedNotification
  let forward: NotificationForward?

  static let type = BilingualText("Type", "类型")
  static let number = BilingualText("Number", "编号")
  static let received = BilingualText("Received", "接收时间")
  static let effect = BilingualText("Effect", "作用")

  static func tag(_ effect: ReceivedNotification.Effect, _ language: Language) -> Markup {
    switch effect {
    case .applied: Display.tag(BilingualText("took effect", "已生效")[language], .ok)
    case .kept: Display.tag(BilingualText("kept", "已保存，未生效")[language], .warn)
    }
  }

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
            Self.tag(notification.effect, language))),
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
        visit.showsPersonal
          ? .element(.pre, [.of(.tabindex, "0")], .foreign(SignedText.readable(notification.signedPayload)))
          : .element(.p, [.style("muted")], visit.hidden)))
  }

  private var facts: Markup {
    let store = notification.store
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
