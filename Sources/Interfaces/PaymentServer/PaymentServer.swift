import CounterfoilAPI
package import HTTPMessages
package import PaymentEngine
package import PaymentPrimitives
import StrictJSON

/// Answers HTTP requests as values: no socket, no thread. `Routes.swift` is the table of all routes.
package final class PaymentServer: Sendable {
  let engine: PaymentEngine
  let settings: ServerSettings
  let dependencies: Dependencies
  let rates: RateLimits
  let waits: WaitSlots
  let knownKeys = APIKeyCache()
  let knownTokens = VerifiedTokenCache()
  let tokenKeys: CurrentTokenKeys
  let readiness = Readiness()
  /// What the newest requests concerned. The console searches it too.
  package let requests = RecentRequests()
  let forwarding = ForwardingWatch()
  let crossOrigin: CrossOriginAccess
  let openAPI: OpenAPIText
  let log: Log

  package init(
    engine: PaymentEngine, settings: ServerSettings, dependencies: Dependencies,
    log: @escaping Log
  ) {
    self.engine = engine
    self.settings = settings
    self.dependencies = dependencies
    self.rates = RateLimits(settings.rates)
    self.tokenKeys = CurrentTokenKeys(settings.userTokenKeys)
    self.waits = WaitSlots(inAll: settings.waitingReadsMax)
    self.crossOrigin = CrossOriginAccess(settings.webOrigins)
    self.openAPI = OpenAPIText(settings)
    self.log = log
  }

  /// Replaces the keys that user tokens may be signed with. Tokens of a key that is gone are refused at once.
  package func reload(userTokenKeys keys: [CredentialIdentifier: UserTokenKey]) { tokenKeys.replace(by: keys) }

  var now: Timestamp { engine.now }

  /// Answers a request; never throws: every failure is an answer with a stable code.
  ///
  /// - Parameter peer: the IP address that the connection came from, without its port; for limits.
  package func respond(to request: HTTPRequest, from peer: String) async -> HTTPResponse {
    guard let trace = engine.traces.beginRequest(request.fields) else { return await answer(request, from: peer, nil) }
    return await trace.within { await answer(request, from: peer, trace) }
  }

  private func answer(_ request: HTTPRequest, from peer: String, _ trace: TracedWork?) async -> HTTPResponse {
    let started = now
    let requestId = dependencies.randomBytes(8).hexadecimal
    var call = Call(
      server: self, request: request,
      client: ClientAddress(peer: peer, fields: request.fields, proxies: settings.trustedProxies),
      requestId: requestId)
    noteForwarding(call, from: peer)
    var response: HTTPResponse
    var routeName = "none"
    do {
      switch try find(&call) {
      case .route(let route):
        routeName = route.name
        response = try await answer(&call, by: route)
      case .options: response = HTTPResponse(status: 204, fields: ["Allow": call.allowed])
      }
    } catch {
      call.concernsOrderOfPath()
      response = Problems.response(to: error, call)
    }
    finish(&response, call)
    trace?.settle(for: call)
    note(response, call, route: routeName, since: started)
    trace?.end(response, call)
    return response
  }

  private enum Found {
    case route(Route)
    /// The caller asks which methods a path has.
    case options
  }

  /// The requested route. Rate limits come first, even for unknown paths.
  ///
  /// Probes are always answered: a flood must not make a healthy node look dead. Calls with a credential are counted
  /// once their caller is known, and notifications by their own routes: so no other caller can use up their rates.
  private func find(_ call: inout Call) throws(CodedError<ServerErrorCode>) -> Found {
    let found: Result<Found, CodedError<ServerErrorCode>>
    do throws(CodedError<ServerErrorCode>) { found = .success(try lookUp(&call)) } catch { found = .failure(error) }
    if case .success(.route(let route)) = found, route.isProbe || route.countsItself { return .route(route) }
    guard rates.allows(call.peer, at: now) else { throw CodedError(.tooManyRequests) }
    return try found.get()
  }

  private func lookUp(_ call: inout Call) throws(CodedError<ServerErrorCode>) -> Found {
    let samePath = try samePath(&call)
    guard !samePath.isEmpty else { throw CodedError(.routeUnknown) }
    let method = call.request.method == "HEAD" ? "GET" : call.request.method
    guard method != "OPTIONS", let found = samePath.first(where: { $0.route.method == method }) else {
      let methods = samePath.map(\.route.method)
      call.allowedMethods = methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"]
      if method == "OPTIONS" {
        let asked = call.request.fields["Access-Control-Request-Method"]
        call.preflighted = samePath.first { $0.route.method == asked }?.route
        return .options
      }
      throw CodedError(.methodNotAllowed, "Allowed: \(call.allowed).")
    }
    call.parameters = found.parameters
    call.route = found.route
    return .route(found.route)
  }

  /// The routes of the requested path, one for each method.
  private func samePath(_ call: inout Call) throws(CodedError<ServerErrorCode>) -> [RouteTable.Match] {
    if let plain = RouteTable.all.plain(call.request.target) {
      call.target = plain.target
      return plain.matches
    }
    guard let target = RequestTarget(call.request.target) else { throw CodedError(.targetUnreadable) }
    call.target = target
    guard let path = PathAsked(call.request.target, target) else { throw CodedError(.routeUnknown) }
    return RouteTable.all.find(path)
  }

  private func answer(_ call: inout Call, by route: Route) async throws -> HTTPResponse {
    guard call.request.body.count <= route.bodyBytesMax else {
      throw CodedError<ServerErrorCode>(
        .bodyTooLarge, "At most \(route.bodyBytesMax) bytes are read here.")
    }
    do { try await Authentication(self).authenticate(&call, for: route) } catch let error as CodedError<ServerErrorCode>
      where error.code == .roleNotAllowed
    {
      if let refused = OperatorAudit.action(of: call, for: route) {
        try await engine.enterRefusal(refused, problem: error.code.rawValue)
      }
      throw error
    }
    if route.documentation.request != nil, !route.takesAnyMediaType { try call.checkMediaType() }
    try call.checkNames(of: route)
    guard let action = OperatorAudit.action(of: call, for: route) else { return try await route.answer(call) }
    switch try await engine.perform(action, { [call] in try await route.answer(call) }) {
    case .done(let response): return response
    case .repeated: throw CodedError<EngineErrorCode>(.outcomeUnknown)
    }
  }

  /// Adds the fields that every answer has. No cache on the way may store an answer: answers contain payment and
  /// personal data.
  private func finish(_ response: inout HTTPResponse, _ call: Call) {
    response.fields.set("X-Request-Id", call.requestId)
    response.fields.set("Cache-Control", "no-store")
    response.fields.set("X-Content-Type-Options", "nosniff")
    if let standing = call.standing {
      response.fields.set("RateLimit-Limit", String(standing.burst))
      response.fields.set("RateLimit-Remaining", String(standing.remaining))
      response.fields.set("RateLimit-Reset", String(standing.secondsToFull))
    }
    if settings.isSimulated { response.fields.set("X-Counterfoil-Profile", "simulated") }
    crossOrigin.add(to: &response, call)
  }

  private func noteForwarding(_ call: Call, from peer: String) {
    guard let unheeded = call.client.unheeded else { return }
    engine.metrics.count(ForwardingWatch.counter)
    if let event = forwarding.event(unheeded, from: peer, at: now) { log(event) }
  }

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  private func note(
    _ response: HTTPResponse, _ call: Call, route: String, since started: Timestamp
  ) {
    let span = now - started
    engine.metrics.count(
      .httpRequestsTotal, [("route", route), ("status", "\(response.status)")])
    engine.metrics.time(
      .httpRequestSeconds, [("route", route)], milliseconds: span.milliseconds)
    // 503 is retried later: a warning. Any other 5xx is final: an error.
    let level: LogEvent.Level = response.status == 503 ? .warning : response.status >= 500 ? .error : .info
    // The log has the matched route, never the requested path or method: those may contain anything.
    let concerned = call.app.map { requests.subjects(of: call.requestId, in: $0.id) } ?? []
    log(
      LogEvent(
        level, "http.answered",
        [
          ("requestId", call.requestId),
          ("method", Self.methods.contains(call.request.method) ? call.request.method : "other"),
          ("route", route), ("status", "\(response.status)"), ("milliseconds", "\(span.milliseconds)"),
          ("app", call.app?.id.text ?? "none"), ("caller", call.callerKind),
        ] + (concerned.isEmpty ? [] : [("concerned", concerned.joined(separator: " "))])))
  }
}

extension Call {
  /// The methods of the path, as a header field lists them.
  var allowed: String { allowedMethods.joined(separator: ", ") }
}
