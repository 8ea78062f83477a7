import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A payment, also one without an order, and also a change that was stopped before a payment was stored.
struct PaymentPage {
  /// The names of a payment's states.
  static let states = [
    "verified", "fulfilled", "unclaimed", "held", "setAside", "revoked", "imported", "reversed", "reinstated",
  ]

  let visit: AppVisit
  let story: PaymentStory
  /// What to tell the customer; nil for a change that was stopped before a payment was stored.
  let customer: BilingualText?

  private var language: Language { visit.language }

  var title: String { Words.payment[language] + " " + story.key.transaction.text }

  var markup: Markup {
    .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("payments"))], .text(Words.payments[language])))
      + .element(
        .div, [.style("head")],
        .element(
          .div, .element(.h1, .text(Words.payment[language])), Display.id(story.key.transaction.text, language),
          .element(.div, [.style("tags")], all: tags)))
      + state
      + .element(
        .div, [.style("cols")],
        .element(.div, [.style("stack")], stopped, timeline), .element(.div, [.style("side-col")], facts, grant))
  }

  private var tags: [Markup] {
    [Display.environmentTag(story.key.environment, language), Display.tag(Words.name(of: story.key.store)[language])]
      + (story.payment.map {
        [Display.tag(Words.stateName($0.state.name, in: language), $0.state.wasGranted ? .ok : .warn)]
      } ?? [])
  }

  /// Why it stands where it stands, and what can be done.
  private var state: Markup {
    guard let payment = story.payment else { return Markup() }
    let advice = payment.state.resolution
    let isSafe = payment.state.wasGranted || advice == nil
    let state = Words.stateName(payment.state.name, because: payment.state.reason, in: language)
    let words = BilingualText("State: \(state).", "状态：\(state)。")
    return .element(
      .section, [.style(isSafe ? "panel answer ok" : "panel answer bad")], .element(.i),
      .element(
        .p, [.style("say")], .element(.b, .text(words[language])), " ", .text(advice?.advice[language] ?? ""), " ",
        setAsideReason(payment)),
      .element(.div, [.style("do")], actions(advice?.acts ?? [])),
      customer.map { Self.telling($0, language) } ?? Markup())
  }

  /// The sentence for the customer, with a button that copies it.
  static func telling(_ customer: BilingualText, _ language: Language) -> Markup {
    .element(
      .p, [.style("tell")], .text(BilingualText("Tell the customer: ", "可以这样答复用户：")[language]),
      .element(.q, .text(customer[language])),
      .element(
        .button,
        [
          .style("copy"), .of(.type, "button"), .of(.dataCopyFrom, "q"), .of(.hidden),
          .of(.ariaLabel, BilingualText("Copy this answer", "复制这段答复")[language]),
        ], Icon.copy))
  }

  private func setAsideReason(_ payment: Payment) -> Markup {
    guard case .setAside(let record) = payment.state else { return Markup() }
    return .text(BilingualText("Set aside by ", "搁置人：")[language]) + .foreign("\(record.by): \(record.reason)")
  }

  private func actions(_ acts: [OperatorAct]) -> Markup {
    let path = [
      "payments", story.key.store.rawValue, story.key.environment.rawValue, story.key.transaction.text,
    ]
    var forms: [Markup] = []
    for act in acts {
      let action: ConsoleAction? =
        switch act {
        case .claim: .claim
        case .retry: .retry
        case .release: .release
        case .setAside: .setAside
        default: nil
        }
      if let action {
        let namesPurchase = action == .claim && story.key.store.opensOrders
        forms.append(visit.form(action, on: path, isMain: forms.isEmpty, namesPurchase: namesPurchase))
      }
    }
    if !story.stopped.isEmpty, !acts.contains(.retry) { forms.append(visit.form(.retry, on: path)) }
    // Apple alone refunds what Apple was paid.
    if story.key.store == .weChatPay, story.payment != nil { forms.append(visit.form(.refund, on: path)) }
    if story.payment?.idsDisagreeSince != nil {
      forms.append(visit.form(.decideRefund, on: path, isMain: forms.isEmpty))
    }
    forms += visit.redirections(of: story.relations.refunds)
    if story.payment != nil { forms.append(visit.form(.notePayment, on: path)) }
    return Markup(forms)
  }

  private var stopped: Markup {
    guard !story.stopped.isEmpty else { return Markup() }
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Stopped changes", "被中止的变更")[language]))),
      .element(
        .ul, [.style("items")],
        all: story.stopped.map { change in
          .element(
            .li, .element(.b, .text(Words.row(change.kind.rawValue, language))), " ",
            .element(.span, .foreign(change.found)),
            .element(.p, [.style("muted")], .text(change.kind.resolution.advice[language])))
        }))
  }

  private var timeline: Markup {
    let timeline = Timeline(
      journal: story.journal.entries, omitted: story.journal.omitted, evidence: story.evidence,
      deliveries: story.deliveries, visit)
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Timeline", "时间线")[language]))),
      timeline.markup(language))
  }

  /// Flags have no order: that of their names in the API.
  private func names(of flags: Set<MatchFlag>) -> String {
    Words.listed(
      flags.sorted { $0.rawValue < $1.rawValue }.map { Words.words(for: $0)[language] }, language)
  }

  private var facts: Markup {
    guard let payment = story.payment else { return Markup() }
    let order = payment.order.map { id in
      Display.id(
        id.description,
        to: visit.link(to: OrderKey(appEnvironment: payment.key.appEnvironment, id: id)))
    }
    let rule = payment.match.map { Words.words(for: $0.rule)[language] }
    func user(_ name: UserIdentifier?) -> Markup? {
      name.map { .element(.a, [.link(visit.link(to: $0, in: payment.key.environment))], .foreign($0.text)) }
    }
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Facts", "事实")[language]))),
      .element(
        .div, [.style("body")],
        Display.pairs(
          [
            (Words.amount, Display.amount(of: payment).map { .text($0) }),
            (Words.product, .foreign(payment.facts.storeProduct.text)),
            (BilingualText("Quantity", "数量"), .text("\(payment.facts.quantity)")), (Words.order, order),
            (BilingualText("Owner", "归属"), user(payment.owner)),
            (BilingualText("Presented by", "提交者"), user(payment.presenter)),
            (BilingualText("Bought", "购买时间"), Display.time(payment.facts.purchaseDate)),
            (BilingualText("First seen", "首次看到"), Display.time(payment.firstSeenAt)),
            (BilingualText("Rule", "匹配规则"), rule.map { .text($0) }),
            (
              BilingualText("Flags", "标记"),
              payment.match.flatMap { match in
                match.flags.isEmpty ? nil : .text(names(of: match.flags))
              }
            ),
          ], language)))
  }

  private var grant: Markup {
    guard let grant = story.relations.grant else { return Markup() }
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("Grant", "入账")[language]))),
      .element(
        .div, [.style("body")],
        Display.pairs(
          [
            (BilingualText("Gives", "内容"), .text(Display.text(grant.content, language))),
            (Words.user, .foreign(grant.user.text)),
            (BilingualText("At", "时间"), Display.time(grant.grantedAt)),
            (BilingualText("Taken back", "已冲正"), grant.takenBack == 0 ? nil : .text("\(grant.takenBack)")),
          ], language)))
  }
}
