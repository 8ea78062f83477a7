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
  /// How many approvals wait for this operator.
  var approvals = 0
  /// Whether some actions need a second operator.
  let needsApprovals: Bool
  /// Makes the name of a press.
  let newPress: () -> String

  var language: Language { call.language }
  var visit: ConsoleVisit { call.visit }
  var base: [String] { ["console", "app", app.id.text] }

  func may(_ permission: OperatorPermission) -> Bool { role.permissions.contains(permission) }

  /// The form of an action, if the operator's role allows it.
  func form(
    _ action: ConsoleAction, on path: [String], isMain: Bool = false, namesPurchase: Bool = false,
    given: [ActionField: String] = [:], about: String? = nil
  ) -> Markup {
    guard may(action.permission) else { return Markup() }
    return ActionForm(
      action: action, target: LinkTarget(base + path + [action.rawValue]), formToken: call.formToken,
      press: newPress(), isMain: isMain, namesPurchase: namesPurchase,
      needsSecond: needsApprovals && action.alwaysNeedsSecond, given: given, about: about
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
    let found = ConsoleRoutes.all.compactMap { route in
      route.parameters(of: path).map { (route: route, parameters: $0) }
    }
    let match = found.first { $0.route.method == (visit.isRead ? "GET" : "POST") }
    if let match, match.route.access == .anybody {
      return try await match.route.answer(self, ConsoleCall(visit: visit, parameters: match.parameters))
    }
    if match == nil, found.contains(where: { $0.route.access == .anybody }) { throw ConsoleProblem.methodNotAllowed }
    guard let call = try await signedIn(visit) else {
      guard visit.isRead else { throw ConsoleProblem.foreignForm }
      return Self.redirect(to: LinkTarget(["console", "enter"]))
    }
    guard let match else { throw found.isEmpty ? ConsoleProblem.notFound : .methodNotAllowed }
    return try await answer(call, by: match.route, with: match.parameters)
  }

  private func answer(
    _ call: SignedInVisit, by route: ConsoleRoute, with parameters: [String: String]
  ) async throws -> HTTPResponse {
    let sent = call.visit.isRead ? nil : try await form(call)
    var visit: AppVisit?
    switch route.access {
    case .anybody, .account: break
    case .everyApp(let permission):
      guard call.account.role(in: OperatorAccount.everyApp)?.permissions.contains(permission) ?? false else {
        throw try await refuse(call, permission)
      }
    case .anyApp(let permission):
      let roles =
        [call.account.role(in: OperatorAccount.everyApp)] + engine.apps.all.map { call.account.role(in: $0.id) }
      guard roles.contains(where: { $0?.permissions.contains(permission) ?? false }) else {
        throw try await refuse(call, permission)
      }
    case .app(let permission):
      visit = try await appVisit(parameters["app"] ?? "", call, needing: permission)
    }
    return try await route.answer(
      self,
      ConsoleCall(visit: call.visit, parameters: parameters, signedIn: call, appVisit: visit, sent: sent))
  }

  /// Enters that a role does not allow a call.
  ///
  /// - Returns: the error.
  private func refuse(
    _ call: SignedInVisit, _ permission: OperatorPermission, role: OperatorRole? = nil, in app: AppIdentifier? = nil
  ) async throws -> ConsoleProblem {
    var refused = description("access.refused", call)
    (refused.app, refused.role) = (app, role)
    try await engine.enterRefusal(refused, problem: "role_not_allowed")
    return .notAllowed(needed: permission.roles.map(\.rawValue).joined(separator: ", "))
  }

  /// The one app that the operator may see, or a choice.
  func start(_ call: SignedInVisit) -> HTTPResponse {
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
      throw try await refuse(call, permission, role: role, in: name)
    }
    let items = call.visit.isRead ? try await attention(app, limit: 100) : []
    var visit = AppVisit(
      call: call, app: app, role: role, attention: items.count, needsApprovals: settings.approvals != nil
    ) { [dependencies] in dependencies.randomBytes(16).hexadecimal }
    if call.visit.isRead, settings.approvals != nil {
      visit.approvals = try await engine.approvals(of: name).filter { self.actions.mayDecide($0, visit) }.count
    }
    return visit
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

  /// The payment of a path with `{store}/{environment}/{transaction}`.
  func paymentKey(_ call: ConsoleCall, _ visit: AppVisit) throws -> PaymentKey {
    guard let store = Store(rawValue: call["store"]), let environment = StoreEnvironment(rawValue: call["environment"])
    else { throw ConsoleProblem.notFound }
    return PaymentKey(
      app: visit.app.id, store: store, environment: environment,
      transaction: TransactionIdentifier(call["transaction"]))
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
      account: visit.call.account, formToken: visit.call.formToken, app: visit.app, attention: visit.attention,
      approvals: settings.approvals == nil ? nil : visit.approvals)
    return frame.response()
  }
}
