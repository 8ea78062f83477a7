import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Entitlements that a backend gives until a date, without a payment.
enum PromotionalRoutes {
  static let all: [Route] = [give, list, revoke]

  private static let give = Route(
    "POST", "/v1/users/{userId}/promotional-entitlements", name: "GiveEntitlement", access: [.backend],
    documentation: RouteDocumentation(
      summary:
        "Gives a user an entitlement until a date without a payment, once for each id. The key needs the permission.",
      about: .user, query: [.environment], fields: [WalletRoutes.key], request: "GiveEntitlement",
      answer: "PromotionalEntitlement", statuses: [201, 200],
      codes: [.entitlementUnknown, .promotionalEndNotAllowed, .promotionalLimitReached, .idempotencyKeyReused])
  ) { call in
    let giver = try permittedKey(call)
    let body = try call.body(GiveEntitlement.Request.init(json:))
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    try call.checkBuyer(user)
    let request = PromotionalRequest(
      user: user, entitlement: body.entitlement, until: body.until, key: try WalletRoutes.key(call, orInBody: body.id),
      reason: body.reason, by: giver)
    let answer = try await call.server.engine.giveEntitlement(
      request, in: try call.appEnvironment(named: body.environment))
    return call.answer(
      PromotionalEntitlementBody(answer.promotional, at: call.server.now).json, status: answer.isNew ? 201 : 200)
  }

  private static let list = Route(
    "GET", "/v1/users/{userId}/promotional-entitlements", name: "ListPromotionalEntitlements", access: [.backend],
    documentation: RouteDocumentation(
      summary: "What a user was given without a payment, those that hold longest first.", about: .user,
      query: [.environment], answer: "PromotionalEntitlements")
  ) { call in
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let page = try await call.server.engine.readPromotionalEntitlements(of: user, in: try call.appEnvironment())
    let now = call.server.now
    return call.answer(
      .members([
        (
          "promotionalEntitlements", .array(page.promotional.map { PromotionalEntitlementBody($0, at: now).json })
        ), ("more", .bool(page.hasMore)),
      ]))
  }

  private static let revoke = Route(
    "POST", "/v1/users/{userId}/promotional-entitlements/{id}/revoke", name: "RevokeEntitlement", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Takes back an entitlement that was given without a payment. What the user paid for stays.",
      about: .user, query: [.environment], request: "RevokeEntitlement", answer: "PromotionalEntitlement",
      codes: [.promotionalUnknown])
  ) { call in
    let key = try permittedKey(call)
    let (reason, environment) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try fields.converted("reason", "a text of 1 to 1024 bytes") { (1...1024).contains($0.utf8.count) ? $0 : nil },
        try fields.optionallyConverted("environment", "an environment", StoreEnvironment.init(rawValue:))
      )
    }
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let answer = try await call.server.engine.revokeEntitlement(
      call.parameter("id"), of: user, in: try call.appEnvironment(named: environment), reason: reason, by: key)
    return call.answer(PromotionalEntitlementBody(answer.promotional, at: call.server.now).json)
  }

  /// The id of the key, which was made with the permission.
  private static func permittedKey(_ call: Call) throws(CodedError<ServerErrorCode>) -> String {
    guard call.mayGiveEntitlements, let key = call.key else {
      throw CodedError(.notAllowed, "The key was made without the permission to give entitlements.")
    }
    return key.text
  }
}

extension PromotionalEntitlementBody {
  init(_ promotional: PromotionalEntitlement, at now: Timestamp) {
    self.init(
      id: promotional.key, user: promotional.user, entitlement: promotional.entitlement,
      state: EntitlementBody.State(promotional.state(at: now)), expiresAt: promotional.until,
      reason: promotional.reason, environment: promotional.appEnvironment.environment, givenAt: promotional.givenAt)
    revokedAt = promotional.end?.at
    revokeReason = promotional.end?.reason
  }
}
