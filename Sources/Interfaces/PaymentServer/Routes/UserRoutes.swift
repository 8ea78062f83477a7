import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// A user's account as a whole: merged into another one, and limited in what it may spend.
enum UserRoutes {
  static let all: [Route] = [merge, erase, eraseAsOperator, setLimit, liftLimit, readLimits, readData]

  private static let merge = Route(
    "POST", "/v1/users/{userId}/merge", name: "MergeUser", access: [.backend],
    documentation: RouteDocumentation(
      summary:
        "Merges another user into this one, for ever: orders, payments, entitlements, subscriptions and balances.",
      about: .user, request: "MergeUser", answer: "MergedUser", statuses: [201, 200],
      codes: [.userUnknown, .mergeWithItself, .userAlreadyMerged, .mergeTargetMerged, .userTooLarge])
  ) { call in
    let app = try call.authenticatedApp()
    let from = try call.body { (json) throws(JSONFieldError) in
      UserIdentifier(try JSONFields(json).string("from", bytesMax: 255))
    }
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    try call.checkBuyer(user)
    let merged = try await call.server.engine.mergeUser(from, into: user, of: app)
    let merge = merged.merge
    return call.answer(
      .members([
        ("userId", .string(merge.into.text)), ("mergedUserId", .string(merge.user.text)),
        ("orders", .integer(merge.orders)), ("payments", .integer(merge.payments)),
        ("mergedAt", .string(merge.at.iso8601)),
      ]), status: merged.isNew ? 201 : 200)
  }

  private static let erase = erasure(
    "/v1/users/{userId}/erase", access: .backend,
    summary: "Erases a user: what the ledger needs is kept under an alias, all else goes. The key needs the permission."
  ) { call in
    guard call.mayErase else {
      throw CodedError<ServerErrorCode>(.notAllowed, "The key was made without the permission to erase.")
    }
    return try call.user(named: UserIdentifier(call.parameter("userId")))
  }

  private static let eraseAsOperator = erasure(
    "/v1/operator/users/{userId}/erase", access: .operator,
    summary:
      "Erases a user: what the ledger needs is kept under an alias, all else goes. The audit log keeps the reason."
  ) { call in UserIdentifier(call.parameter("userId")) }

  private static func erasure(
    _ path: String, access: Route.Access, summary: String,
    user: @escaping @Sendable (Call) throws -> UserIdentifier
  ) -> Route {
    let isOperators = access == .operator
    return Route(
      "POST", path, name: "EraseUser", access: [access],
      documentation: RouteDocumentation(
        summary: summary, about: isOperators ? .nobody : .user,
        request: isOperators ? "EraseUserWithReason" : "EraseUser", answer: "ErasedUser", statuses: [201, 200],
        codes: [.userUnknown, .userAlreadyMerged, .erasureNotPossible, .erasureListUnavailable])
    ) { call in
      let isForced = try call.body { (json) throws(JSONFieldError) in
        let fields = try JSONFields(json)
        // The audit log takes it from the request.
        _ =
          try isOperators
          ? fields.string("reason", bytesMax: 1024) : fields.optionalString("reason", bytesMax: 1024)
        return try fields.optionalBool("force") ?? false
      }
      let app = try call.authenticatedApp()
      let erased = try await call.server.engine.eraseUser(try user(call), of: app, isForced: isForced)
      let erasure = erased.erasure
      return call.answer(
        .members([
          ("userId", .string(erasure.alias.text)), ("orders", .integer(erasure.orders)),
          ("payments", .integer(erasure.payments)), ("begunAt", .string(erasure.begunAt.iso8601)),
          ("erasedAt", erasure.doneAt.map { .string($0.iso8601) }),
        ]), status: erased.isNew ? 201 : 200)
    }
  }

  private static let setLimit = Route(
    "PUT", "/v1/users/{userId}/spending-limits/{currency}", name: "SetSpendingLimit", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Limits what a user may spend in a calendar month (UTC), in one currency.", about: .user,
      request: "SetSpendingLimit", answer: "SpendingLimit")
  ) { call in
    let limit = try call.body { (json) throws(JSONFieldError) in
      try JSONFields(json).integer("limit", in: 0...ContractLimits.debitMax)
    }
    return try await set(limit, call)
  }

  private static let liftLimit = Route(
    "POST", "/v1/users/{userId}/spending-limits/{currency}/lift", name: "LiftSpendingLimit", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Lifts a user's limit in one currency.", about: .user, answer: "SpendingLimit")
  ) { call in try await set(nil, call) }

  private static func set(_ limit: Int64?, _ call: Call) async throws -> HTTPResponse {
    let app = try call.authenticatedApp()
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    try call.checkBuyer(user)
    guard let currency = CurrencyCode(call.parameter("currency")) else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "The currency must be three upper-case letters.")
    }
    return call.answer(json(try await call.server.engine.setSpendingLimit(limit, currency, of: user, in: app)))
  }

  private static let readLimits = Route(
    "GET", "/v1/users/{userId}/spending-limits", name: "ReadSpendingLimits", access: [.backend],
    documentation: RouteDocumentation(
      summary: "What limits a user, and what they spent in the present month.", about: .user, answer: "SpendingLimits")
  ) { call in
    let app = try call.authenticatedApp()
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let spending = try await call.server.engine.readSpending(of: user, in: app)
    return call.answer(.members([("limits", .array(spending.map(json)))]))
  }

  /// The most histories in one answer: each may have hundreds of entries.
  private static let historiesMax = 100

  private static let readData = Route(
    "GET", "/v1/users/{userId}/data", name: "ReadUserData", access: [.backend],
    documentation: RouteDocumentation(
      summary: "All that is kept under a user's id, for the user's right of access. `next` leads to further histories.",
      about: .user,
      query: [
        .environment, .limit(historiesMax),
        .init(
          name: "after",
          meaning: "Goes on with the histories where a page ended: its `next`. The other lists stand on the first page."
        ),
      ], answer: "UserData", codes: [.userUnknown, .orderUnknown])
  ) { call in
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let appEnvironment = try call.appEnvironment()
    let limit = Int(try call.queryNumber("limit", in: 1...Int64(historiesMax), otherwise: 20))
    var place: UserHistoryPlace?
    if let text = try call.query("after") {
      guard let known = UserHistoryPlace(text) else {
        throw CodedError<ServerErrorCode>(.fieldInvalid, "after must be the next of a page before.")
      }
      place = known
    }
    var lists: [(String, JSONValue?)] = []
    if place == nil {
      lists = try members(try await call.server.engine.readUserData(of: user, in: appEnvironment), of: user, call)
    }
    let page = try await call.server.engine.readUserHistories(
      of: user, in: appEnvironment, after: place, limit: limit)
    return call.answer(
      .members(
        [("userId", .string(user.text)), ("environment", .string(appEnvironment.environment.rawValue))] + lists + [
          ("histories", .array(page.histories.map(json))), ("next", page.next.map { .string($0.text) }),
        ]))
  }

  /// The lists of the first page.
  private static func members(
    _ data: UserData, of user: UserIdentifier, _ call: Call
  ) throws -> [(String, JSONValue?)] {
    let (app, environment) = (try call.authenticatedApp(), try call.appEnvironment().environment)
    return [
      ("orders", .array(data.orders.map { OrderBody($0, .backend).json })),
      ("payments", .array(data.payments.map(OperatorRoutes.json))),
      (
        "balances",
        .array(data.balances.map { BalanceBody(unit: $0.unit, amount: $0.amount, environment: environment).json })
      ), ("entries", .array(data.entries.map { EntryBody($0, of: user, .backend).json })),
      (
        "entitlements",
        .array(data.entitlements.map { EntitlementBody($0, app.catalog, environment: environment).json })
      ), ("sharedTransactionIds", .array(data.shared.map { .string($0.transaction.text) })),
      ("consumptionConsent", data.consent.map { .bool($0.isGiven) }),
      ("spendingLimits", .array(data.spending.map(json))),
      (
        "promotionalEntitlements",
        .array(data.promotional.map { PromotionalEntitlementBody($0, at: call.server.now).json })
      ),
      ("mergedInto", data.merge.map { .string($0.into.text) }), ("more", .bool(data.hasMore)),
    ]
  }

  /// No signed text is in it: it could be presented again.
  private static func json(_ history: UserHistory) -> JSONValue {
    .members([
      ("orderId", history.order.map { .string($0.description) }),
      ("store", history.payment.map { .string($0.store.rawValue) }),
      ("transactionId", history.payment.map { .string($0.transaction.text) }),
      ("journal", .array(history.journal.entries.map { OperatorReadRoutes.json($0, .backend) })),
      ("journalOmitted", .integer(history.journal.omitted)),
      (
        "evidence",
        .array(
          history.evidence.map { one in
            .members([
              ("origin", .string(one.origin.rawValue)), ("receivedAt", .string(one.receivedAt.iso8601)),
              ("sha256", .string(UserHistory.digest(of: one))),
            ])
          })
      ), ("deliveries", .array(history.deliveries.map { DeliveryRoutes.json($0, .backend) })),
    ])
  }

  private static func json(_ spending: Spending) -> JSONValue {
    .members([
      ("currency", .string(spending.limit.currency.code)),
      ("limit", spending.limit.minorUnits.map { .integer($0) }), ("spent", .integer(spending.spent)),
      ("left", spending.left.map { .integer($0) }), ("since", .string(spending.since.iso8601)),
      ("setAt", .string(spending.limit.setAt.iso8601)),
    ])
  }
}
