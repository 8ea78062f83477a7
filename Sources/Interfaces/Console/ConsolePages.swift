import HTTPMessages
import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import WeChatPayIntegration

/// What each page reads, and the page as a value.
struct ConsolePages {
  let console: Console

  var engine: PaymentEngine { console.engine }
  var settings: ConsoleSettings { console.settings }

  /// Rows of a page of a list.
  private static let rowsMax = 50
  /// Deliveries whose attempts a page about an order shows; a purchase has one, and one for each refund.
  private static let attemptsOfMax = 10

  func showOverview(_ visit: AppVisit) async throws -> HTTPResponse {
    let home = AppEnvironment(app: visit.app.id, environment: visit.app.home)
    let backlog = try await engine.read { try $0.deliveryBacklog(in: home) }
    let orders = try await engine.listOrders(ListFilter(), in: home, after: nil, limit: 10)
    let page = OverviewPage(
      visit: visit, backlog: backlog, items: try await console.attention(visit.app, limit: OverviewPage.countMax),
      orders: orders.items, charts: try await activityCharts(visit), now: visit.visit.now)
    return console.page(visit.app.id.text, page.markup, for: visit, at: .overview)
  }

  /// One hit leads straight to its page.
  func showSearch(_ visit: AppVisit) async throws -> HTTPResponse {
    let term = visit.visit.query("q").flatMap { SearchTerm($0) }
    var result: SearchResult?
    if let term {
      let concerned = console.requests.subjects(of: term.text.lowercased(), in: visit.app.id)
      result = try await engine.search(term, in: visit.app, concerned: concerned)
    }
    if let target = SearchPage.onlyTarget(result, visit) { return Console.redirect(to: target) }
    let page = SearchPage(visit: visit, term: term?.text, result: result)
    return console.page(Words.search[visit.language], page.markup, for: visit)
  }

  func showNeedsAttention(_ visit: AppVisit) async throws -> HTTPResponse {
    let kind = visit.visit.query("kind").flatMap(AttentionItem.Kind.init(rawValue:))
    let undetermined = AppEnvironment(app: visit.app.id, environment: .undetermined)
    let selection: QueueSelection =
      switch visit.visit.query("assigned") {
      case AttentionPage.mine: .of(visit.call.account.name)
      case AttentionPage.nobodys: .unassigned
      default: .all
      }
    let found = try await engine.queue(
      of: visit.app, in: visit.app.userEnvironments + [undetermined], kinds: kind.map { [$0] }, selection,
      limit: PaymentEngine.listedMax)
    // An item that was dealt with meanwhile leads back to the first page, so that none is passed over.
    let start = visit.visit.query("after").flatMap { name in found.firstIndex { $0.name == name } }.map { $0 + 1 } ?? 0
    let shown = Array(found[start...].prefix(Self.rowsMax))
    func link(_ after: String?) -> LinkTarget {
      let query = [
        ("kind", visit.visit.query("kind")), ("assigned", visit.visit.query("assigned")), ("after", after),
      ]
      return visit.link("needs-attention", query: query.compactMap { name, value in value.map { (name, $0) } })
    }
    let environments = visit.app.everyEnvironment + [AppEnvironment(app: visit.app.id, environment: .undetermined)]
    let stopped = try await engine.read { reader in
      try environments.flatMap { try reader.countOfStoppedChanges(in: $0) }.reduce(0) { $0 + $1.count }
    }
    let page = AttentionPage(
      visit: visit, entries: shown, stopped: stopped, now: visit.visit.now,
      next: start + shown.count < found.count ? shown.last.map { link($0.name) } : nil,
      first: start == 0 ? nil : link(nil))
    return console.page(Words.needsAttention[visit.language], page.markup, for: visit, at: .needsAttention)
  }

  // MARK: orders

  func filter(_ visit: AppVisit, states: [String]) -> (filter: ListFilter, form: [ListFilters.Choice]) {
    var filter = ListFilter()
    filter.store = visit.visit.query("store").flatMap(Store.init(rawValue:))
    filter.state = visit.visit.query("state").flatMap { states.contains($0) ? $0 : nil }
    return (
      filter,
      [
        .init(name: "store", label: Words.store, values: Store.allCases.map(\.rawValue), words: Words.stores),
        .init(name: "state", label: Words.state, values: states, words: Words.states), Self.environments,
      ]
    )
  }

  static let environments = ListFilters.Choice(
    name: "environment", label: Words.environment, values: StoreEnvironment.allCases.map(\.rawValue),
    words: Words.environments)

  /// The address of another page of a list, with the same filters.
  private func link(_ list: String, _ visit: AppVisit, after position: String?) -> LinkTarget {
    let kept = ["store", "state", "environment"].compactMap { name in
      visit.visit.query(name).map { (name: name, value: $0) }
    }
    return visit.link(list, query: kept + (position.map { [(name: "after", value: $0)] } ?? []))
  }

  func showOrders(_ visit: AppVisit) async throws -> HTTPResponse {
    let (filter, choices) = filter(visit, states: OrderState.names)
    let after = visit.visit.query("after")
    let page = try await engine.listOrders(
      filter, in: try console.environment(visit), after: after.flatMap { OrderPosition(written: $0) },
      limit: Self.rowsMax)
    let content = ListPanel.orders(
      page.items, title: Words.orders, visit,
      filters: ListFilters(choices: choices, target: visit.link("orders"), exportsTo: "orders.csv").markup(visit),
      next: page.next.map { link("orders", visit, after: $0.written) },
      first: after.map { _ in link("orders", visit, after: nil) })
    return console.page(
      Words.orders[visit.language], Self.heading(Words.orders, visit) + content, for: visit, at: .orders)
  }

  func showOrder(_ name: String, _ visit: AppVisit) async throws -> HTTPResponse {
    let named = try visit.visit.query("environment").map { _ in [try console.environment(visit)] }
    let story = try await engine.tellOrder(OrderName(name), in: named ?? visit.app.everyEnvironment)
    var paymentStory: PaymentStory?
    if let payment = story.details.payment { paymentStory = try await engine.tellPayment(payment.key) }
    var attempts: [DeliveryAttempt] = []
    for delivery in story.details.deliveries.prefix(Self.attemptsOfMax) where delivery.attempts > 0 {
      attempts += try await engine.attempts(of: delivery)
    }
    let order = story.details.order
    if visit.showsPersonal {
      try await console.noteSeen(
        "order", order.key.id.description, in: order.key.appEnvironment.environment, for: visit)
    }
    let complaints = try await engine.complaints(of: order.user, in: order.key.appEnvironment)
    let page = OrderPage(
      visit: visit, story: story, paymentStory: paymentStory, attempts: attempts,
      balances: try await engine.readBalances(of: order.user, in: order.key.appEnvironment),
      complaints: complaints.filter { $0.order == order.key.id }, now: visit.visit.now)
    return console.page(page.title, page.markup, for: visit, at: .orders)
  }

  // MARK: payments, users

  func showPayments(_ visit: AppVisit) async throws -> HTTPResponse {
    let (filter, choices) = filter(visit, states: PaymentPage.states)
    let after = visit.visit.query("after")
    let page = try await engine.listPayments(
      filter, in: try console.environment(visit), after: after.flatMap { PaymentPosition(written: $0) },
      limit: Self.rowsMax)
    let content = ListPanel.payments(
      page.items, title: Words.payments, visit,
      filters: ListFilters(choices: choices, target: visit.link("payments"), exportsTo: "payments.csv").markup(visit),
      next: page.next.map { link("payments", visit, after: $0.written) },
      first: after.map { _ in link("payments", visit, after: nil) })
    return console.page(
      Words.payments[visit.language], Self.heading(Words.payments, visit) + content, for: visit, at: .payments)
  }

  func showPayment(_ key: PaymentKey, _ visit: AppVisit) async throws -> HTTPResponse {
    let story = try await engine.tellPayment(key)
    if visit.showsPersonal {
      try await console.noteSeen("payment", "\(key.store.rawValue):\(key.transaction)", in: key.environment, for: visit)
    }
    let page = PaymentPage(visit: visit, story: story, customer: try await customerSentence(story, visit))
    return console.page(page.title, page.markup, for: visit, at: .payments)
  }

  /// What to tell the customer of a payment: that of its order, if it pays one.
  private func customerSentence(_ story: PaymentStory, _ visit: AppVisit) async throws -> BilingualText? {
    guard let payment = story.payment else { return nil }
    let amount = Display.amount(of: payment)
    guard let id = payment.order else {
      let situation = OrderSituation(payment, grant: story.relations.grant, deliveries: story.deliveries)
      let values = OrderSentence.Values(amount: amount, goods: payment.facts.storeProduct.text)
      return situation.sentence(values).customer
    }
    let order = try await engine.tellOrder(.id(id), in: [payment.key.appEnvironment])
    let values = OrderSentence.Values(amount: amount, goods: Display.text(order.details.order.product.grant))
    return OrderSituation(order, at: visit.visit.now).sentence(values).customer
  }

  func showUser(_ user: UserIdentifier, _ visit: AppVisit) async throws -> HTTPResponse {
    let environment = try console.environment(visit)
    let story = try await engine.tellUser(user, in: environment, orders: Self.rowsMax, after: nil)
    let page = UserPage(
      visit: visit, user: user, environment: environment.environment, story: story,
      complaints: try await engine.complaints(of: user, in: environment))
    return console.page(Words.user[visit.language], page.markup, for: visit)
  }

  // MARK: deliveries

  func showDeliveries(_ visit: AppVisit) async throws -> HTTPResponse {
    let state = visit.visit.query("state").flatMap(DeliveryQuery.Selection.init(rawValue:)) ?? .all
    var query = DeliveryQuery(appEnvironment: try console.environment(visit), selection: state, limit: Self.rowsMax + 1)
    let after = visit.visit.query("after")
    query.after = after.map { DeliveryIdentifier($0) }
    let found = try await engine.listDeliveries(query)
    let shown = Array(found.prefix(Self.rowsMax))
    let choices: [ListFilters.Choice] = [
      .init(
        name: "state", label: Words.state, values: DeliveryQuery.Selection.allCases.map(\.rawValue),
        words: Words.states),
      Self.environments,
    ]
    let content = ListPanel.deliveries(
      shown, title: Words.deliveries, visit,
      filters: ListFilters(choices: choices, target: visit.link("deliveries")).markup(visit),
      next: found.count > shown.count ? shown.last.map { link("deliveries", visit, after: $0.id.text) } : nil,
      first: after.map { _ in link("deliveries", visit, after: nil) })
    let realm = query.appEnvironment
    let parked = try await engine.read { try $0.deliveryBacklog(in: realm) }.parked
    let count = BilingualText("\(parked) parked messages.", "共 \(parked) 条已停放的消息。")
    let all =
      parked == 0
      ? Markup()
      : visit.form(.redriveAll, on: ["deliveries", realm.environment.rawValue], about: count[visit.language])
    return console.page(
      Words.deliveries[visit.language], Self.heading(Words.deliveries, visit, acts: all) + content, for: visit,
      at: .deliveries)
  }

  func showDelivery(_ id: DeliveryIdentifier, _ visit: AppVisit) async throws -> HTTPResponse {
    let delivery = try await engine.readDelivery(id, of: visit.app.id)
    if visit.showsPersonal {
      try await console.noteSeen("delivery", id.text, in: delivery.payment.environment, for: visit)
    }
    let page = DeliveryPage(visit: visit, delivery: delivery, attempts: try await engine.attempts(of: delivery))
    return console.page(Words.delivery[visit.language], page.markup, for: visit, at: .deliveries)
  }

  static func heading(_ words: BilingualText, _ visit: AppVisit, acts actions: Markup = Markup()) -> Markup {
    .element(
      .div, [.style("head")], .element(.h1, .text(words[visit.language])),
      actions.isEmpty ? actions : .element(.div, [.style("actions")], actions))
  }

  /// Accounts hold in several apps, so all of them are for administrators of every app.
  func showAccounts(_ call: SignedInVisit) async throws -> HTTPResponse {
    let page = AccountsPage(accounts: try await engine.operatorAccounts())
    return console.frame(Words.accounts[call.language], page.markup(call.language), for: call, at: .accounts).response()
  }

  // MARK: the audit log

  /// Entries of apps in which the operator has a role that operates; those of the whole installation need such a role
  /// for every app.
  func showAuditLog(_ call: SignedInVisit) async throws -> HTTPResponse {
    func mayRead(_ app: AppIdentifier) -> Bool {
      call.account.role(in: app)?.permissions.contains(.operate) ?? false
    }
    guard mayRead(OperatorAccount.everyApp) || engine.apps.all.contains(where: { mayRead($0.id) }) else {
      try await engine.enterRefusal(console.description("access.refused", call), problem: "role_not_allowed")
      throw ConsoleProblem.notAllowed(
        needed: OperatorPermission.operate.roles.map(\.rawValue).joined(separator: ", "))
    }
    let before = call.visit.query("before").flatMap { Int64($0) }
    let found = try await engine.auditLog(before: before, limit: Self.rowsMax)
    let path = ["console", "audit-log"]
    let page = AuditLogPage(
      entries: found.filter { mayRead($0.app ?? OperatorAccount.everyApp) },
      next: found.count == Self.rowsMax
        ? found.last.map { LinkTarget(path, query: [("before", "\($0.number)")]) } : nil,
      first: before.map { _ in LinkTarget(path) })
    return console.frame(Words.auditLog[call.language], page.markup(call.language), for: call, at: .auditLog).response()
  }
}

extension OrderPosition {
  /// `1764071234567.01a1f9c2-…`, as it stands in an address.
  var written: String { "\(createdAt.milliseconds).\(id)" }

  init?(written text: String) {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, let moment = Int64(parts[0]), let id = OrderIdentifier(String(parts[1])) else { return nil }
    self.init(createdAt: Timestamp(milliseconds: moment), id: id)
  }
}

extension PaymentPosition {
  /// `1764071234567.appStore.2000000873214455`, as it stands in an address.
  var written: String { "\(purchaseDate.milliseconds).\(store.rawValue).\(transaction)" }

  init?(written text: String) {
    let parts = text.split(separator: ".", maxSplits: 2)
    guard parts.count == 3, let moment = Int64(parts[0]), let store = Store(rawValue: String(parts[1])) else {
      return nil
    }
    self.init(
      purchaseDate: Timestamp(milliseconds: moment), transaction: TransactionIdentifier(String(parts[2])),
      store: store)
  }
}
