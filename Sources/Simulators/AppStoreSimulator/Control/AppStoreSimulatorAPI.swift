package import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The control API: how a person, a test or a demo controls the simulator, as HTTP values. No socket, no thread.
///
/// It checks no credential: a caller that controls the App Store can buy without paying. A program binds it to the
/// loopback interface only (rule AS-CTRL-1).
package struct AppStoreSimulatorAPI: Sendable {
  let store: SimulatedAppStore
  let settings: SimulatorSettings

  /// A control API for a simulated App Store.
  ///
  /// - Parameter settings: those of the App Store.
  package init(_ store: SimulatedAppStore, settings: SimulatorSettings = SimulatorSettings()) {
    self.store = store
    self.settings = settings
  }

  /// Answers a request below `/simulator`. It never throws: every failure is an answer with a stable code.
  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    var call = ControlCall(store: store, settings: settings, request: request)
    var response: HTTPResponse
    do throws(CodedError<SimulatorErrorCode>) {
      let route = try Self.route(of: &call)
      guard request.body.count <= SimulatorLimits.controlBodyBytesMax else { throw CodedError(.bodyTooLarge) }
      response = try await route.answer(call)
    } catch {
      response = problem(error, call)
    }
    response.fields.set("Cache-Control", "no-store")
    return response
  }

  /// All routes; `GET /simulator` lists them.
  static let routes: [ControlRoute] =
    ControlRoutes.overview + ControlRoutes.catalog + ControlRoutes.purchases + ControlRoutes.receipts
    + ControlRoutes.subscriptions + ControlRoutes.changes + ControlRoutes.refunds + ControlRoutes.tellings
    + ControlRoutes.notifications + ControlRoutes.api + ControlRoutes.time

  private static func route(of call: inout ControlCall) throws(CodedError<SimulatorErrorCode>) -> ControlRoute {
    guard let target = RequestTarget(call.request.target) else { throw CodedError(.routeUnknown) }
    call.target = target
    let samePath = routes.compactMap { route in route.match(target.path).map { (route: route, parameters: $0) } }
    guard !samePath.isEmpty else { throw CodedError(.routeUnknown) }
    let method = call.request.method == "HEAD" ? "GET" : call.request.method
    guard let found = samePath.first(where: { $0.route.method == method }) else {
      call.allowedMethods = samePath.map(\.route.method)
      throw CodedError(.methodNotAllowed, "Allowed: \(call.allowedMethods.joined(separator: ", ")).")
    }
    call.parameters = found.parameters
    return found.route
  }

  /// An error as an HTTP answer (RFC 9457), in the same form as the server's errors.
  private func problem(_ refusal: CodedError<SimulatorErrorCode>, _ call: ControlCall) -> HTTPResponse {
    let code = refusal.code
    let language = call.language
    var response = HTTPResponse(
      status: code.status,
      fields: ["Content-Type": "application/problem+json", "Content-Language": language.rawValue],
      json: .members([
        ("type", .string("urn:counterfoil:error:" + code.rawValue)), ("title", .string(code.meaning[language])),
        ("status", .integer(code.status)), ("code", .string(code.rawValue)),
        ("detail", refusal.details.isEmpty ? nil : .string(refusal.details)),
        ("remedy", .string(code.remedy[language])),
      ]))
    if code == .methodNotAllowed { response.fields.set("Allow", call.allowedMethods.joined(separator: ", ")) }
    return response
  }
}
