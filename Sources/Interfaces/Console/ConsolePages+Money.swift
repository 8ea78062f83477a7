import AppStoreIntegration
import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// Refunds, subscriptions, and the comparison with the stores: what each page reads.
extension ConsolePages {
  private static let rowsMax = 50
  /// What the pages show if nothing says otherwise.
  private static let usualSpan = TimeSpan.days(31)

  func showRefunds(_ visit: AppVisit) async throws -> HTTPResponse {
    let state = visit.visit.query("state").flatMap { RefundList.states.contains($0) ? $0 : nil }
    let after = visit.visit.query("after").flatMap { RefundList.position($0) }
    let now = visit.visit.now
    let page = try await engine.listRefunds(
      from: now - Self.usualSpan, to: now + .days(1), state: state, in: try console.environment(visit), after: after,
      limit: Self.rowsMax)
    let list = RefundList(
      visit: visit, refunds: page.items, next: page.next.map { RefundList.text($0) }, isFirst: after == nil)
    return console.page(Words.refunds[visit.language], list.markup, for: visit, at: .refunds)
  }

  func showSubscriptions(_ visit: AppVisit) async throws -> HTTPResponse {
    let appEnvironment = try console.environment(visit)
    let after = visit.visit.query("after").flatMap { SubscriptionList.position($0, in: appEnvironment) }
    let page = try await engine.listSubscriptions(in: appEnvironment, after: after, limit: Self.rowsMax)
    let list = SubscriptionList(
      visit: visit, subscriptions: page.items, next: page.next.map { SubscriptionList.text($0) },
      isFirst: after == nil)
    return console.page(Words.subscriptions[visit.language], list.markup, for: visit, at: .subscriptions)
  }

  func showSubscription(_ original: String, _ visit: AppVisit) async throws -> HTTPResponse {
    let named = try visit.visit.query("environment").map { _ in [try console.environment(visit)] }
    let story = try await engine.tellSubscription(
      TransactionIdentifier(original), in: named ?? visit.app.everyEnvironment)
    let page = SubscriptionPage(visit: visit, story: story)
    return console.page(Words.subscription[visit.language], page.markup, for: visit, at: .subscriptions)
  }

  func showReconciliation(_ visit: AppVisit) async throws -> HTTPResponse {
    let now = visit.visit.now
    let days = try await engine.listReconciliations(
      from: Display.day(now - Self.usualSpan), to: Display.day(now), at: .weChatPay, in: try console.environment(visit))
    let page = ReconciliationList(visit: visit, days: days)
    return console.page(Words.reconciliation[visit.language], page.markup, for: visit, at: .reconciliation)
  }

  func showReconciledDay(_ day: String, at store: String, _ visit: AppVisit) async throws -> HTTPResponse {
    guard let store = Store(rawValue: store) else { throw ConsoleProblem.notFound }
    let record = try await engine.readReconciliation(of: day, at: store, in: try console.environment(visit))
    let page = ReconciledDayPage(visit: visit, record: record)
    return console.page(Words.reconciliation[visit.language], page.markup, for: visit, at: .reconciliation)
  }

  func showConsumptionRequests(_ visit: AppVisit) async throws -> HTTPResponse {
    let open = try await engine.openConsumptionRequests(in: try console.environment(visit), for: visit.app)
    let page = ConsumptionRequestList(visit: visit, open: open, now: visit.visit.now)
    return console.page(
      Words.consumptionRequests[visit.language], page.markup, for: visit, at: .consumptionRequests)
  }
}
