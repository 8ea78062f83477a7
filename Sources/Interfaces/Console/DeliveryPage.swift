import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A message to the backend: its state, its attempts, its body.
struct DeliveryPage {
  let visit: AppVisit
  let delivery: Delivery
  let attempts: [DeliveryAttempt]

  private var language: Language { visit.language }

  var markup: Markup {
    .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("deliveries"))], .text(Words.deliveries[language])))
      + .element(
        .div, [.style("head")],
        .element(
          .div, .element(.h1, .text(delivery.kind.type)), Display.id(delivery.id.text, language),
          .element(
            .div, [.style("tags")], ListPanel.state(delivery, language),
            Display.environmentTag(delivery.payment.environment, language))),
        .element(
          .div, [.style("actions")],
          delivery.isAcknowledged ? Markup() : visit.form(.redrive, on: ["deliveries", delivery.id.text], isMain: true))
      )
      + .element(
        .div, [.style("cols")], .element(.div, [.style("stack")], attemptList, bodyPanel),
        .element(.div, [.style("side-col")], facts))
  }

  private var attemptList: Markup {
    let rows = attempts.map { attempt -> [Markup] in
      [
        .text("\(attempt.number)"), Display.time(attempt.at), .text(attempt.status.map { "\($0)" } ?? "–"),
        .text("\(attempt.milliseconds) ms"), .text(attempt.endpoint),
        .foreign(attempt.problem ?? String(decoding: attempt.answer, as: UTF8.self)),
      ]
    }
    return ListPanel.table(
      [
        BilingualText("#", "#"), BilingualText("At", "时间"), BilingualText("Answer", "应答"),
        BilingualText("Took", "耗时"), BilingualText("Endpoint", "接收地址"), BilingualText("Problem", "问题"),
      ], rows, title: BilingualText("Failed attempts", "失败的尝试"), in: language)
  }

  private var bodyPanel: Markup {
    .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Signed body", "签名内容")[language]))),
      .element(
        .div, [.style("body")],
        visit.showsPersonal
          ? (delivery.body.isEmpty
            ? .element(
              .p, [.style("muted")],
              .text(BilingualText("Kept no longer: see [retention].", "保留期已满，见 [retention]。")[language]))
            : .element(.pre, [.of(.tabindex, "0")], .foreign(delivery.body)))
          : .element(.p, [.style("muted")], visit.hidden)))
  }

  private var facts: Markup {
    let order = delivery.order.map { id in
      Display.id(
        id.description, to: visit.link(to: OrderKey(appEnvironment: delivery.payment.appEnvironment, id: id)))
    }
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Facts", "事实")[language]))),
      .element(
        .div, [.style("body")],
        Display.pairs(
          [
            (Words.order, order),
            (
              Words.payment,
              Display.id(delivery.payment.transaction.text, to: visit.link(to: delivery.payment))
            ),
            (Words.created, Display.time(delivery.createdAt)),
            (
              BilingualText("Next attempt", "下次尝试"),
              delivery.state == .pending ? Display.time(delivery.nextAttemptAt) : nil
            ), (Words.attempts, .text("\(delivery.attempts)")),
            (BilingualText("Last problem", "上次的问题"), delivery.lastProblem.map { .foreign($0) }),
          ], language)))
  }
}

/// What operators did, the newest first.
struct AuditLogPage {
  let entries: [AuditLogEntry]
  let next: LinkTarget?
  let first: LinkTarget?

  /// What became of it. The code of an error stays: the manual lists it.
  private static func outcome(of entry: AuditLogEntry, _ language: Language) -> String {
    let words = Words.words(for: entry.outcome)[language]
    return entry.problem.map { words + BilingualText(": ", "：")[language] + $0 } ?? words
  }

  func markup(_ language: Language) -> Markup {
    let rows = entries.map { entry -> [Markup] in
      [
        .text("\(entry.number)"), Display.time(entry.at),
        .foreign(entry.actor) + (entry.role.map { .text(" (\($0.rawValue))") } ?? Markup()),
        .element(.code, .text(entry.action)),
        .foreign([entry.app?.text, entry.objectKind, entry.object].compactMap(\.self).joined(separator: " ")),
        .foreign(entry.reason ?? "–"),
        Display.tag(
          Self.outcome(of: entry, language), entry.outcome == .done ? .ok : .bad),
      ]
    }
    return .element(.div, [.style("head")], .element(.h1, .text(Words.auditLog[language])))
      + ListPanel.table(
        [
          BilingualText("No.", "编号"), BilingualText("At", "时间"), BilingualText("Who", "操作者"),
          BilingualText("What", "操作"), BilingualText("On", "对象"), Words.reason, BilingualText("Outcome", "结果"),
        ], rows, title: BilingualText("Newest first", "最新在前"), in: language, next: next, first: first)
  }
}
