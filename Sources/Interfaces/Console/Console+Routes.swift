import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A request of a signed-in operator to a page of an app.
struct AppVisit {
  let call: SignedInVisit
  let app: AppPolicy
  let role: OperatorRole
  /// How many things need attention, for the navigation.
  let attention: Int
  /// Makes the name of a press.
  let newPress: () -> String

  var language: Language { call.language }
  var visit: ConsoleVisit { call.visit }
  var base: [String] { ["console", "app", app.id.text] }

  func may(_ permission: OperatorPermission) -> Bool { role.permissions.contains(permission) }

  /// The form of an action, if the operator's role allows it.
  func form(
    _ action: ConsoleAction, on path: [String], isMain: Bool = false, namesPurchase: Bool = false
  ) -> Markup {
    guard may(action.permission) else { return Markup() }
    return ActionForm(
      action: action, target: LinkTarget(base + path + [action.rawValue]), formToken: call.formToken,
      press: newPress(), isMain: isMain, namesPurchase: namesPurchase
    ).markup(language)
  }

  func link(_ path: String..., query: [(name: String, value: String)] = []) -> LinkTarget {
    LinkTarget(base + path, query: query)
  }

  func link(to order: OrderKey) -> LinkTarget {
    link("orders", order.id.description, query: [("environment", order.appEnvironment.environment.rawValue)])
  }

  func link(to payment: PaymentKey) -> LinkTarget {
    link("payments", payment.store.rawValue, payment.environment.rawValue, payment.transaction.text)
  }

  func link(to user: UserIdentifier, in environment: StoreEnvironment) -> LinkTarget {
    link("users", user.text, query: [("environment", environment.rawValue)])
  }
}

extension Console {
  func answer(_ visit: ConsoleVisit) async throws -> HTTPResponse {
    guard let path = visit.path else {
      if visit.isRead, visit.request.target == "/" { return Self.redirect(to: LinkTarget(["console"])) }
      throw ConsoleProblem.notFound
    }
    guard visit.isRead || visit.request.method == "POST" else { throw ConsoleProblem.methodNotAllowed }
    switch (path.first, path.count) {
    case ("assets", 2):
      guard visit.isRead, let file = ConsoleAssets.response(to: path[1]) else { throw ConsoleProblem.notFound }
      return file
    case ("enter", 1): return visit.isRead ? showSignIn(visit) : try await signIn(visit)
    case ("language", 1):
      guard !visit.isRead else { throw ConsoleProblem.methodNotAllowed }
      return try changeLanguage(visit)
    default: break
    }
    guard let call = try await signedIn(visit) else {
      guard visit.isRead else { throw ConsoleProblem.foreignForm }
      return Self.redirect(to: LinkTarget(["console", "enter"]))
    }
    return visit.isRead ? try await show(path, call) : try await act(path, call)
  }

  // MARK: pages

  private func show(_ path: [String], _ call: SignedInVisit) async throws -> HTTPResponse {
    switch path.first {
    case nil: return start(call)
    case "audit-log" where path.count == 1: return try await showAuditLog(call)
    case "app" where path.count >= 2:
      let visit = try await appVisit(path[1], call, needing: .read)
      return try await show(Array(path.dropFirst(2)), visit)
    default: throw ConsoleProblem.notFound
    }
  }

  private func show(_ path: [String], _ visit: AppVisit) async throws -> HTTPResponse {
    switch (path.first, path.count) {
    case (nil, _): return try await showOverview(visit)
    case ("search", 1): return try await showSearch(visit)
    case ("needs-attention", 1): return try await showNeedsAttention(visit)
    case ("orders", 1): return try await showOrders(visit)
    case ("orders", 2): return try await showOrder(path[1], visit)
    case ("payments", 1): return try await showPayments(visit)
    case ("payments", 4): return try await showPayment(try paymentKey(path, visit), visit)
    case ("users", 2): return try await showUser(UserIdentifier(path[1]), visit)
    case ("bills", 1): return try await showBills(visit)
    case ("deliveries", 1): return try await showDeliveries(visit)
    case ("deliveries", 2): return try await showDelivery(DeliveryIdentifier(path[1]), visit)
    default: throw ConsoleProblem.notFound
    }
  }

  /// The one app that the operator may see, or a choice.
  private func start(_ call: SignedInVisit) -> HTTPResponse {
    let apps = engine.apps.all.filter { call.account.role(in: $0.id) != nil }
    if apps.count == 1 { return Self.redirect(to: LinkTarget(["console", "app", apps[0].id.text])) }
    let page = AppsPage(apps: apps)
    return frame(page.title[call.language], page.markup(call.language), for: call).response()
  }

  /// The app of a path, if the operator's role in it allows what is asked. Another app looks as if it did not exist.
  func appVisit(
    _ id: String, _ call: SignedInVisit, needing permission: OperatorPermission
  ) async throws -> AppVisit {
    let name = AppIdentifier(id)
    guard let app = engine.apps[name], let role = call.account.role(in: name) else { throw ConsoleProblem.notFound }
    guard role.permissions.contains(permission) else {
      var refused = description("access.refused", call)
      refused.app = name
      refused.role = role
      try await engine.enterRefusal(refused, problem: "role_not_allowed")
      throw ConsoleProblem.notAllowed(needed: permission.roles.map(\.rawValue).joined(separator: ", "))
    }
    let items = call.visit.isRead ? try await attention(app, limit: 100) : []
    return AppVisit(call: call, app: app, role: role, attention: items.count) { [dependencies] in
      dependencies.randomBytes(16).hexadecimal
    }
  }

  func attention(_ app: AppPolicy, limit: Int) async throws -> [AttentionItem] {
    let undetermined = AppEnvironment(app: app.id, environment: .undetermined)
    return try await engine.needsAttention(
      of: app, in: app.userEnvironments + [undetermined], kinds: nil, limit: limit)
  }

  /// The environment that the query names; the app's own one otherwise.
  func environment(_ visit: AppVisit) throws -> AppEnvironment {
    guard let text = visit.visit.query("environment") else {
      return AppEnvironment(app: visit.app.id, environment: visit.app.home)
    }
    guard let environment = StoreEnvironment(rawValue: text) else { throw ConsoleProblem.notFound }
    return AppEnvironment(app: visit.app.id, environment: environment)
  }

  /// `payments/{store}/{environment}/{transaction}`
  func paymentKey(_ path: [String], _ visit: AppVisit) throws -> PaymentKey {
    guard let store = Store(rawValue: path[1]), let environment = StoreEnvironment(rawValue: path[2]) else {
      throw ConsoleProblem.notFound
    }
    return PaymentKey(
      app: visit.app.id, store: store, environment: environment, transaction: TransactionIdentifier(path[3]))
  }

  // MARK: frames

  func frame(
    _ title: String, _ content: Markup, for call: SignedInVisit, at place: PageFrame.Place? = nil
  ) -> PageFrame {
    PageFrame(
      title: title, content: content, language: call.language, settings: settings, requestId: call.visit.requestId,
      path: call.visit.request.target, at: place,
      visitor: PageFrame.Visitor(account: call.account, formToken: call.formToken, app: nil))
  }

  func page(
    _ title: String, _ content: Markup, for visit: AppVisit, at place: PageFrame.Place? = nil
  ) -> HTTPResponse {
    var frame = frame(title, Notice.markup(visit) + content, for: visit.call, at: place)
    frame.visitor = PageFrame.Visitor(
      account: visit.call.account, formToken: visit.call.formToken, app: visit.app, attention: visit.attention)
    return frame.response()
  }
}
