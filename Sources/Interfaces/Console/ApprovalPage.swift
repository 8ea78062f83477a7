import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// What waits for a second operator, and what became of it.
struct ApprovalPage {
  let visit: AppVisit
  /// Each with whether this operator may decide about it.
  let approvals: [(approval: Approval, mayDecide: Bool)]
  /// What each would change, by its id.
  let effects: [String: [ApprovalEffect]]
  let now: Timestamp

  private var language: Language { visit.language }

  var markup: Markup {
    let open = approvals.filter { [.asked, .approved].contains($0.approval.state(at: now)) }
    let decided = approvals.filter { ![.asked, .approved].contains($0.approval.state(at: now)) }
    return .element(.div, [.style("head")], .element(.h1, .text(Words.approvals[language])))
      + .element(.div, [.style("stack")], list(Self.waiting, open), list(Self.decided, decided))
  }

  private func list(_ title: BilingualText, _ shown: [(approval: Approval, mayDecide: Bool)]) -> Markup {
    let empty = Markup.element(.p, [.style("empty")], .text(BilingualText("Nothing here.", "没有内容。")[language]))
    return .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))),
      shown.isEmpty ? empty : .element(.ul, [.style("items")], all: shown.map { item($0.approval, $0.mayDecide) }))
  }

  private func item(_ approval: Approval, _ mayDecide: Bool) -> Markup {
    let title = ConsoleAction(entry: approval.action)?.title[language] ?? approval.action
    let state = approval.state(at: now)
    let problem = approval.problem.map { ": " + $0 } ?? ""
    return .element(
      .li,
      .element(
        .div, [.style("line")], .element(.b, .text(title)), Display.environmentTag(approval.environment, language),
        Display.tag(Self.name(of: state)[language] + problem, Self.tone(of: state))),
      Display.pairs(
        [
          (Self.on, object(approval)), (Words.reason, .foreign(approval.reason)),
          (Self.askedBy, .foreign(approval.askedBy.text) + " " + Display.time(approval.askedAt)),
          (Self.until, state == .asked ? Display.time(approval.expiresAt) : nil),
          (
            Self.decidedBy,
            approval.decidedBy.map {
              .foreign($0.text) + " " + (approval.decidedAt.map { Display.time($0) } ?? Markup())
            }
          ),
        ] + arguments(approval), language), Markup((effects[approval.id] ?? []).map(effect)),
      mayDecide ? forms(approval, state) : Markup())
  }

  /// How it stands now, and how it stands once this is done.
  private func effect(_ effect: ApprovalEffect) -> Markup {
    let words = BilingualText("now \(effect.before), then \(effect.after)", "现为 \(effect.before)，通过后为 \(effect.after)")
    return .element(
      .p, [.style("effect")], .element(.b, .text(effect.name[language] + ": ")), .text(words[language]))
  }

  private func arguments(_ approval: Approval) -> [(name: BilingualText, value: Markup?)] {
    (approval.asked?.arguments ?? [:]).sorted { $0.key < $1.key }.map { name, value in
      let amount = Int64(value).map { Display.text(Money(minorUnits: $0, currency: .cny)) }
      let words = ActionField(rawValue: name)?.label ?? BilingualText(name, name)
      return name == ActionField.amount.rawValue ? (Words.amount, .text(amount ?? value)) : (words, .foreign(value))
    }
  }

  /// The object, with a link to its page.
  private func object(_ approval: Approval) -> Markup {
    let parts = approval.object.split(separator: ":", maxSplits: 1).map(String.init)
    switch approval.objectKind {
    case "payment" where parts.count == 2:
      return Display.id(
        parts[1], to: visit.link("payments", parts[0], approval.environment.rawValue, parts[1]))
    case "user":
      return .element(
        .a, [.link(visit.link(to: UserIdentifier(approval.object), in: approval.environment))],
        .foreign(approval.object))
    default: return .foreign(approval.object)
    }
  }

  private func forms(_ approval: Approval, _ state: Approval.State) -> Markup {
    let again = state == .approved
    return .element(
      .div, [.style("do")], form("approve", titled: again ? Self.again : Self.approve, for: approval),
      again ? Markup() : form("refuse", titled: Self.refuse, for: approval))
  }

  /// Closed until it is wanted, as the forms of other actions.
  private func form(_ name: String, titled title: BilingualText, for approval: Approval) -> Markup {
    let style = HTMLAttribute.style(name == "approve" ? "button main" : "button")
    return .element(
      .details, [.style("act")], .element(.summary, [style], .text(title[language])),
      .element(
        .form, [.of(.method, "post"), .action(visit.link("approvals", approval.id, name))],
        PageFrame.hidden("token", visit.call.formToken), PageFrame.hidden("press", visit.newPress()),
        PageFrame.hidden("digest", approval.digest), ReasonField.markup("\(name)-\(approval.id)", in: language),
        .element(.button, [style, .of(.type, "submit")], .text(title[language]))))
  }

  private static func name(of state: Approval.State) -> BilingualText {
    switch state {
    case .asked: BilingualText("waits", "待复核")
    case .approved: BilingualText("approved, not known to be done", "已通过，尚未确认执行")
    case .done: BilingualText("done", "已执行")
    case .failed: BilingualText("approved, then refused", "已通过，执行被拒绝")
    case .refused: BilingualText("refused", "未通过")
    case .ended: BilingualText("ended", "已过期")
    }
  }

  private static func tone(of state: Approval.State) -> Tone {
    switch state {
    case .asked, .approved: .warn
    case .done: .ok
    case .failed: .bad
    case .refused, .ended: .plain
    }
  }

  private static let waiting = BilingualText("Waiting", "待处理")
  private static let decided = BilingualText("Decided or ended in the last 30 days", "最近 30 天内已处理或已过期")
  private static let on = BilingualText("On", "对象")
  private static let askedBy = BilingualText("Asked by", "申请人")
  private static let decidedBy = BilingualText("Decided by", "复核人")
  private static let until = BilingualText("Ends", "截止")
  private static let approve = BilingualText("Approve and do it", "通过并执行")
  private static let again = BilingualText("Do it again", "再次执行")
  private static let refuse = BilingualText("Refuse", "不通过")
}
