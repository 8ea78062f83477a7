import HTTPMessages
import PaymentModel
import PaymentPrimitives

/// The table of everything that the console answers. A test holds another table against it, with who may what.
package enum ConsoleRoutes {
  package static let all = entry + account + pages + approvals + ConsoleAction.allCases.map(action)

  private static let entry: [ConsoleRoute] = [
    ConsoleRoute("GET", "assets/{name}", for: .anybody) { _, call in
      guard let file = ConsoleAssets.response(to: call["name"]) else { throw ConsoleProblem.notFound }
      return file
    },
    ConsoleRoute("GET", "enter", for: .anybody) { console, call in console.signIn.showSignIn(call.visit) },
    ConsoleRoute("POST", "enter", for: .anybody) { console, call in try await console.signIn.signIn(call.visit) },
    ConsoleRoute("POST", "enter/passkey", for: .anybody) { console, call in
      try await console.signIn.signInWithPasskey(call.visit)
    },
    ConsoleRoute("POST", "enter/provider", for: .anybody) { console, call in
      try await ProviderSignIn(console: console).signIn(call.visit)
    },
    ConsoleRoute("GET", "enter/factor", for: .anybody) { console, call in
      try await console.signIn.showFactor(call.visit)
    },
    ConsoleRoute("POST", "enter/factor", for: .anybody) { console, call in
      try await console.signIn.takeFactor(call.visit)
    },
    ConsoleRoute("POST", "language", for: .anybody) { console, call in try console.changeLanguage(call.visit) },
  ]

  private static let account: [ConsoleRoute] = [
    ConsoleRoute("GET", "", for: .account) { console, call in console.start(try call.account()) },
    ConsoleRoute("POST", "leave", for: .account) { console, call in try await console.signOut(try call.account()) },
    ConsoleRoute("GET", "prove", for: .account) { console, call in
      try await console.signIn.showProve(try call.account())
    },
    ConsoleRoute("POST", "prove", for: .account) { console, call in
      try await console.signIn.prove(try call.account(), by: try call.form())
    },
    ConsoleRoute("GET", "me", for: .account) { console, call in try await console.signIn.showAccount(try call.account())
    },
    ConsoleRoute("POST", "me/end-sessions", for: .account) { console, call in
      try await console.signIn.endSessions(try call.account(), by: try call.form())
    },
    ConsoleRoute("POST", "me/passkeys", for: .account) { console, call in
      try await console.signIn.addPasskey(try call.account(), by: try call.form())
    },
    ConsoleRoute("POST", "me/passkeys/{credential}/remove", for: .account) { console, call in
      try await console.signIn.removePasskey(call["credential"], of: try call.account())
    },
    ConsoleRoute("GET", "accounts", for: .everyApp(.administer)) { console, call in
      try await console.pages.showAccounts(try call.account())
    },
    ConsoleRoute("GET", "audit-log", for: .anyApp(.operate)) { console, call in
      try await console.pages.showAuditLog(try call.account())
    },
  ]

  private static let pages: [ConsoleRoute] = [
    page("") { console, call in try await console.pages.showOverview(try call.app()) },
    page("/search") { console, call in try await console.pages.showSearch(try call.app()) },
    page("/needs-attention") { console, call in try await console.pages.showNeedsAttention(try call.app()) },
    page("/orders") { console, call in try await console.pages.showOrders(try call.app()) },
    page("/orders/{order}") { console, call in try await console.pages.showOrder(call["order"], try call.app()) },
    page("/payments") { console, call in try await console.pages.showPayments(try call.app()) },
    page("/payments/{store}/{environment}/{transaction}") { console, call in
      let visit = try call.app()
      return try await console.pages.showPayment(try console.paymentKey(call, visit), visit)
    },
    page("/users/{user}") { console, call in
      try await console.pages.showUser(UserIdentifier(call["user"]), try call.app())
    },
    page("/users/{user}/balances/{unit}") { console, call in
      try await BalancePage.response(
        of: UserIdentifier(call["user"]), unit: UnitName(call["unit"]), console: console, try call.app())
    },
    file("/orders.csv") { console, call in try await console.pages.exportOrders(try call.app()) },
    file("/payments.csv") { console, call in try await console.pages.exportPayments(try call.app()) },
    file("/refunds.csv") { console, call in try await console.pages.exportRefunds(try call.app()) },
    page("/refunds") { console, call in try await console.pages.showRefunds(try call.app()) },
    page("/subscriptions") { console, call in try await console.pages.showSubscriptions(try call.app()) },
    page("/subscriptions/{original}") { console, call in
      try await console.pages.showSubscription(call["original"], try call.app())
    },
    page("/extensions") { console, call in try await console.pages.showExtensions(try call.app()) },
    page("/reconciliation") { console, call in try await console.pages.showReconciliation(try call.app()) },
    page("/reconciliation/{store}/{day}") { console, call in
      try await console.pages.showReconciledDay(call["day"], at: call["store"], try call.app())
    },
    page("/reports") { console, call in try await console.pages.showReport(try call.app()) },
    file("/reports/revenue.csv") { console, call in try await console.pages.exportReport(try call.app()) },
    page("/bills") { console, call in try await console.pages.showBills(try call.app()) },
    page("/consumption-requests") { console, call in
      try await console.pages.showConsumptionRequests(try call.app())
    },
    page("/complaints") { console, call in try await console.pages.showComplaints(try call.app()) },
    page("/complaints/{complaint}") { console, call in
      try await console.pages.showComplaint(call["complaint"], try call.app())
    },
    ConsoleRoute("GET", "app/{app}/complaints/{complaint}/pictures/{picture}", for: .app(.readPersonalData)) {
      console, call in
      try await console.pages.showComplaintPicture(call["picture"], of: call["complaint"], try call.app())
    },
    page("/endpoints") { console, call in try await console.pages.showEndpoints(try call.app()) },
    page("/notifications") { console, call in try await console.pages.showNotifications(try call.app()) },
    page("/notifications/{notification}") { console, call in
      try await console.pages.showNotification(call["notification"], try call.app())
    },
    page("/products") { console, call in try await console.pages.showProducts(try call.app()) },
    page("/users") { console, call in try await console.pages.showUsers(try call.app()) },
    page("/health") { console, call in try await console.pages.showHealth(try call.app()) },
    page("/deliveries") { console, call in try await console.pages.showDeliveries(try call.app()) },
    page("/deliveries/{delivery}") { console, call in
      try await console.pages.showDelivery(DeliveryIdentifier(call["delivery"]), try call.app())
    },
  ]

  private static let approvals: [ConsoleRoute] = [
    page("/approvals") { console, call in try await console.actions.showApprovals(try call.app()) },
    // What the action behind it needs is checked once that is known.
    ConsoleRoute("POST", "app/{app}/approvals/{approval}/approve", for: .app(.read)) { console, call in
      try await console.actions.decide(call["approval"], approves: true, try call.app(), by: try call.form())
    },
    ConsoleRoute("POST", "app/{app}/approvals/{approval}/refuse", for: .app(.read)) { console, call in
      try await console.actions.decide(call["approval"], approves: false, try call.app(), by: try call.form())
    },
  ]

  private static func page(
    _ path: String, _ answer: @escaping @Sendable (Console, ConsoleCall) async throws -> HTTPResponse
  ) -> ConsoleRoute { ConsoleRoute("GET", "app/{app}" + path, for: .app(.read), answer) }

  private static func file(
    _ path: String, _ answer: @escaping @Sendable (Console, ConsoleCall) async throws -> HTTPResponse
  ) -> ConsoleRoute { ConsoleRoute("GET", "app/{app}" + path, for: .app(.moveMoney), answer) }

  private static func action(_ action: ConsoleAction) -> ConsoleRoute {
    ConsoleRoute("POST", "app/{app}/\(action.place)/\(action.rawValue)", for: .app(action.permission)) {
      console, call in
      try await console.actions.act(action, call, by: try call.form(), in: try call.app())
    }
  }
}
