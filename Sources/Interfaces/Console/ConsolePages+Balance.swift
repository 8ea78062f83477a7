import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension ConsolePages {
  private static let entriesMax = 50

  /// Every posting on one balance, a page at a time.
  func showBalance(of user: UserIdentifier, unit: UnitName, _ visit: AppVisit) async throws -> HTTPResponse {
    let environment = try console.environment(visit)
    let before = visit.visit.query("before").map { Int64($0) ?? 0 }
    // No page names such a number.
    if let before, before < 1 { throw ConsoleProblem.notFound }
    if visit.showsPersonal { try await console.noteSeen("user", user.text, in: environment.environment, visit) }
    let page = BalancePage(
      visit: visit, user: user, unit: unit, environment: environment.environment,
      page: try await engine.readEntries(of: user, unit: unit, in: environment, before: before, limit: Self.entriesMax))
    return console.page(BalancePage.title(unit)[visit.language], page.markup, for: visit)
  }
}
