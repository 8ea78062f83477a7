import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Tables of orders, payments and deliveries.
enum ListPanel {
  static func orders(
    _ orders: [OrderDetails], title: BilingualText, _ visit: AppVisit, filters: Markup = Markup(),
    next: LinkTarget? = nil, first: LinkTarget? = nil
  ) -> Markup {
    let language = visit.language
    let rows = orders.map { details -> [Markup] in
      let order = details.order
      let environment = order.key.appEnvironment.environment
      return [
        Display.id(order.key.id.description, to: visit.link(to: order.key)), Display.time(order.createdAt),
        .element(.a, [.link(visit.link(to: order.user, in: environment))], .foreign(order.user.text)),
        .text("\(Display.text(order.product.grant)) × \(order.quantity)"),
        .text(Words.name(of: order.store)[language]),
        Display.tag(Words.stateName(order.state.name, in: language), order.state.payment == nil ? .plain : .ok),
        delivery(details, language),
      ]
    }
    return table(
      [
        Words.order, Words.created, Words.user, Words.product, Words.store, Words.state, Words.delivery,
      ], rows, title: title, in: language, filters: filters, next: next, first: first)
  }

  private static func delivery(_ details: OrderDetails, _ language: Language) -> Markup {
    guard !details.deliveries.isEmpty else { return .text("–") }
    return details.deliveries.allSatisfy(\.isAcknowledged)
      ? Display.tag(BilingualText("acknowledged", "已确认")[language], .ok)
      : Display.tag(BilingualText("not acknowledged", "未确认")[language], .bad)
  }

  static func payments(
    _ payments: [Payment], title: BilingualText, _ visit: AppVisit, filters: Markup = Markup(),
    next: LinkTarget? = nil, first: LinkTarget? = nil
  ) -> Markup {
    let language = visit.language
    let rows = payments.map { payment -> [Markup] in
      [
        Display.id(payment.key.transaction.text, to: visit.link(to: payment.key)),
        Display.time(payment.facts.purchaseDate),
        payment.owner.map { user in
          .element(.a, [.link(visit.link(to: user, in: payment.key.environment))], .foreign(user.text))
        } ?? .text("–"),
        .foreign(payment.facts.storeProduct.text), .text(Display.amount(of: payment) ?? "–"),
        .text(Words.name(of: payment.key.store)[language]),
        Display.tag(
          Words.stateName(payment.state.name, because: payment.state.reason, in: language),
          payment.state.wasGranted ? .ok : .warn),
      ]
    }
    return table(
      [
        Words.transaction, BilingualText("Bought", "购买时间"), Words.user, Words.product, Words.amount, Words.store,
        Words.state,
      ], rows, title: title, in: language, filters: filters, next: next, first: first)
  }

  static func deliveries(
    _ deliveries: [Delivery], title: BilingualText, _ visit: AppVisit, filters: Markup = Markup(),
    next: LinkTarget? = nil, first: LinkTarget? = nil
  ) -> Markup {
    let language = visit.language
    let rows = deliveries.map { delivery -> [Markup] in
      let order = delivery.order.map { id in
        Display.id(
          id.description, to: visit.link(to: OrderKey(appEnvironment: delivery.payment.appEnvironment, id: id)))
      }
      return [
        Display.id(delivery.id.text, to: visit.link("deliveries", delivery.id.text)),
        Display.time(delivery.createdAt), .text(delivery.kind.type), order ?? .text("–"),
        .text("\(delivery.attempts)"), state(delivery, language),
      ]
    }
    return table(
      [
        Words.delivery, Words.created, BilingualText("Type", "类型"), Words.order, Words.attempts, Words.state,
      ], rows, title: title, in: language, filters: filters, next: next, first: first)
  }

  static func state(_ delivery: Delivery, _ language: Language) -> Markup {
    switch delivery.state {
    case .pending: Display.tag(BilingualText("pending", "待确认")[language], delivery.attempts > 0 ? .bad : .warn)
    case .acknowledged: Display.tag(BilingualText("acknowledged", "已确认")[language], .ok)
    case .parked: Display.tag(BilingualText("parked", "已停放")[language], .bad)
    }
  }

  static func table(
    _ columns: [BilingualText], _ rows: [[Markup]], title: BilingualText, in language: Language,
    filters: Markup = Markup(), next: LinkTarget? = nil, first: LinkTarget? = nil
  ) -> Markup {
    let head = Markup.element(
      .thead,
      .element(.tr, all: columns.map { .element(.th, [.of(.scope, "col")], .text($0[language])) }))
    let body = Markup.element(
      .tbody, all: rows.map { row in .element(.tr, all: row.map { .element(.td, $0) }) })
    let table = Markup.element(
      .div, [.style("list"), .of(.tabindex, "0"), .of(.role, "region"), .of(.ariaLabel, title[language])],
      .element(.table, head, body))
    let empty = Markup.element(
      .p, [.style("empty")], .text(BilingualText("Nothing here.", "没有内容。")[language]))
    return .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))), filters,
      rows.isEmpty ? empty : table, pager(next: next, first: first, language))
  }

  static func pager(next: LinkTarget?, first: LinkTarget?, _ language: Language) -> Markup {
    guard next != nil || first != nil else { return Markup() }
    return .element(
      .div, [.style("pager")],
      first.map { .element(.a, [.style("button small"), .link($0)], .text(Words.first[language])) } ?? Markup(),
      next.map { .element(.a, [.style("button small"), .link($0)], .text(Words.next[language])) } ?? Markup())
  }
}

/// Filters above a list: a form whose fields stand in the address, so that a link shows the same to a colleague.
struct ListFilters {
  struct Choice {
    let name: String
    let label: BilingualText
    let values: [String]
    /// What stands on the page for a value; otherwise the value itself.
    var words: [String: BilingualText] = [:]
  }

  let choices: [Choice]
  let target: LinkTarget
  /// The file with the same rows, for who may export.
  var exportsTo: String?

  func markup(_ visit: AppVisit) -> Markup {
    let language = visit.language
    let fields = choices.map { choice -> Markup in
      let chosen = visit.visit.query(choice.name)
      let all = Markup.element(.option, [.of(.value, "")], .text(Words.all[language]))
      let options = choice.values.map { value in
        Markup.element(
          .option, [.of(.value, value)] + (value == chosen ? [.of(.selected)] : []),
          .text(choice.words[value]?[language] ?? value))
      }
      return .element(
        .label, .text(choice.label[language]),
        .element(.select, [.of(.name, choice.name)], all: [all] + options))
    }
    let kept = choices.compactMap { choice in visit.visit.query(choice.name).map { (name: choice.name, value: $0) } }
    let file = exportsTo.flatMap { name -> Markup? in
      guard visit.may(.moveMoney) else { return nil }
      return Markup.element(.a, [.style("button"), .link(visit.link(name, query: kept))], .text("CSV"))
        + Markup.element(.small, .text(ListFile.bound[language]))
    }
    return .element(
      .form, [.style("filters"), .action(target)], Markup(fields),
      .element(.button, [.style("button"), .of(.type, "submit")], .text(Words.apply[language])), file ?? Markup())
  }
}
