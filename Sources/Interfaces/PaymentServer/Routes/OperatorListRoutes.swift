import AppStoreIntegration
import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What an operator lists. Each list has pages: `next` of one is `after` of the next.
enum OperatorListRoutes {
  static let all: [Route] = [
    orders, payments, refunds, subscriptions, subscription, reconciliations, reconciliation, consumptionRequests,
    notifications,
  ]

  private static let orders = Route(
    "GET", "/v1/operator/orders", name: "ListOrders", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Orders of an environment, the newest first.",
      query: filters(states: OrderState.names) + [.product("Our product's id."), .user("Only orders of that user.")],
      answer: "OperatorOrders")
  ) { call in
    let list = try ListCall(call, states: OrderState.names)
    let last = try list.position { parts in
      OrderIdentifier(parts[1]).map { OrderPosition(createdAt: parts.moment, id: $0) }
    }
    let page = try await call.server.engine.listOrders(
      list.filter, in: list.appEnvironment, after: last, limit: list.limit)
    return call.answer(
      ListCall.json(
        "orders", page.items.map { OrderBody($0, call.personal).json },
        next: page.next.map { ListCall.text($0.createdAt, $0.id.description) }))
  }

  private static let paymentStates = [
    "verified", "fulfilled", "unclaimed", "held", "setAside", "revoked", "imported", "reversed", "reinstated",
  ]

  private static let payments = Route(
    "GET", "/v1/operator/payments", name: "ListPayments", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Payments of an environment, the newest purchase first.",
      query: filters(states: paymentStates)
        + [.product("The store's product id."), .user("Only payments of that owner.")],
      answer: "OperatorPayments")
  ) { call in
    let list = try ListCall(call, states: paymentStates)
    let last = try list.position { parts -> PaymentPosition? in
      guard parts.count == 3, let store = Store(rawValue: parts[1]) else { return nil }
      return PaymentPosition(
        purchaseDate: parts.moment, transaction: TransactionIdentifier(parts[2]), store: store)
    }
    let page = try await call.server.engine.listPayments(
      list.filter, in: list.appEnvironment, after: last, limit: list.limit)
    return call.answer(
      ListCall.json(
        "payments", page.items.map(OperatorRoutes.json),
        next: page.next.map { ListCall.text($0.purchaseDate, $0.store.rawValue, $0.transaction.text) }))
  }

  private static let refundStates = ["asked", "underWay", "done", "failed", "stuck"]
  /// What is listed if the call names no time.
  private static let usualSpan = TimeSpan.days(31)

  private static let refunds = Route(
    "GET", "/v1/operator/refunds", name: "ListRefundsOfApp", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Refunds at WeChat Pay, the oldest first; of the last 31 days unless said otherwise.",
      query: filters(states: refundStates, withStore: false), answer: "OperatorRefunds")
  ) { call in
    let list = try ListCall(call, states: refundStates)
    let last = try list.position { parts in (date: parts.moment, number: parts[1]) }
    let to = list.filter.to ?? call.server.now
    let page = try await call.server.engine.listRefunds(
      from: list.filter.from ?? to - usualSpan, to: to, state: list.filter.state, in: list.appEnvironment,
      after: last, limit: list.limit)
    return call.answer(
      ListCall.json(
        "refunds", page.items.map { RefundBody($0).json },
        next: page.next.map { ListCall.text($0.date, $0.number) }))
  }

  private static let subscriptions = Route(
    "GET", "/v1/operator/subscriptions", name: "ListSubscriptions", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Subscriptions that the store is asked about again, the next one first. A search finds ended ones.",
      query: paging, answer: "OperatorSubscriptions")
  ) { call in
    let list = try ListCall(call, states: [])
    let last = try list.position { parts -> (askAt: Timestamp, key: PaymentKey)? in
      guard parts.count == 3, let store = Store(rawValue: parts[1]) else { return nil }
      let key = PaymentKey(
        app: list.appEnvironment.app, store: store, environment: list.appEnvironment.environment,
        transaction: TransactionIdentifier(parts[2]))
      return (parts.moment, key)
    }
    let page = try await call.server.engine.listSubscriptions(
      in: list.appEnvironment, after: last, limit: list.limit)
    return call.answer(
      ListCall.json(
        "subscriptions", page.items.map(json),
        next: page.next.map { ListCall.text($0.askAt, $0.key.store.rawValue, $0.key.transaction.text) }))
  }

  private static let subscription = Route(
    "GET", "/v1/operator/subscriptions/{originalTransactionId}", name: "TellSubscription", access: [.operator],
    documentation: RouteDocumentation(
      summary: "A subscription with its newest transactions.",
      query: [.operatorEnvironment("Any that has it, the app's own first, unless said otherwise.")],
      answer: "SubscriptionStory", codes: [.paymentUnknown])
  ) { call in
    let appEnvironments = try call.operatorEnvironment().map { [$0] } ?? call.authenticatedApp().everyEnvironment
    let story = try await call.server.engine.tellSubscription(
      TransactionIdentifier(call.parameter("originalTransactionId")), in: appEnvironments)
    return call.answer(
      .members([
        ("subscription", json(story.subscription)), ("payments", .array(story.payments.map(OperatorRoutes.json))),
        ("morePayments", .bool(story.hasMorePayments)),
        ("duplicates", .array(story.duplicates.map { .string($0.transaction.text) })),
      ]))
  }

  private static let reconciliations = Route(
    "GET", "/v1/operator/reconciliations", name: "ListReconciliations", access: [.operator],
    documentation: RouteDocumentation(
      summary: "The comparisons with a store's bills, the newest day first, at most \(PaymentEngine.listedMax).",
      query: [
        .init(
          name: "store", meaning: "`weChatPay` unless said otherwise: Apple has no bills.",
          schema: Schemas.words(Store.allCases)),
        .init(name: "from", meaning: "The first day, such as 2025-10-09.", schema: Schemas.text(10...10)),
        .init(name: "to", meaning: "The last day.", schema: Schemas.text(10...10)),
        .operatorEnvironment("The app's own unless said otherwise."),
      ], answer: "Reconciliations")
  ) { call in
    let store = try call.word("store", Store.init(rawValue:), Store.allCases.map(\.rawValue)) ?? .weChatPay
    let days = try call.days()
    let found = try await call.server.engine.listReconciliations(
      from: days.first, to: days.last, at: store, in: try call.operatorEnvironmentOrHome())
    return call.answer(.members([("reconciliations", .array(found.map { json($0, whole: false) }))]))
  }

  private static let reconciliation = Route(
    "GET", "/v1/operator/reconciliations/{store}/{day}", name: "ReadReconciliation", access: [.operator],
    documentation: RouteDocumentation(
      summary: "The comparison with a store's bill of a day, with all its differences.",
      query: [.operatorEnvironment("The app's own unless said otherwise.")], answer: "ReconciledDay",
      codes: [.dayNotCompared])
  ) { call in
    guard let store = Store(rawValue: call.parameter("store")) else {
      throw CodedError<EngineErrorCode>(.dayNotCompared, "The path names no known store.")
    }
    let found = try await call.server.engine.readReconciliation(
      of: call.parameter("day"), at: store, in: try call.operatorEnvironmentOrHome())
    return call.answer(json(found, whole: true))
  }

  private static let consumptionRequests = Route(
    "GET", "/v1/operator/consumption-requests", name: "ListConsumptionRequests", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Apple's questions about purchases that customers want refunded: open ones by deadline, then outcomes.",
      query: [
        .init(name: "since", meaning: "Outcomes since then; 31 days unless said otherwise.", schema: Schemas.date),
        .operatorEnvironment("The app's own unless said otherwise."),
      ], answer: "ConsumptionRequests")
  ) { call in
    let app = try call.authenticatedApp()
    let appEnvironment = try call.operatorEnvironmentOrHome()
    let since = try call.moment("since") ?? call.server.now - usualSpan
    let open = try await call.server.engine.openConsumptionRequests(in: appEnvironment, for: app)
    let outcomes = try await call.server.engine.consumptionOutcomes(in: appEnvironment, since: since)
    return call.answer(
      .members([
        ("open", .array(open.map(json))),
        ("outcomes", .array(outcomes.map { OperatorReadRoutes.json($0, call.personal) })),
      ]))
  }

  private static let effects = ReceivedNotification.Effect.allCases.map(\.rawValue)

  private static let notifications = Route(
    "GET", "/v1/operator/notifications", name: "ListNotifications", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Notifications of both stores, the newest first. A page may be short, and the next one go on.",
      query: paging + [
        .init(name: "store", meaning: "Only those of that store.", schema: Schemas.words(Store.allCases)),
        .init(
          name: "state", meaning: "Only those that took effect (`applied`), or were kept without one (`kept`).",
          schema: Schemas.words(effects)),
        .init(name: "type", meaning: "Only those of that type, as the store wrote it."),
      ], answer: "OperatorNotifications")
  ) { call in
    let list = try ListCall(call, states: effects)
    var query = NotificationQuery(appEnvironment: list.appEnvironment, limit: list.limit)
    query.store = list.filter.store
    query.effect = list.filter.state.flatMap(ReceivedNotification.Effect.init(rawValue:))
    query.type = try call.query("type")
    if let text = try call.query("after") {
      guard let number = Int64(text), number > 0 else {
        throw CodedError<ServerErrorCode>(.fieldInvalid, "after must be the `next` of a page.")
      }
      query.before = number
    }
    let page = try await call.server.engine.listNotifications(query)
    return call.answer(
      ListCall.json(
        "notifications", page.notifications.map { OperatorReadRoutes.json($0, nil) }, next: page.next.map(String.init)))
  }

  // MARK: parameters

  private static let paging: [RouteDocumentation.Parameter] = [
    .init(name: "after", meaning: "The `next` of the page before."),
    .init(
      name: "limit", meaning: "How many at most; 50 unless said otherwise.",
      schema: Schemas.integer(1...PaymentEngine.listedMax)),
    .operatorEnvironment("The app's own unless said otherwise."),
  ]

  private static func filters(states: [String], withStore: Bool = true) -> [RouteDocumentation.Parameter] {
    let store = RouteDocumentation.Parameter(
      name: "store", meaning: "Only those of that store.", schema: Schemas.words(Store.allCases))
    return paging + (withStore ? [store] : []) + [
      .init(name: "state", meaning: "Only those in that state.", schema: Schemas.words(states)),
      .init(name: "from", meaning: "Only those since then.", schema: Schemas.date),
      .init(name: "to", meaning: "Only those before then.", schema: Schemas.date),
    ]
  }
}

extension RouteDocumentation.Parameter {
  fileprivate static func product(_ meaning: String) -> Self { Self(name: "product", meaning: meaning) }
  fileprivate static func user(_ meaning: String) -> Self { Self(name: "userId", meaning: meaning) }
}
