package import HTTPMessages
package import PaymentPrimitives
package import StrictJSON

/// The routes of a simulator's control API, and how a request finds its route.
package struct ControlTable<Simulator: Sendable, Code: ControlErrorCode>: Sendable {
  private let prefix: [String]
  private let bodyBytesMax: Int
  private let statesAllowedMethods: Bool
  private let routes: [ControlRoute<Simulator, Code>]

  /// - Parameters:
  ///   - prefix: the segments of the path before those of the routes.
  ///   - statesAllowedMethods: whether the answer to a wrong method has a field `Allow`.
  package init(
    below prefix: [String], bodyBytesMax: Int, statesAllowedMethods: Bool, _ routes: [ControlRoute<Simulator, Code>]
  ) {
    self.prefix = prefix
    self.bodyBytesMax = bodyBytesMax
    self.statesAllowedMethods = statesAllowedMethods
    self.routes = routes
  }

  /// All calls, as the API lists them.
  package var json: JSONValue { .array(routes.map { $0.json(below: prefix.map { "/" + $0 }.joined()) }) }

  /// Answers a request. It never throws: every failure is an answer with a stable code.
  package func respond(to request: HTTPRequest, by simulator: Simulator) async -> HTTPResponse {
    var response: HTTPResponse
    do throws(CodedError<Code>) {
      let (route, call) = try find(request, simulator)
      guard request.body.count <= bodyBytesMax else { throw CodedError(.bodyTooLarge) }
      response = try await route.answer(call)
    } catch { response = problem(error, request) }
    response.fields.set("Cache-Control", "no-store")
    return response
  }

  private func find(
    _ request: HTTPRequest, _ simulator: Simulator
  ) throws(CodedError<Code>) -> (ControlRoute<Simulator, Code>, ControlCall<Simulator, Code>) {
    guard let target = RequestTarget(request.target) else { throw CodedError(.routeUnknown) }
    let samePath = routes(at: target)
    guard !samePath.isEmpty else { throw CodedError(.routeUnknown) }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let (route, parameters) = samePath.first(where: { $0.route.method == method }) else {
      throw CodedError(.methodNotAllowed, "Allowed: \(allowed(samePath)).")
    }
    let call = ControlCall<Simulator, Code>(
      simulator: simulator, request: request, target: target, parameters: parameters, bodyBytesMax: bodyBytesMax)
    return (route, call)
  }

  private typealias Match = (route: ControlRoute<Simulator, Code>, parameters: [String: String])

  private func routes(at target: RequestTarget) -> [Match] {
    guard target.path.starts(with: prefix) else { return [] }
    let segments = target.path.dropFirst(prefix.count)
    return routes.compactMap { route in route.match(segments).map { (route, $0) } }
  }

  private func allowed(_ matches: [Match]) -> String { matches.map(\.route.method).joined(separator: ", ") }

  /// An error as an HTTP answer (RFC 9457), in the same form as the server's errors.
  package func problem(_ refusal: CodedError<Code>, _ request: HTTPRequest) -> HTTPResponse {
    let code = refusal.code
    let language = request.preferredLanguage
    var response = HTTPResponse(
      status: code.status,
      fields: ["Content-Type": "application/problem+json", "Content-Language": language.rawValue],
      json: .members([
        ("type", .string("urn:counterfoil:error:" + code.rawValue)), ("title", .string(code.meaning[language])),
        ("status", .integer(code.status)), ("code", .string(code.rawValue)),
        ("detail", refusal.details.isEmpty ? nil : .string(refusal.details)),
        ("remedy", .string(code.remedy[language])),
      ]))
    if statesAllowedMethods, code == .methodNotAllowed, let target = RequestTarget(request.target) {
      response.fields.set("Allow", allowed(routes(at: target)))
    }
    return response
  }
}
