import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayIntegration
import WeChatPayProtocol

/// Complaints of customers at WeChat Pay: those that are open by their deadline, or all of them.
struct ComplaintList {
  static let states = ["open", "all"]

  let visit: AppVisit
  let complaints: [Complaint]
  /// Who works on which, by the number of the complaint.
  let assignments: [String: ItemAssignment]
  let next: LinkTarget?
  let first: LinkTarget?
  let now: Timestamp

  var markup: Markup {
    let language = visit.language
    let filters = ListFilters(
      choices: [.init(name: "state", label: Words.state, values: Self.states, words: Words.states)],
      target: visit.link("complaints"))
    return .element(.div, [.style("head")], .element(.h1, .text(Words.complaints[language])))
      + .element(.p, .text(Self.explanation[language]))
      + Self.table(
        complaints, visit, assignments: assignments, now: now, filters: filters.markup(visit), next: next, first: first)
  }

  static func table(
    _ complaints: [Complaint], _ visit: AppVisit, assignments: [String: ItemAssignment] = [:], now: Timestamp,
    filters: Markup = Markup(),
    next: LinkTarget? = nil, first: LinkTarget? = nil
  ) -> Markup {
    let language = visit.language
    let rows = complaints.map { complaint -> [Markup] in
      [
        Display.id(complaint.id, to: visit.link("complaints", complaint.id)), Display.time(complaint.openedAt),
        state(complaint, language), deadline(complaint, now: now, language),
        complaint.order.map { id in
          Display.id(
            id.description, to: visit.link(to: OrderKey(appEnvironment: complaint.appEnvironment, id: id)))
        } ?? .text("–"),
        complaint.user.map { user in
          .element(.a, [.link(visit.link(to: user, in: complaint.appEnvironment.environment))], .foreign(user.text))
        } ?? .text("–"), .text("\(complaint.times)"),
        assignments[complaint.id].map { AttentionPage.tag($0, visit) } ?? .text("–"),
      ]
    }
    return ListPanel.table(
      [
        BilingualText("Complaint", "投诉单号"), BilingualText("Opened", "投诉时间"), Words.state,
        BilingualText("Time left", "剩余时间"), Words.order, Words.user, BilingualText("Times", "投诉次数"),
        Words.assignee,
      ], rows, title: Words.complaints, in: language, filters: filters, next: next, first: first)
  }

  /// The store's state, in words; one that this version does not know stands there as the store wrote it.
  static func state(_ complaint: Complaint, _ language: Language) -> Markup { state(complaint.state, language) }

  static func state(_ name: String, _ language: Language) -> Markup {
    switch ComplaintState(rawValue: name) {
    case .pending: Display.tag(BilingualText("not answered", "待回复")[language], .bad)
    case .processing: Display.tag(BilingualText("answered", "处理中")[language], .warn)
    case .processed: Display.tag(BilingualText("done", "已完成")[language], .ok)
    case nil: Display.tag(name, .warn)
    }
  }

  static func deadline(_ complaint: Complaint, now: Timestamp, _ language: Language) -> Markup {
    guard let due = complaint.due else { return .text("–") }
    guard due > now else { return Display.tag(BilingualText("over", "已超时")[language], .bad) }
    let left = Display.age(due - now, language)
    let words =
      complaint.answerDue == nil
      ? BilingualText("\(left) to end it", "须在 \(left)内完成") : BilingualText("\(left) to answer", "须在 \(left)内回复")
    return Display.tag(words[language], due - now < .hours(8) ? .bad : .warn)
  }

  private static let explanation = BilingualText(
    "WeChat Pay wants a first answer within 24 hours and an end within 72 hours. Otherwise it may pay the customer from"
      + " your account.",
    "微信支付要求 24 小时内首次回复、72 小时内处理完成，否则可能从商户账户直接赔付用户。")
}

/// One complaint: what the customer wrote, what became of it, its payments, and what can be done.
struct ComplaintPage {
  let visit: AppVisit
  let story: ComplaintStory
  let assignment: ItemAssignment?
  let now: Timestamp

  private var language: Language { visit.language }
  private var complaint: Complaint { story.complaint }
  private var mayRead: Bool { visit.may(.readPersonalData) }

  var markup: Markup {
    .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("complaints"))], .text(Words.complaints[language])))
      + .element(
        .div, [.style("head")],
        .element(
          .div, .element(.h1, .text(BilingualText("Complaint", "投诉")[language])),
          Display.id(complaint.id, language),
          .element(
            .div, [.style("tags")], ComplaintList.state(complaint, language),
            ComplaintList.deadline(complaint, now: now, language),
            Display.environmentTag(complaint.appEnvironment.environment, language),
            AttentionPage.tag(assignment, visit))),
        .element(.div, [.style("actions")], all: complaint.isOpen ? actions : []))
      + .element(
        .div, [.style("cols")], .element(.div, [.style("stack")], textPanel, historyPanel, refundPanel),
        .element(.div, [.style("side-col")], facts))
  }

  private var actions: [Markup] {
    let path = ["complaints", complaint.id]
    return [
      visit.form(
        .answerComplaint, on: path, isMain: complaint.answeredAt == nil || complaint.awaitsReply,
        given: [.talk: story.talk]),
      story.payments.isEmpty ? Markup() : visit.form(.approveComplaintRefund, on: path),
      visit.form(.refuseComplaintRefund, on: path),
      visit.form(.completeComplaint, on: path, isMain: complaint.answeredAt != nil && !complaint.awaitsReply),
    ]
  }

  private var textPanel: Markup {
    let hidden = Markup.element(.p, [.style("muted")], .text(Words.hidden[language]))
    return panel(
      BilingualText("What the customer wrote", "用户投诉内容"),
      mayRead ? .element(.p, .foreign(story.facts?.text ?? "")) + pictureLinks : hidden)
  }

  private var pictureLinks: Markup {
    let links = story.pictures.indices.map { place -> Markup in
      let words = BilingualText("Picture \(place + 1)", "图片 \(place + 1)")
      return .element(
        .a, [.style("button small"), .link(visit.link("complaints", complaint.id, "pictures", "\(place)"))],
        .text(words[language]))
    }
    return links.isEmpty ? Markup() : .element(.div, [.style("actions")], all: links)
  }

  private var historyPanel: Markup {
    let rows = story.history.map { step -> [Markup] in
      [
        step.time.map { Display.time($0) } ?? .text("–"), .foreign(step.by),
        Display.tag(Self.words[step.kind]?[language] ?? step.kind),
        mayRead ? .foreign(step.text) : .text(Words.hidden[language]),
      ]
    }
    return ListPanel.table(
      [
        BilingualText("At", "时间"), BilingualText("Who", "操作者"), BilingualText("What", "操作"),
        BilingualText("Text", "内容"),
      ], rows, title: BilingualText("The talk, the newest first", "协商记录（最新在前）"), in: language)
  }

  private var refundPanel: Markup {
    let payments = story.payments.map { payment -> [Markup] in
      let refunds = story.refunds.filter { $0.payment == payment.key }
      return [
        Display.id(payment.key.transaction.text, to: visit.link(to: payment.key)),
        .text(Display.amount(of: payment) ?? "–"),
        .text(
          refunds.map { "\(Display.text($0.amount)) \(RefundList.name(of: $0.state)[language])" }
            .joined(separator: ", ")),
      ]
    }
    return ListPanel.table(
      [Words.payment, Words.amount, Words.refunds], payments, title: Words.payments, in: language)
  }

  private var facts: Markup {
    let facts = story.facts
    func fen(_ amount: Int64) -> Markup { .text(Display.text(Money(minorUnits: amount, currency: .cny))) }
    return panel(
      BilingualText("Facts", "事实"),
      Display.pairs(
        [
          (BilingualText("Opened", "投诉时间"), Display.time(complaint.openedAt)),
          (BilingualText("Complained last", "最近一次投诉"), Display.time(complaint.begunAt)),
          (BilingualText("Times", "投诉次数"), .text("\(complaint.times)")),
          (BilingualText("First answer", "首次回复"), complaint.answeredAt.map { Display.time($0) }),
          (BilingualText("Done", "完成时间"), complaint.doneAt.map { Display.time($0) }),
          (BilingualText("Kind", "问题类型"), facts?.problem.map { .foreign($0) }),
          (BilingualText("Wants back", "申请退款金额"), facts?.refundAsked.map(fen)),
          (
            BilingualText("WeChat Pay says", "微信标记"),
            facts.flatMap { $0.tags.isEmpty ? nil : .foreign($0.tags.joined(separator: ", ")) }
          ),
          (
            Words.order,
            complaint.order.map { id in
              Display.id(
                id.description, to: visit.link(to: OrderKey(appEnvironment: complaint.appEnvironment, id: id)))
            }
          ),
          (
            Words.user,
            complaint.user.map { user in
              .element(
                .a, [.link(visit.link(to: user, in: complaint.appEnvironment.environment))], .foreign(user.text))
            }
          ),
        ], language))
  }

  private func panel(_ title: BilingualText, _ content: Markup) -> Markup {
    .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))),
      .element(.div, [.style("body")], content))
  }

  /// Steps that this version does not know are shown by WeChat Pay's word.
  private static let words: [String: BilingualText] = [
    "USER_CREATE_COMPLAINT": BilingualText("complained", "提交投诉"),
    "USER_CONTINUE_COMPLAINT": BilingualText("complained again", "继续投诉"),
    "USER_RESPONSE": BilingualText("wrote", "用户留言"),
    "USER_CANCEL_COMPLAINT": BilingualText("withdrew it", "撤诉"),
    "PLATFORM_RESPONSE": BilingualText("WeChat Pay wrote", "平台留言"),
    "MERCHANT_RESPONSE": BilingualText("answered", "商户回复"),
    "MERCHANT_CONFIRM_COMPLETE": BilingualText("ended it", "商户处理完成"),
    "MERCHANT_APPROVE_REFUND": BilingualText("approved the refund", "同意退款"),
    "MERCHANT_REJECT_REFUND": BilingualText("refused the refund", "拒绝退款"),
  ]
}
