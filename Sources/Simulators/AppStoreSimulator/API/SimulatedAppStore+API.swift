package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// The outcome of an API request: an answer, or none.
package enum AppStoreAPIAnswer: Sendable, Equatable {
  case response(HTTPResponse, after: TimeSpan)
  /// The host was unreachable: the request had no effect.
  case unreachable
  /// The connection broke; the client cannot know whether the request took effect.
  case lost
}

extension SimulatedAppStore {
  /// Answers a request to the App Store Server API, with the planned faults.
  ///
  /// - Parameter request: its target may be absolute, with scheme and host; Apple's hosts select the environment. On
  ///   any other host the path may begin with `/app-store/production` or `/app-store/sandbox`. Otherwise the
  ///   environment is the default for new accounts (rule AS-API-2).
  package func answerAPI(to request: HTTPRequest) async -> AppStoreAPIAnswer {
    let (environment, target) = Self.place(of: request, otherwise: settings.environment)
    let route: AppStoreAPIRoute
    do throws(AppStoreAPIProblem) {
      // For this path Apple answers another method with its own number, not with an HTTP error.
      let method = target == Self.receiptPath ? "POST" : request.method
      route = try AppStoreAPIRoute(method: method, rawTarget: target)
    } catch { return .response(error.response, after: .zero) }
    let fault: AppStoreAPIFault?
    do throws(AppStoreAPIProblem) { fault = try await strike(route.operation) } catch {
      return .response(error.response, after: .zero)
    }
    if let early = early(fault) { return early }
    var response: HTTPResponse
    if route.operation == .verifyReceipt {
      response = answerVerifyReceipt(to: request, environment, fault)
    } else {
      do throws(AppStoreAPIProblem) { response = try await perform(route, request, environment: environment) } catch {
        response = error.response
      }
    }
    switch fault {
    case .loseAnswer: return .lost
    case .internalErrorAfterEffect: return .response(AppStoreAPIProblem.generalInternal.response, after: .zero)
    case .cutAnswer:
      response.body = Array(response.body.prefix(response.body.count / 2))
      return .response(response, after: .zero)
    case .slow: return .response(response, after: SimulatorLimits.slowAnswer)
    default: return .response(response, after: .zero)
    }
  }

  /// The same for a listener, which must always answer: a gateway's page replaces a broken connection.
  package func respondAPI(to request: HTTPRequest) async -> HTTPResponse {
    switch await answerAPI(to: request) {
    case .response(let response, let span):
      if span > .zero { try? await dependencies.sleep(span) }
      return response
    case .unreachable, .lost: return Self.gatewayPage
    }
  }

  /// The same as a network: a server under test gets it instead of the real one.
  package nonisolated var apiNetwork: HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in
      switch await self.answerAPI(to: request) {
      case .unreachable: throw .unreachable("The simulated App Store cannot be reached.")
      case .lost: throw .outcomeUnknown("The simulated App Store broke the connection.")
      case .response(let response, let span):
        guard span > .zero else { return response }
        do { try await self.dependencies.sleep(min(span, limit)) } catch { throw .cancelled }
        if span >= limit { throw .outcomeUnknown("The simulated App Store did not answer in time.") }
        return response
      }
    }
  }

  /// Whether a request is for the API; several services share a listener.
  package static func answersAPI(_ request: HTTPRequest) -> Bool {
    let target = parts(of: request.target).target
    return target.hasPrefix("/inApps/") || target.hasPrefix("/app-store/") || target == receiptPath
  }

  // MARK: where the request goes

  private static let hosts: [String: SimulatedEnvironment] = [
    "api.storekit.apple.com": .production, "api.storekit.itunes.apple.com": .production,
    "api.storekit-sandbox.apple.com": .sandbox, "api.storekit-sandbox.itunes.apple.com": .sandbox,
    "buy.itunes.apple.com": .production, "sandbox.itunes.apple.com": .sandbox,
  ]

  private static func place(
    of request: HTTPRequest, otherwise environment: SimulatedEnvironment
  ) -> (SimulatedEnvironment, target: String) {
    let (host, target) = parts(of: request.target)
    let name = (host ?? request.fields["Host"] ?? "").lowercased()
    for (prefix, its) in [("/app-store/production", SimulatedEnvironment.production), ("/app-store/sandbox", .sandbox)]
    where target.hasPrefix(prefix + "/") {
      return (its, String(target.dropFirst(prefix.count)))
    }
    return (hosts[name] ?? environment, target)
  }

  private static func parts(of target: String) -> (host: String?, target: String) {
    for scheme in ["https://", "http://"] where target.hasPrefix(scheme) {
      let rest = target.dropFirst(scheme.count)
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      let path = rest.dropFirst(host.count)
      return (String(host), path.hasPrefix("/") ? String(path) : "/" + path)
    }
    return (nil, target)
  }

  static let gatewayPage = HTTPResponse(
    status: 502, fields: ["Content-Type": "text/html"],
    body: Array("<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n".utf8))

  // MARK: faults

  private func strike(_ operation: AppStoreAPIOperation) async throws(AppStoreAPIProblem) -> AppStoreAPIFault? {
    try await commitForAPI { decision throws(AppStoreAPIProblem) in
      var faults = decision.state.apiFaults
      let fault = faults.strike(operation)
      if faults != decision.state.apiFaults { decision.event = .apiFaultsSet(faults) }
      return fault
    }
  }

  /// The answers that come before the call takes effect.
  private func early(_ fault: AppStoreAPIFault?) -> AppStoreAPIAnswer? {
    let problem: AppStoreAPIProblem
    switch fault {
    case .unreachable: return .unreachable
    case .loseRequest: return .lost
    case .htmlError: return .response(Self.gatewayPage, after: .zero)
    case .unauthorized: problem = .unauthenticated
    case .notFound: problem = .transactionIdNotFound
    case .notFoundYet: problem = .accountNotFoundRetryable
    case .rateLimited: problem = .rateLimitExceeded(until: dependencies.now() + .minutes(1))
    case .internalError: problem = .generalInternal
    case .internalErrorRetryable: problem = .generalInternalRetryable
    default: return nil
    }
    return .response(problem.response, after: .zero)
  }

  // MARK: the call

  private func perform(
    _ route: AppStoreAPIRoute, _ request: HTTPRequest, environment: SimulatedEnvironment
  ) async throws(AppStoreAPIProblem) -> HTTPResponse {
    let gate = APIGate(
      keys: state.apiKeys, apps: state.apps, testKey: testAPIKey.key, realTime: dependencies.now())
    let app = try gate.admit(request)
    // Rule AS-API-4: in production Apple does not know an app that was never released.
    guard environment != .production || !state.behaviours.isOn(.unreleasedInProduction) else { throw .unauthenticated }
    try apiRateLimits.admit(
      app.bundleId, environment, operation: route.operation, at: dependencies.now(),
      behaviour: state.behaviours[.apiCallsPerHour])
    guard request.body.count <= SimulatorLimits.controlBodyBytesMax else { throw .bodyInvalid }
    let call = APICall(route: route, body: request.body, app: app, environment: environment)
    switch route.operation {
    case .transactionInfo: return try transactionInfo(call)
    case .appTransactionInfo: return try await appTransactionInfo(call)
    case .history: return try history(call, isFirstVersion: false)
    case .historyV1: return try history(call, isFirstVersion: true)
    case .statuses: return try statuses(call)
    case .orderLookup: return try orderLookup(call)
    case .refundHistory: return try refundHistory(call)
    case .notificationHistory: return try notificationHistory(call)
    case .testNotification: return try await testNotification(call)
    case .testNotificationStatus: return try testNotificationStatus(call)
    case .finish: return try await finishByAPI(call)
    case .setAppAccountToken: return try await setAppAccountToken(call)
    case .consumption: return try await consumption(call, isFirstVersion: false)
    case .consumptionV1: return try await consumption(call, isFirstVersion: true)
    case .verifyReceipt: throw .empty(404)
    }
  }

  /// Decides a command that throws Apple's errors. A log write failure becomes an internal error.
  func commitForAPI<Answer: Sendable>(
    _ decide: (inout CommandContext) throws(AppStoreAPIProblem) -> Answer
  ) async throws(AppStoreAPIProblem) -> Answer {
    let outcome: Result<Answer, AppStoreAPIProblem>
    do {
      outcome = try await commit { decision throws(CodedError<SimulatorErrorCode>) in
        do throws(AppStoreAPIProblem) { return .success(try decide(&decision)) } catch {
          decision.event = nil
          return .failure(error)
        }
      }
    } catch { throw .generalInternal }
    return try outcome.get()
  }
}

/// One API call after the gate.
struct APICall {
  let route: AppStoreAPIRoute
  let body: [UInt8]
  let app: SimulatedApp
  let environment: SimulatedEnvironment

  /// The values of a query parameter that may repeat.
  func values(_ name: String) -> [String] {
    route.target.query.filter { $0.name == name }.map(\.value)
  }

  /// The converted value of a query parameter; nil when it is absent.
  func value<Value>(
    _ name: String, or problem: AppStoreAPIProblem, _ convert: (String) -> Value?
  ) throws(AppStoreAPIProblem) -> Value? {
    guard let text = values(name).first else { return nil }
    guard let value = convert(text) else { throw problem }
    return value
  }

  /// The body as an object; null members count as absent.
  func object() throws(AppStoreAPIProblem) -> JSONValue {
    let limits = JSONLimits(bytesMax: SimulatorLimits.controlBodyBytesMax, depthMax: 4, valuesMax: 100)
    guard let members = (try? JSONReader.read(body, limits: limits))?.object else { throw .bodyInvalid }
    return .object(members.filter { $0.value != .null })
  }

  /// The members that every list has.
  var heading: [(String, JSONValue?)] {
    [
      ("bundleId", .string(app.bundleId)),
      ("appAppleId", environment == .production ? .integer(app.appAppleId) : nil),
      ("environment", .string(environment.rawValue)),
    ]
  }
}
