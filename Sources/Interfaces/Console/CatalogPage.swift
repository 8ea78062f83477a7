import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// What the app sells or sold, and what Apple sold that nobody configured.
struct CatalogPage {
  let visit: AppVisit
  /// App Store products of payments that are held because nobody configured them, with how many there are.
  let unknown: [(product: StoreProductIdentifier, count: Int)]

  static let title = BilingualText("Products", "商品")

  var markup: Markup {
    let language = visit.language
    let catalog = visit.app.catalog
    let rows = catalog.products.map { product -> [Markup] in
      let kind = Words.words(for: product.kind)[language]
      return [
        .element(.span, [.style("id")], .text(product.id.text)), .text(kind),
        .text(Display.text(product.grant)),
        .text(product.appStoreProducts.map(\.text).joined(separator: ", ")),
        .text(product.weChatPrice.map { Display.text($0) } ?? "–"),
        catalog.retired.contains(product.id) || visit.app.isRetired
          ? Display.tag(BilingualText("retired", "已停售")[language])
          : Display.tag(BilingualText("sold", "在售")[language], .ok),
      ]
    }
    let others = unknown.map { one -> [Markup] in [.foreign(one.product.text), .text("\(one.count)")] }
    return ConsolePages.heading(Self.title, visit) + .element(.p, .text(Self.explanation[language]))
      + .element(
        .div, [.style("stack")],
        unknown.isEmpty
          ? Markup()
          : ListPanel.table(
            [BilingualText("App Store product", "App Store 商品"), Words.payments], others,
            title: BilingualText("Sold by Apple and not configured", "Apple 已售出但未配置"), in: language),
        ListPanel.table(
          [
            Words.product, BilingualText("Kind", "类型"), BilingualText("Gives", "内容"),
            BilingualText("App Store products", "App Store 商品"), BilingualText("WeChat Pay price", "微信支付价格"),
            Words.state,
          ], rows, title: Self.title, in: language))
  }

  private static let explanation = BilingualText(
    "The catalog stands in the configuration. What was sold of each product stands in the reports.",
    "商品在配置文件中设置；销售数据见报表。")
}

/// Users in the order of their newest orders.
struct UserList {
  struct Row {
    let user: UserIdentifier
    let lastOrderAt: Timestamp
    var orders = 0
    var paid = 0
  }

  let visit: AppVisit
  let realm: AppEnvironment
  let rows: [Row]
  let next: LinkTarget?
  let first: LinkTarget?

  static let title = BilingualText("Users", "用户")

  /// The users of these orders, which are the newest first.
  static func rows(of orders: [Order]) -> [Row] {
    var rows: [Row] = []
    var places: [UserIdentifier: Int] = [:]
    for order in orders {
      let place = places[order.user] ?? rows.count
      if place == rows.count { rows.append(Row(user: order.user, lastOrderAt: order.createdAt)) }
      places[order.user] = place
      rows[place].orders += 1
      if order.state.payment != nil { rows[place].paid += 1 }
    }
    return rows
  }

  var markup: Markup {
    let language = visit.language
    let lines = rows.map { row -> [Markup] in
      [
        .element(.a, [.link(visit.link(to: row.user, in: realm.environment))], .foreign(row.user.text)),
        Display.time(row.lastOrderAt), .text("\(row.orders)"), .text("\(row.paid)"),
      ]
    }
    let filters = ListFilters(
      choices: [
        ConsolePages.environments
      ], target: visit.link("users"))
    return ConsolePages.heading(Self.title, visit) + .element(.p, .text(Self.explanation[language]))
      + ListPanel.table(
        [
          Words.user, BilingualText("Newest order", "最近下单"), BilingualText("Orders", "订单数"),
          BilingualText("Paid", "已支付"),
        ], lines, title: Self.title, in: language, filters: filters.markup(visit), next: next, first: first)
  }

  private static let explanation = BilingualText(
    "Users of the newest \(ConsolePages.ordersOfUsers) orders; the next page has those of older ones. A user may stand"
      + " on several pages.",
    "最近 \(ConsolePages.ordersOfUsers) 笔订单的用户；下一页为更早的订单。同一用户可能出现在多页。")
}
