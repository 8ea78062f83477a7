import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The products for sale, and the entitlements and balances of users.
enum EntitlementRoutes {
  static let all: [Route] = [
    products, entitlements(ReadEntitlements.path, [.user, .backend]),
    entitlements("/v1/users/{userId}/entitlements", [.backend]),
    balances(ReadBalances.path, [.user, .backend]),
    balances("/v1/users/{userId}/balances", [.backend]),
  ]

  private static let products = Route(
    "GET", "/v1/products", name: "ReadProducts", access: [.user, .backend],
    documentation: RouteDocumentation(
      summary: "The products for sale, with the stores' product ids.", about: .maybeUser, query: [.userId],
      answer: "Products", usesStore: false)
  ) { call in
    _ = try call.optionalUser()
    let app = try call.authenticatedApp()
    return call.answer(
      .members([("products", .array(app.sold.map(json)))]))
  }

  private static func json(_ product: Product) -> JSONValue {
    let grant: JSONValue =
      switch product.grant {
      case .units(let unit, let perPiece):
        .members([("unit", .string(unit.text)), ("amount", .integer(perPiece))])
      case .entitlement(let name, let period):
        .members([
          ("entitlement", .string(name.text)),
          ("periodSeconds", period.map { .integer($0.milliseconds / 1000) }),
        ])
      }
    return .members([
      ("productId", .string(product.id.text)), ("kind", .string(product.kind.rawValue)),
      ("appStoreProductIds", .array(product.appStoreProducts.map { .string($0.text) })),
      ("weChatPriceInFen", product.weChatPrice.map { .integer($0.minorUnits) }),
      ("grant", grant), ("physical", .bool(product.isPhysical)),
    ])
  }

  private static func userOf(_ call: Call) throws(CodedError<ServerErrorCode>) -> UserIdentifier {
    try call.user(named: call.parameters["userId"].map { UserIdentifier($0) })
  }

  private static func query(_ path: String) -> [RouteDocumentation.Parameter] {
    path.contains("{userId}") ? [.environment] : [.userId, .environment]
  }

  /// The environments whose entitlements and balances a caller sees. A backend sees the environment that it asks about.
  /// A user sees the environment of their orders and, if the app allows it, the sandbox as well.
  private static func shownEnvironments(
    _ call: Call, _ user: UserIdentifier
  ) throws(CodedError<ServerErrorCode>) -> [AppEnvironment] {
    let appEnvironment = try call.appEnvironment()
    guard case .user = call.caller else { return [appEnvironment] }
    let app = try call.authenticatedApp()
    let additional = app.environmentsShown(to: user, at: call.server.now)
    return [appEnvironment] + additional.map { AppEnvironment(app: app.id, environment: $0) }
  }

  private static func entitlements(_ path: String, _ access: Set<Route.Access>) -> Route {
    Route(
      "GET", path, name: "ReadEntitlements", access: access,
      documentation: RouteDocumentation(
        summary: "The current entitlements of a user: from signed data, and beside them those without a payment.",
        about: .user,
        query: query(path), answer: "Entitlements")
    ) { call in
      let user = try userOf(call)
      let catalog = try call.authenticatedApp().catalog
      var answer = ReadEntitlements.Response(entitlements: [])
      for appEnvironment in try shownEnvironments(call, user) {
        let all = try await call.server.engine.readAllEntitlements(of: user, in: appEnvironment)
        answer.entitlements += all.paid.map {
          EntitlementBody($0, catalog, environment: appEnvironment.environment)
        }
        answer.promotional += all.promotional.map { EntitlementBody($0, at: call.server.now) }
      }
      return call.answer(answer.json)
    }
  }

  private static func balances(_ path: String, _ access: Set<Route.Access>) -> Route {
    Route(
      "GET", path, name: "ReadBalances", access: access,
      documentation: RouteDocumentation(
        summary: "The balances of a user, in units.", about: .user, query: query(path), answer: "Balances")
    ) { call in
      let user = try userOf(call)
      var bodies: [BalanceBody] = []
      for appEnvironment in try shownEnvironments(call, user) {
        let credited = try await call.server.engine.readCredits(to: user, in: appEnvironment)
        bodies += try await call.server.engine.readBalances(of: user, in: appEnvironment).map {
          var body = BalanceBody(unit: $0.unit, amount: $0.amount, environment: appEnvironment.environment)
          body.frozenSince = $0.frozenSince
          body.credited = credited[$0.unit]
          return body
        }
      }
      return call.answer(ReadBalances.Response(balances: bodies).json)
    }
  }
}

extension EntitlementBody {
  /// The entitlement as the API returns it. A product that is not in the catalog has no Counterfoil id.
  init(_ entitlement: Entitlement, _ catalog: Catalog, environment: StoreEnvironment) {
    self.init(
      entitlement: entitlement.entitlement, state: State(entitlement.state), expiresAt: entitlement.until,
      store: entitlement.store, environment: environment)
    willRenew = entitlement.willRenew
    renewsTo = entitlement.renewsTo.flatMap { catalog.product(for: $0)?.id }
    gracePeriodExpiresAt = entitlement.gracePeriodExpiresDate
    reason = entitlement.reason.map { Reason($0) }
  }
}

extension EntitlementBody {
  /// What a user was given, as they see it: not who gave it, and not why.
  init(_ promotional: PromotionalEntitlement, at now: Timestamp) {
    self.init(
      entitlement: promotional.entitlement, state: State(promotional.state(at: now)), expiresAt: promotional.until,
      store: nil, environment: promotional.appEnvironment.environment, source: .promotional)
  }
}

extension EntitlementBody.State {
  init(_ state: Entitlement.State) {
    switch state {
    case .active: self = .active
    case .gracePeriod: self = .gracePeriod
    case .billingRetry: self = .billingRetry
    case .expired: self = .expired
    case .revoked: self = .revoked
    }
  }
}

extension EntitlementBody.Reason {
  init(_ reason: Entitlement.Reason) {
    switch reason {
    case .cancelled: self = .cancelled
    case .billingError: self = .billingError
    case .priceIncrease: self = .priceIncrease
    case .productUnavailable: self = .productUnavailable
    case .other: self = .other
    case .upgraded: self = .upgraded
    case .refunded: self = .refunded
    case .familySharingEnded: self = .familySharingEnded
    }
  }
}
