package import HTTPMessages
package import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// The outcome of an API request: an answer, or none.
package enum AppStoreAPIAnswer: Sendable, Equatable {
  case response(HTTPResponse, after: TimeSpan)
  /// The host was unreachable: the request had no effect.
  case unreachable
  /// The connection broke; the client cannot know whether the request took effect.
  case lost
}

/// The App Store Server API, and `verifyReceipt`: routes, planned faults, gate and limits.
package struct SimulatedServerAPI: Sendable {
  let store: SimulatedAppStore

  /// Answers a request to the App Store Server API, with the planned faults.
  ///
  /// - Parameter request: its target may be absolute, with scheme and host; Apple's hosts select the environment. On
  ///   any other host the path may begin with `/app-store/production` or `/app-store/sandbox`. Otherwise the
  ///   environment is the default for new accounts (rule AS-API-2).
  nonisolated(nonsending) package func answer(to request: HTTPRequest) async -> AppStoreAPIAnswer {
    await Self.answer(to: request, at: store)
  }

  /// The same for a listener, which must always answer: a gateway's page replaces a broken connection.
  nonisolated(nonsending) package func respond(to request: HTTPRequest) async -> HTTPResponse {
    await Self.respond(to: request, at: store)
  }

  private static func respond(to request: HTTPRequest, at store: isolated SimulatedAppStore) async -> HTTPResponse {
    switch await answer(to: request, at: store) {
    case .response(let response, let span):
      if span > .zero { try? await store.dependencies.sleep(span) }
      return response
    case .unreachable, .lost: return gatewayPage
    }
  }

  /// The same as a network: a server under test gets it instead of the real one.
  package var network: HTTPExchange {
    HTTPExchange { [store] request, limit throws(HTTPExchangeError) in
      switch await Self.answer(to: request, at: store) {
      case .unreachable: throw .unreachable("The simulated App Store cannot be reached.")
      case .lost: throw .outcomeUnknown("The simulated App Store broke the connection.")
      case .response(let response, let span):
        guard span > .zero else { return response }
        do { try await store.dependencies.sleep(min(span, limit)) } catch { throw .cancelled }
        if span >= limit { throw .outcomeUnknown("The simulated App Store did not answer in time.") }
        return response
      }
    }
  }

  /// Whether a request is for the API; several services share a listener.
  package static func answers(_ request: HTTPRequest) -> Bool { APIAddress.isAPI(request) }

  // MARK: the answer and its fault

  private static func answer(
    to request: HTTPRequest, at store: isolated SimulatedAppStore
  ) async -> AppStoreAPIAnswer {
    let answer = await answerWithoutNumber(to: request, at: store)
    guard case .response(var response, let span) = answer, response.status == 401 else { return answer }
    response.body = AppStoreAPIProblem.refusalText(number: store.dependencies.randomBytes(16))
    return .response(response, after: span)
  }

  private static func answerWithoutNumber(
    to request: HTTPRequest, at store: isolated SimulatedAppStore
  ) async -> AppStoreAPIAnswer {
    let address = APIAddress(of: request, otherwise: store.settings.environment)
    let route: AppStoreAPIRoute
    do throws(AppStoreAPIProblem) {
      // For this path Apple answers another method with its own number, not with an HTTP error.
      let method = address.target == APIAddress.receiptPath ? "POST" : request.method
      route = try AppStoreAPIRoute(method: method, rawTarget: address.target)
    } catch { return .response(error.response, after: .zero) }
    let fault: AppStoreAPIFault?
    do throws(AppStoreAPIProblem) { fault = try await strike(route.operation, at: store) } catch {
      return .response(error.response, after: .zero)
    }
    if let early = early(fault, at: store.dependencies.now()) { return early }
    // Nothing may come between this and the answer: another call could move the clock.
    await store.settle()
    let response = await response(to: request, route, in: address.environment, fault: fault, at: store)
    return late(response, fault)
  }

  private static func strike(
    _ operation: AppStoreAPIOperation, at store: isolated SimulatedAppStore
  ) async throws(AppStoreAPIProblem) -> AppStoreAPIFault? {
    try await store.commit { decision throws(AppStoreAPIProblem) in
      var faults = decision.state.apiFaults
      let fault = faults.strike(operation)
      if faults != decision.state.apiFaults { decision.event = .apiFaultsSet(faults) }
      return fault
    }
  }

  /// The answers that come before the call takes effect.
  private static func early(_ fault: AppStoreAPIFault?, at realTime: Timestamp) -> AppStoreAPIAnswer? {
    let problem: AppStoreAPIProblem
    switch fault {
    case .unreachable: return .unreachable
    case .loseRequest: return .lost
    case .htmlError: return .response(gatewayPage, after: .zero)
    case .unauthorized: problem = .unauthenticated
    case .notFound: problem = .transactionIdNotFound
    case .notFoundYet: problem = .accountNotFoundRetryable
    case .rateLimited: problem = .rateLimitExceeded(until: realTime + .minutes(1))
    case .internalError: problem = .generalInternal
    case .internalErrorRetryable: problem = .generalInternalRetryable
    default: return nil
    }
    return .response(problem.response, after: .zero)
  }

  /// The answers that replace or delay the answer of a call that took effect.
  private static func late(_ response: HTTPResponse, _ fault: AppStoreAPIFault?) -> AppStoreAPIAnswer {
    switch fault {
    case .loseAnswer: return .lost
    case .internalErrorAfterEffect: return .response(AppStoreAPIProblem.generalInternal.response, after: .zero)
    case .cutAnswer:
      var cut = response
      cut.body = Array(response.body.prefix(response.body.count / 2))
      return .response(cut, after: .zero)
    case .slow: return .response(response, after: SimulatorLimits.slowAnswer)
    default: return .response(response, after: .zero)
    }
  }

  static let gatewayPage = HTTPResponse(
    status: 502, fields: ["Content-Type": "text/html"],
    body: Array("<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n".utf8))

  // MARK: the call

  private static func response(
    to request: HTTPRequest, _ route: AppStoreAPIRoute, in environment: SimulatedEnvironment,
    fault: AppStoreAPIFault?, at store: isolated SimulatedAppStore
  ) async -> HTTPResponse {
    if route.operation == .verifyReceipt {
      return VerifyReceiptService(snapshot: store.snapshot, authority: store.authority, environment: environment)
        .answer(to: request, fault)
    }
    if route.operation == .certificateStatus {
      return CertificateStatusResponder(
        authority: store.authority, revocations: store.state.revocations, realTime: store.dependencies.now()
      ).answer(to: request)
    }
    do throws(AppStoreAPIProblem) {
      return try await perform(try admit(request, route, in: environment, at: store), at: store)
    } catch { return error.response }
  }

  /// The call, after the gate and the limits.
  private static func admit(
    _ request: HTTPRequest, _ route: AppStoreAPIRoute, in environment: SimulatedEnvironment,
    at store: isolated SimulatedAppStore
  ) throws(AppStoreAPIProblem) -> APICall {
    let realTime = store.dependencies.now()
    let behaviours = store.state.behaviours
    let gate = APIGate(
      keys: store.state.apiKeys, apps: store.state.apps, testKey: store.testAPIKey.key, realTime: realTime)
    let app = try gate.admit(request)
    // Rule AS-API-4: in production Apple does not know an app that was never released.
    guard environment != .production || !behaviours.isOn(.unreleasedInProduction) else { throw .unauthenticated }
    try store.apiRateLimits.admit(
      app.bundleId, environment, operation: route.operation, at: realTime, behaviour: behaviours[.apiCallsPerHour])
    guard request.body.count <= SimulatorLimits.controlBodyBytesMax else { throw .bodyInvalid }
    return APICall(route: route, body: request.body, app: app, environment: environment)
  }

  private static func perform(
    _ call: APICall, at store: isolated SimulatedAppStore
  ) async throws(AppStoreAPIProblem) -> HTTPResponse {
    switch call.route.operation {
    case .transactionInfo: return try TransactionAnswers(call: call, snapshot: store.snapshot).transactionInfo()
    case .appTransactionInfo: return try await appTransactionInfo(call, at: store)
    case .history: return try HistoryAnswers(call: call, snapshot: store.snapshot).history(isFirstVersion: false)
    case .historyV1: return try HistoryAnswers(call: call, snapshot: store.snapshot).history(isFirstVersion: true)
    case .statuses: return try SubscriptionAnswers(call: call, snapshot: store.snapshot).statuses()
    case .orderLookup: return try TransactionAnswers(call: call, snapshot: store.snapshot).orderLookup()
    case .refundHistory: return try HistoryAnswers(call: call, snapshot: store.snapshot).refundHistory()
    case .notificationHistory: return try NotificationAnswers(call: call, snapshot: store.snapshot).history()
    case .testNotification: return try await APICommands(call: call).requestTestNotification(at: store)
    case .testNotificationStatus: return try NotificationAnswers(call: call, snapshot: store.snapshot).testStatus()
    case .finish: return try await APICommands(call: call).finish(at: store)
    case .setAppAccountToken: return try await APICommands(call: call).setAppAccountToken(at: store)
    case .consumption: return try await APICommands(call: call).tellConsumption(isFirstVersion: false, at: store)
    case .consumptionV1: return try await APICommands(call: call).tellConsumption(isFirstVersion: true, at: store)
    case .extendRenewal: return try await ExtensionCommands(call: call).extend(at: store)
    case .extendAllRenewals: return try await ExtensionCommands(call: call).extendAll(at: store)
    case .extensionStatus: return try ExtensionCommands(call: call).status(in: store.state)
    case .verifyReceipt, .certificateStatus: throw .empty(404)
    }
  }

  private static func appTransactionInfo(
    _ call: APICall, at store: isolated SimulatedAppStore
  ) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let owner = try call.owner(in: store.state)
    guard store.state.downloads[owner] != nil else {
      throw AppStoreAPIProblem(404, 4_040_019, message: "App transaction does not exist.")
    }
    let signed: String
    do { signed = try await AppStorePurchases.appTransaction(of: owner, for: nil, at: store) } catch {
      throw .generalInternal
    }
    return HTTPResponse(status: 200, json: .members([("signedAppTransactionInfo", .string(signed))]))
  }
}
