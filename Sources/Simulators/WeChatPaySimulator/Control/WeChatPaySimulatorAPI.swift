package import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// A simulated WeChat Pay as HTTP values: the merchants' API below `/v3`, the cashier's pages below `/cashier`, and the
/// control API below `/simulator/wechat-pay`. No socket, no thread.
///
/// The control API and the pages check no credential: a caller that reaches them can pay every order without money. A
/// program binds them to the loopback interface only.
package struct WeChatPaySimulatorAPI: Sendable {
  let service: SimulatedWeChatPay

  package init(_ service: SimulatedWeChatPay) { self.service = service }

  /// Whether a request is for this API; several services share a listener.
  package static func answers(_ request: HTTPRequest) -> Bool {
    guard let path = RequestTarget(request.target)?.path, let first = path.first else {
      return request.target.hasPrefix("/v3/")
    }
    return first == "v3" || first == "cashier" || path.starts(with: ["simulator", "wechat-pay"])
  }

  /// Answers a request. It never throws: every failure is an answer with a stable code.
  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    switch RequestTarget(request.target)?.path.first {
    case "simulator": await control(request)
    case "cashier": await CashierPages(service: service, request: request).respond()
    default: await service.respond(to: request)
    }
  }

  /// All routes of the control API; `GET /simulator/wechat-pay` lists them.
  static let routes: [WeChatPayControlRoute] =
    WeChatPayControlRoutes.overview + WeChatPayControlRoutes.merchants + WeChatPayControlRoutes.orders
    + WeChatPayControlRoutes.notifications + WeChatPayControlRoutes.behaviour

  private func control(_ request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do throws(CodedError<WeChatPaySimulatorErrorCode>) {
      let (route, call) = try route(of: request)
      guard request.body.count <= WeChatPaySimulatorLimits.bodyBytesMax else { throw CodedError(.bodyTooLarge) }
      response = try await route.answer(call)
    } catch { response = Self.problem(error, request) }
    response.fields.set("Cache-Control", "no-store")
    return response
  }

  private func route(
    of request: HTTPRequest
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> (WeChatPayControlRoute, WeChatPayControlCall) {
    guard let target = RequestTarget(request.target), target.path.starts(with: ["simulator", "wechat-pay"]) else {
      throw CodedError(.routeUnknown)
    }
    let segments = target.path.dropFirst(2)
    let samePath = Self.routes.compactMap { route in route.match(segments).map { (route, $0) } }
    guard !samePath.isEmpty else { throw CodedError(.routeUnknown) }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let (route, parameters) = samePath.first(where: { $0.0.method == method }) else {
      throw CodedError(.methodNotAllowed, "Allowed: \(samePath.map(\.0.method).joined(separator: ", ")).")
    }
    return (
      route, WeChatPayControlCall(service: service, request: request, target: target, parameters: parameters)
    )
  }

  /// An error as an HTTP answer (RFC 9457), in the same form as the server's errors.
  static func problem(_ refusal: CodedError<WeChatPaySimulatorErrorCode>, _ request: HTTPRequest) -> HTTPResponse {
    let code = refusal.code
    let language = WeChatPayControlCall.language(of: request)
    return HTTPResponse(
      status: code.status,
      fields: ["Content-Type": "application/problem+json", "Content-Language": language.rawValue],
      json: .members([
        ("type", .string("urn:counterfoil:error:" + code.rawValue)), ("title", .string(code.meaning[language])),
        ("status", .integer(code.status)), ("code", .string(code.rawValue)),
        ("detail", refusal.details.isEmpty ? nil : .string(refusal.details)),
        ("remedy", .string(code.remedy[language])),
      ]))
  }
}
