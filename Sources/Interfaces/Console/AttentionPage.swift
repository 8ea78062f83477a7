import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Everything that needs somebody, the longest waiting first, each with what to do and who works on it.
struct AttentionPage {
  /// The values of the filter by operator: one's own items, and those that nobody works on.
  static let (mine, nobodys) = ("mine", "nobody")

  let visit: AppVisit
  let entries: [QueueEntry]
  /// How many stopped changes the app has.
  let stopped: Int
  let now: Timestamp
  var next: LinkTarget?
  var first: LinkTarget?

  private var language: Language { visit.language }

  var markup: Markup {
    let filters = ListFilters(
      choices: [
        .init(
          name: "kind", label: BilingualText("Kind", "类别"),
          values: AttentionItem.Kind.allCases.map(\.rawValue), words: Words.attention),
        .init(
          name: "assigned", label: Words.assignee, values: [Self.mine, Self.nobodys],
          words: [
            Self.mine: BilingualText("me", "我"), Self.nobodys: BilingualText("nobody", "无人处理"),
          ]),
      ], target: visit.link("needs-attention"))
    let empty = Markup.element(
      .p, [.style("empty")], .text(BilingualText("Nothing needs attention.", "没有待处理的事项。")[language]))
    let count = BilingualText("\(stopped) stopped changes.", "共 \(stopped) 笔被中止的变更。")
    let all = stopped == 0 ? Markup() : visit.form(.retryAll, on: ["needs-attention"], about: count[language])
    return .element(
      .div, [.style("head")], .element(.h1, .text(Words.needsAttention[language])),
      .element(.div, [.style("actions")], all))
      + .element(
        .section, [.style("panel")], filters.markup(visit),
        entries.isEmpty ? empty : .element(.ul, [.style("items")], all: entries.map(row)),
        ListPanel.pager(next: next, first: first, language))
  }

  private func row(_ entry: QueueEntry) -> Markup {
    let item = entry.item
    let since = item.since.map { moment in
      Markup.element(
        .span, [.style("who")], .text(Display.age(now - moment, language) + " · "), Display.time(moment))
    }
    return .element(
      .li,
      .element(
        .div, [.style("line")], .element(.b, .text(Words.row(item.row, language))),
        Display.tag(Words.attention[item.kind.rawValue]?[language] ?? item.kind.rawValue),
        item.amount.map { .text(Display.text($0)) } ?? Markup(),
        Display.environmentTag(item.appEnvironment.environment, language), Self.tag(entry.assignment, visit),
        since ?? Markup()),
      .element(.p, .text(item.resolution.advice[language])),
      item.finding.map { .element(.p, [.style("muted")], found($0)) } ?? Markup(),
      .element(.div, [.style("actions")], all: links(item) + [form(entry)]))
  }

  /// What was found, in the language of the page, with times as every page has them.
  private func found(_ finding: AttentionItem.Finding) -> Markup {
    switch finding {
    case .text(let text): return .foreign(text)
    case .words(let words): return .foreign(words[language])
    case .due(let moment): return .text(BilingualText("due ", "期限：")[language]) + Display.time(moment)
    case .differences(let count, let kinds):
      let words = Words.listed(kinds.map { Words.difference($0, language) }, language)
      return .text("\(count)" + BilingualText(": ", "：")[language] + words)
    }
  }

  /// Who works on something; nothing if nobody does.
  static func tag(_ assignment: ItemAssignment?, _ visit: AppVisit) -> Markup {
    guard let assignment else { return Markup() }
    let isMine = assignment.to == visit.call.account.name
    return Display.tag(Words.assignee[visit.language] + ": " + assignment.to.text, isMine ? .info : .plain)
  }

  /// It suggests oneself, whoever has it now.
  private func form(_ entry: QueueEntry) -> Markup {
    visit.form(
      .assign, on: ["needs-attention", entry.item.appEnvironment.environment.rawValue, entry.name],
      given: [.assignee: visit.call.account.name.text, .formerAssignee: entry.assignment?.to.text ?? ""])
  }

  private func links(_ item: AttentionItem) -> [Markup] {
    var links: [Markup] = []
    if let payment = item.payment {
      links.append(link(Words.payment, payment.transaction.text, to: visit.link(to: payment)))
    }
    if let order = item.order {
      links.append(
        link(
          Words.order, order.description,
          to: visit.link(to: OrderKey(appEnvironment: item.appEnvironment, id: order))))
    }
    if let user = item.user {
      links.append(link(Words.user, user.text, to: visit.link(to: user, in: item.appEnvironment.environment)))
    }
    if item.kind == .complaint, let id = item.subject {
      links.append(link(Words.complaints, id, to: visit.link("complaints", id)))
    }
    if item.kind == .parkedForward, let id = item.subject {
      links.append(
        link(
          NotificationList.title, id,
          to: visit.link(
            "notifications", id, query: [("environment", item.appEnvironment.environment.rawValue)])))
    }
    if item.kind == .parkedDelivery, let id = item.subject {
      links.append(link(Words.delivery, id, to: visit.link("deliveries", id)))
    }
    return links
  }

  private func link(_ words: BilingualText, _ text: String, to target: LinkTarget) -> Markup {
    .element(
      .a, [.style("button small"), .link(target)], .text(words[language] + " "), .foreign(String(text.prefix(24))))
  }
}

/// What a search found.
struct SearchPage {
  let visit: AppVisit
  /// What was typed, as it was looked up; nil if it cannot be looked up.
  let term: String?
  let result: SearchResult?

  private var language: Language { visit.language }

  var markup: Markup {
    .element(
      .div, [.style("head")],
      .element(.h1, .text(Words.search[language]), " ", term.map { .foreign($0) } ?? Markup()))
      + (result.map(found) ?? hint)
  }

  private var hint: Markup {
    let words = BilingualText(
      "Type a number: of an order, transaction, receipt, refund, complaint, delivery or request, or a user's name.",
      "请输入任意单号：订单号、交易号、收据号、退款号、投诉单号、通知编号、请求编号，或用户名。")
    return .element(.section, [.style("panel")], .element(.p, [.style("empty")], .text(words[language])))
  }

  private func found(_ result: SearchResult) -> Markup {
    if result.hits.isEmpty {
      let tried = Words.listed(result.tried.map { Words.words(for: $0)[language] }, language)
      return .element(
        .section, [.style("panel")],
        .element(
          .p, [.style("empty")],
          .text(BilingualText("Nothing was found. Tried as: \(tried).", "未找到。已尝试：\(tried)。")[language])), askApple)
    }
    let rows = result.hits.map { hit -> [Markup] in
      [
        Display.tag(Words.hits[hit.kind.rawValue]?[language] ?? hit.kind.rawValue),
        Self.target(of: hit, visit).map { Display.id(hit.id, to: $0) } ?? .foreign(hit.id), .foreign(hit.title),
        state(of: hit),
        Display.environmentTag(hit.appEnvironment.environment, language),
      ]
    }
    return ListPanel.table(
      [
        BilingualText("Kind", "类别"), BilingualText("Number", "单号"), BilingualText("What", "内容"), Words.state,
        Words.environment,
      ], rows,
      title: result.hasMore
        ? BilingualText("The first hits; there are more", "仅显示部分结果") : BilingualText("Hits", "搜索结果"), in: language)
  }

  private func state(of hit: SearchHit) -> Markup {
    guard let name = hit.state else { return .text("–") }
    return hit.kind == .complaint
      ? ComplaintList.state(name, language) : .text(Words.stateName(name, in: language))
  }

  /// The way to ask Apple, for what may be the order number in its mail to the customer.
  private var askApple: Markup {
    guard let number = term.flatMap({ AppleOrderNumber($0) }) else { return Markup() }
    let form = visit.form(.askApple, on: ["order-numbers", number.text], isMain: true)
    return form.isEmpty ? form : .element(.div, [.style("actions")], form)
  }

  /// The page of the only hit, which a search goes to at once. Nil after an action: the page of the search then says
  /// what became of it.
  static func onlyTarget(_ result: SearchResult?, _ visit: AppVisit) -> LinkTarget? {
    guard let result, result.hits.count == 1, visit.visit.query(Notice.name) == nil else { return nil }
    return target(of: result.hits[0], visit)
  }

  /// The page of a hit, for a refund that of its payment; nil for one without a page.
  static func target(of hit: SearchHit, _ visit: AppVisit) -> LinkTarget? {
    switch hit.kind {
    case .order:
      OrderIdentifier(hit.id).map { visit.link(to: OrderKey(appEnvironment: hit.appEnvironment, id: $0)) }
    case .payment:
      hit.store.map { store in
        visit.link(
          to: PaymentKey(
            app: hit.appEnvironment.app, store: store, environment: hit.appEnvironment.environment,
            transaction: TransactionIdentifier(hit.id)))
      }
    case .user: visit.link(to: UserIdentifier(hit.id), in: hit.appEnvironment.environment)
    case .delivery: visit.link("deliveries", hit.id)
    case .notification:
      visit.link(
        "notifications", hit.id, query: [("environment", hit.appEnvironment.environment.rawValue)])
    case .refund: hit.payment.map { visit.link(to: $0) }
    // Complaints are read in the app's own environment alone.
    case .complaint: hit.appEnvironment == visit.app.homeEnvironment ? visit.link("complaints", hit.id) : nil
    }
  }
}
