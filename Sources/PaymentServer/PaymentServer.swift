public import HTTPMessages
public import PaymentEngine
public import PaymentVocabulary
import ServerContract
import StrictJSON

/// Answers HTTP requests as values: no socket, no thread. `Routes.swift` is the table of everything that it answers.
public struct PaymentServer: Sendable {
  let engine: PaymentEngine
  let settings: ServerSettings
  let surroundings: Surroundings
  let rates: RateLimits
  let log: Log
  let routes: [Route]

  /// A server over an engine.
  public init(
    engine: PaymentEngine, settings: ServerSettings, surroundings: Surroundings,
    log: @escaping Log
  ) {
    self.engine = engine
    self.settings = settings
    self.surroundings = surroundings
    self.rates = RateLimits(settings.rates)
    self.log = log
    self.routes = Routes.all
  }

  /// Answers a request; never throws: every failure is an answer with a stable code.
  ///
  /// - Parameter peer: the address that the connection came from, for limits and the log.
  public func respond(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    let started = surroundings.now()
    let requestId = surroundings.randomBytes(8)
      .map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    var call = Call(
      server: self, request: request, peer: peer, requestId: requestId,
      language: Call.language(of: request))
    var response: HTTPResponse
    var routeName = "none"
    do {
      let route = try find(&call)
      routeName = route.name
      response = try await answer(&call, by: route)
    } catch {
      response = Problems.response(to: error, call)
    }
    response.fields.set("X-Request-Id", requestId)
    if response.fields["Cache-Control"] == nil { response.fields.set("Cache-Control", "no-store") }
    note(response, call, routeName, since: started)
    return response
  }

  private func find(_ call: inout Call) throws(Refusal<ServerErrorCode>) -> Route {
    guard let target = RequestTarget(call.request.target) else {
      throw Refusal(.targetUnreadable)
    }
    call.target = target
    let samePath = routes.compactMap { route in
      route.match(target.path).map { (route: route, parameters: $0) }
    }
    guard !samePath.isEmpty else { throw Refusal(.routeUnknown) }
    let method = call.request.method == "HEAD" ? "GET" : call.request.method
    guard let found = samePath.first(where: { $0.route.method == method }) else {
      call.allowedMethods = samePath.map(\.route.method)
      throw Refusal(.methodNotAllowed, "Allowed: \(call.allowedMethods.joined(separator: ", ")).")
    }
    call.parameters = found.parameters
    return found.route
  }

  private func answer(_ call: inout Call, by route: Route) async throws -> HTTPResponse {
    guard call.request.body.count <= route.bodyBytesMax else {
      throw Refusal<ServerErrorCode>(
        .bodyTooLarge, "At most \(route.bodyBytesMax) bytes are read here.")
    }
    guard rates.allows(.peer(call.peer), at: surroundings.now()) else {
      throw Refusal<ServerErrorCode>(.tooManyRequests)
    }
    try await Authentication(self).authenticate(&call, for: route)
    if let caller = call.rateSubject, !rates.allows(caller, at: surroundings.now()) {
      throw Refusal<ServerErrorCode>(.tooManyRequests)
    }
    return try await route.answer(call)
  }

  private func note(
    _ response: HTTPResponse, _ call: Call, _ route: String, since started: Timestamp
  ) {
    let span = surroundings.now() - started
    engine.metrics.count(
      "counterfoil_http_requests_total", [("route", route), ("status", "\(response.status)")])
    engine.metrics.time(
      "counterfoil_http_request_seconds", [("route", route)], milliseconds: span.milliseconds)
    // The matched route, never the path that was asked: that may hold anything.
    log(
      LogEvent(
        response.status >= 500 ? .error : .info, "http.answered",
        [
          ("requestId", call.requestId), ("method", call.request.method), ("route", route),
          ("status", "\(response.status)"), ("milliseconds", "\(span.milliseconds)"),
          ("app", call.app?.id.text ?? "none"), ("caller", call.callerKind),
        ]))
  }
}

/// What a server is told by its configuration.
public struct ServerSettings: Sendable {
  /// The keys that user tokens may be signed with, by `kid`.
  public var userTokenKeys: [CredentialIdentifier: UserTokenKey]
  /// How often callers may ask.
  public var rates: RateSettings
  /// Set in a simulated profile: every answer says so.
  public var isSimulated: Bool
  /// The version that `/livez` and the OpenAPI document name.
  public var version: String

  /// Settings with the usual rates.
  public init(
    userTokenKeys: [CredentialIdentifier: UserTokenKey], isSimulated: Bool, version: String
  ) {
    self.userTokenKeys = userTokenKeys
    self.rates = RateSettings()
    self.isSimulated = isSimulated
    self.version = version
  }
}
