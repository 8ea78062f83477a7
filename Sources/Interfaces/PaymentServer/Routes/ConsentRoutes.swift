import AppStoreIntegration
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Whether the server may tell Apple how far a user's purchases are used, when the user asks Apple for a refund.
enum ConsentRoutes {
  static let all: [Route] = [set, read]

  private static let set = Route(
    "PUT", "/v1/users/{userId}/consumption-consent", name: "SetConsumptionConsent", access: [.backend],
    documentation: RouteDocumentation(
      summary:
        "Stores whether Apple may be told how much of a purchase the user has used. Without consent Apple is not told.",
      about: .user, request: "SetConsumptionConsent", answer: "ConsumptionConsent")
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let isGiven = try call.body { (json) throws(JSONFieldError) in try JSONFields(json).bool("consented") }
    let consent = try await call.server.engine.setConsumptionConsent(isGiven, of: user, for: app)
    return call.answer(json(consent))
  }

  private static let read = Route(
    "GET", "/v1/users/{userId}/consumption-consent", name: "ReadConsumptionConsent", access: [.backend],
    documentation: RouteDocumentation(
      summary: "What a user said; nothing said is no consent.", about: .user, answer: "ConsumptionConsent")
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    return call.answer(json(try await call.server.engine.readConsumptionConsent(of: user, for: app)))
  }

  private static func json(_ consent: ConsumptionConsent?) -> JSONValue {
    .members([
      ("consented", .bool(consent?.isGiven ?? false)),
      ("at", consent.map { .string($0.at.iso8601) }),
    ])
  }
}
