package import HTTPMessages
import PaymentPrimitives
import SimulatorCore

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
    case "simulator": await Self.table.respond(to: request, by: service)
    case "cashier": await CashierPages(service: service, request: request).respond()
    default: await service.api.respond(to: request)
    }
  }

  /// All routes of the control API; `GET /simulator/wechat-pay` lists them.
  static let table = ControlTable(
    below: ["simulator", "wechat-pay"], bodyBytesMax: WeChatPaySimulatorLimits.bodyBytesMax,
    statesAllowedMethods: false,
    WeChatPayControlRoutes.overview + WeChatPayControlRoutes.merchants + WeChatPayControlRoutes.orders
      + WeChatPayControlRoutes.complaints + WeChatPayControlRoutes.notifications + WeChatPayControlRoutes.behaviour)

  /// An error of the cashier's pages, in the same form as those of the control API.
  static func problem(_ refusal: CodedError<WeChatPaySimulatorErrorCode>, _ request: HTTPRequest) -> HTTPResponse {
    table.problem(refusal, request)
  }
}
