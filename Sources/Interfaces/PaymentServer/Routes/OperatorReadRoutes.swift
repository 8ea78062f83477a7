import AppStoreIntegration
import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What an operator reads: a search, and the stories of orders, payments and users.
enum OperatorReadRoutes {
  static let all: [Route] = [
    search, order, lookUpOrder, payment, user, deliveries, delivery, notification,
  ]

  private static let search = Route(
    "GET", "/v1/operator/search", name: "Search", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Finds what has a number or name, in all environments of the app: orders, payments, users and more.",
      query: [.init(name: "q", meaning: "1 to \(SearchTerm.bytesMax) bytes, without control characters.")],
      answer: "SearchResult")
  ) { call in
    guard let term = SearchTerm(try call.query("q") ?? "") else {
      throw CodedError<ServerErrorCode>(
        .fieldInvalid, "q must be 1 to \(SearchTerm.bytesMax) bytes without control characters.")
    }
    let app = try call.authenticatedApp()
    let concerned = call.server.requests.subjects(of: term.text.lowercased(), in: app.id)
    let result = try await call.server.engine.search(term, in: app, concerned: concerned)
    return call.answer(json(result))
  }

  private static let order = Route(
    "GET", "/v1/operator/orders/{orderId}", name: "TellOrder", access: [.operator],
    documentation: RouteDocumentation(
      summary: "All that is known of an order: its payments, grant, refunds, deliveries, claims and journal.",
      query: [.operatorEnvironment("Any that has it, the app's own first, unless said otherwise.")],
      answer: "OrderStory", codes: [.orderUnknown])
  ) { call in
    let appEnvironments = try call.operatorEnvironment().map { [$0] } ?? call.authenticatedApp().everyEnvironment
    let story = try await call.server.engine.tellOrder(OrderName(call.parameter("orderId")), in: appEnvironments)
    return call.answer(json(story, call.personal))
  }

  private static let lookUpOrder = Route(
    "POST", "/v1/operator/orders/lookup", name: "LookUpOrder", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Asks Apple about the order number of a receipt mail. What Apple names is verified and taken in.",
      request: "LookUpOrder", answer: "LookedUpOrder",
      codes: [.storeNotConfigured, .orderNumberUnknown, .appStoreUnanswered])
  ) { call in
    let app = try call.authenticatedApp()
    let number = try call.body { (json) throws(JSONFieldError) in
      try JSONFields(json).converted("number", "an order number such as MK5TTT123H", AppleOrderNumber.init)
    }
    let found = try await call.server.engine.lookUpOrder(number, for: app)
    return call.answer(
      .members([
        ("number", .string(found.number.text)), ("payments", .array(found.payments.map(OperatorRoutes.json))),
        ("refused", .integer(found.refused)),
      ]))
  }

  private static let payment = Route(
    "GET", "/v1/operator/payments/{store}/{environment}/{transactionId}", name: "TellPayment", access: [.operator],
    documentation: RouteDocumentation(
      summary: "All that is known of a transaction, also without an order: its state, evidence and ways out.",
      answer: "PaymentStory", codes: [.paymentUnknown])
  ) { call in
    let app = try call.authenticatedApp()
    guard let store = Store(rawValue: call.parameter("store")),
      let environment = StoreEnvironment(rawValue: call.parameter("environment"))
    else {
      throw CodedError<EngineErrorCode>(.paymentUnknown, "The path names no known store and environment.")
    }
    let story = try await call.server.engine.tellPayment(
      PaymentKey(
        app: app.id, store: store, environment: environment,
        transaction: TransactionIdentifier(call.parameter("transactionId"))))
    return call.answer(json(story, call))
  }

  private static let user = Route(
    "GET", "/v1/operator/users/{userId}", name: "TellUser", access: [.operator],
    documentation: RouteDocumentation(
      summary: "What a user has in one environment: orders, payments, balances, entitlements, refunds.",
      query: [
        .limit(ContractLimits.pageMax), .init(name: "before", meaning: "The `next` of the page before."),
        .operatorEnvironment("The app's own unless said otherwise."),
      ], answer: "UserStory")
  ) { call in
    let app = try call.authenticatedApp()
    let user = UserIdentifier(call.parameter("userId"))
    let appEnvironment = try call.operatorEnvironmentOrHome()
    let limit = Int(try call.queryNumber("limit", in: 1...Int64(ContractLimits.pageMax), otherwise: 20))
    let noPage = CodedError<ServerErrorCode>(.fieldInvalid, "before must be the `next` of a page.")
    var last: OrderIdentifier?
    if let text = try call.query("before") {
      last = OrderIdentifier(text)
      guard last != nil else { throw noPage }
    }
    do {
      let story = try await call.server.engine.tellUser(user, in: appEnvironment, orders: limit, after: last)
      return call.answer(json(story, in: appEnvironment, app.catalog, at: call.server.now, for: call.personal))
    } catch let error as CodedError<EngineErrorCode> where error.code == .orderUnknown { throw noPage }
  }

  private static let deliveries = Route(
    "GET", "/v1/operator/deliveries", name: "ListDeliveries", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Deliveries in order of their making; usually those that are parked or pending.",
      query: [
        .init(
          name: "state", meaning: "Those that stand so; `parked` unless said otherwise.",
          schema: Schemas.words(DeliveryQuery.Selection.allCases)),
        .init(name: "after", meaning: "The `next` of the page before."), .limit(ContractLimits.pageMax),
        .operatorEnvironment("The app's own unless said otherwise."),
      ], answer: "Deliveries")
  ) { call in
    guard let selection = DeliveryQuery.Selection(rawValue: try call.query("state") ?? "parked") else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "state must be all, pending, acknowledged or parked.")
    }
    let appEnvironment = try call.operatorEnvironmentOrHome()
    return try await DeliveryRoutes.page(call, in: appEnvironment, selection)
  }

  private static let delivery = Route(
    "GET", "/v1/operator/deliveries/{deliveryId}", name: "ReadDelivery", access: [.operator],
    documentation: RouteDocumentation(
      summary: "One delivery: its state, its failed attempts one by one, and the body that is sent.",
      answer: "DeliveryStory",
      codes: [.deliveryUnknown])
  ) { call in
    let delivery = try await call.server.engine.readDelivery(
      DeliveryIdentifier(call.parameter("deliveryId")), of: try call.authenticatedApp().id)
    let attempts = try await call.server.engine.attempts(of: delivery)
    let members = DeliveryRoutes.json(delivery, call.personal).object ?? []
    return call.answer(
      .members(members.map { ($0.name, $0.value) } + [("failedAttempts", .array(attempts.map(json)))]))
  }

  private static let notification = Route(
    "GET", "/v1/operator/notifications/{notificationId}", name: "ReadNotification", access: [.operator],
    documentation: RouteDocumentation(
      summary: "A store's notification without its signed text: type, transaction, effect, and how it was forwarded.",
      query: [.operatorEnvironment("Any that has it, the app's own first, unless said otherwise.")],
      answer: "Notification", codes: [.notificationUnknown])
  ) { call in
    let appEnvironments = try call.operatorEnvironment().map { [$0] } ?? call.authenticatedApp().everyEnvironment
    let (notification, forward) = try await call.server.engine.readNotification(
      call.parameter("notificationId"), in: appEnvironments)
    return call.answer(json(notification, forward))
  }
}
