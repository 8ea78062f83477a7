import AppStoreIntegration
import HTTPMessages
import Markup
import PaymentEngine
import PaymentPrimitives

/// What Apple answers about the order number in its mail to a customer.
enum OrderNumberQuestion {
  /// The number of a path. What became of it stands on the page of the search that found nothing.
  static func subject(_ call: ConsoleCall, _ visit: AppVisit) throws -> ConsoleActions.ActionSubject {
    guard let number = AppleOrderNumber(call["number"]) else { throw ConsoleProblem.notFound }
    return ConsoleActions.ActionSubject(
      kind: "appleOrderNumber", id: number.text, environment: visit.app.home,
      page: visit.link("search", query: [("q", number.text)]))
  }

  /// - Returns: whether the search finds payments now, and whether Apple named more than these.
  static func ask(_ asked: AskedAction, by engine: PaymentEngine) async throws -> Notice {
    guard let app = engine.apps[asked.app], let number = AppleOrderNumber(asked.object) else {
      throw ConsoleProblem.notFound
    }
    let found = try await engine.lookUpOrder(number, for: app)
    if found.payments.isEmpty { return .noneAccepted }
    return found.refused == 0 ? .done : .someAccepted
  }

  /// The page of the search again, with why Apple named nothing: these are answers, and the operator stays where the
  /// number is.
  ///
  /// - Throws: any other error.
  static func response(to error: CodedError<EngineErrorCode>, at page: LinkTarget) throws -> HTTPResponse {
    let notice: Notice =
      switch error.code {
      case .orderNumberUnknown: .unknownToApple
      case .storeNotConfigured: .noAppleKey
      default: throw error
      }
    return ConsoleActions.after(ActionResult.done(notice), at: page, done: notice)
  }
}
