package import HTTPMessages
package import PaymentPrimitives
import SimulatorCore
import WeChatPayProtocol

/// The outcome of a request: an answer, or none.
package enum WeChatPayAnswer: Sendable, Equatable {
  case response(HTTPResponse, after: TimeSpan)
  /// The host was unreachable: the request had no effect.
  case unreachable
  /// The connection broke; the client cannot know whether the request took effect.
  case lost
}

/// The API that merchants call: routes, planned faults, and the journal.
package struct MerchantAPI: Sendable {
  let service: SimulatedWeChatPay

  /// Answers a merchant's request, with the planned faults.
  ///
  /// - Parameter request: its target may be absolute, with scheme and host; then faults can be planned for that host.
  nonisolated(nonsending) package func answer(to request: HTTPRequest) async -> WeChatPayAnswer {
    await Self.answer(to: request, at: service)
  }

  /// The same for a listener, which must always answer: a gateway's page replaces a broken connection.
  nonisolated(nonsending) package func respond(to request: HTTPRequest) async -> HTTPResponse {
    await Self.respond(to: request, at: service)
  }

  private static func respond(
    to request: HTTPRequest, at service: isolated SimulatedWeChatPay
  ) async -> HTTPResponse {
    switch await answer(to: request, at: service) {
    case .response(let response, let span):
      if span > .zero { try? await service.dependencies.sleep(span) }
      return response
    case .unreachable, .lost: return gatewayPage
    }
  }

  /// The same as a network: a server under test gets it instead of the real one.
  package var network: HTTPExchange {
    HTTPExchange { [service] request, limit throws(HTTPExchangeError) in
      switch await Self.answer(to: request, at: service) {
      case .unreachable: throw .unreachable("The simulated WeChat Pay cannot be reached.")
      case .lost: throw .outcomeUnknown("The simulated WeChat Pay broke the connection.")
      case .response(let response, let span):
        guard span > .zero else { return response }
        do { try await service.dependencies.sleep(min(span, limit)) } catch { throw .cancelled }
        if span >= limit { throw .outcomeUnknown("The simulated WeChat Pay did not answer in time.") }
        return response
      }
    }
  }

  static let gatewayPage = HTTPResponse(
    status: 502, fields: ["Content-Type": "text/html"],
    body: Array("<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n".utf8))

  private static func answer(
    to request: HTTPRequest, at service: isolated SimulatedWeChatPay
  ) async -> WeChatPayAnswer {
    let address = MerchantRequestAddress(of: request)
    service.exchangeJournal.countRequest()
    let answer = await faultyAnswer(to: request, at: address, by: service)
    service.exchangeJournal.note(answer, to: request, target: address.target, at: service.now())
    return answer
  }

  private static func faultyAnswer(
    to request: HTTPRequest, at address: MerchantRequestAddress, by service: isolated SimulatedWeChatPay
  ) async -> WeChatPayAnswer {
    let route: APIRoute
    do throws(APIProblem) { route = try APIRoute(method: request.method, rawTarget: address.target) } catch {
      return AnswerWriter(service, request).answer(.problem(error), fault: nil)
    }
    let fault = await strike(route.operation, host: address.host, at: service)
    if let early = early(fault, route, by: AnswerWriter(service, request)) { return early }
    await service.settle()
    let outcome: APIOutcome
    do throws(APIProblem) {
      outcome = try await MerchantCalls.perform(route, request, at: address, fault: fault, service: service)
    } catch { outcome = .problem(error) }
    return AnswerWriter(service, request).answer(outcome, fault: fault)
  }

  // MARK: faults

  /// The faults that are not applied to a call here: the refund command or the notification applies them.
  private static let faultsOfNotificationsAlone: Set<WeChatPayFault> = [
    .abnormalRefund, .closedRefund, .loseNotification, .loseAttempt, .otherAPIv3Key, .otherMerchant,
    .unknownEventType,
  ]

  private static func strike(
    _ operation: WeChatPayOperation, host: String?, at service: isolated SimulatedWeChatPay
  ) async -> WeChatPayFault? {
    // Without the log no fault occurs; the call itself then reports the error.
    (try? await service.commit { decision throws(APIProblem) in
      decision.strike(operation, host: host) { !faultsOfNotificationsAlone.contains($0) }
    }) ?? nil
  }

  /// The answers that come before the call takes effect.
  private static func early(
    _ fault: WeChatPayFault?, _ route: APIRoute, by writer: AnswerWriter
  ) -> WeChatPayAnswer? {
    switch fault {
    case .unreachable: return .unreachable
    case .loseRequest: return .lost
    case .htmlError: return .response(gatewayPage, after: .zero)
    case .serviceUnavailable: return writer.answer(.problem(.serviceUnavailable), fault: .unsigned)
    case .systemError: return writer.answer(.problem(.systemError), fault: nil)
    case .frequencyLimited: return writer.answer(.problem(.frequencyLimited), fault: nil)
    default: return fault.flatMap { refusal($0, route.operation) }.map { writer.answer(.problem($0), fault: nil) }
    }
  }

  /// The refusals for reasons that nothing here decides; nil for another fault, and for a call that never gets it.
  private static func refusal(_ fault: WeChatPayFault, _ operation: WeChatPayOperation) -> APIProblem? {
    switch (fault, operation) {
    case (.notEnough, .refund): .notEnough
    case (.ruleLimit, .prepay): APIProblem(403, "RULE_LIMIT", message: "业务规则限制")
    case (.accountError, .prepay): APIProblem(403, "ACCOUNT_ERROR", message: "账号异常")
    case (.tradeError, .prepay): APIProblem(403, "TRADE_ERROR", message: "交易错误")
    case (.userAccountAbnormal, .refund): APIProblem(403, "USER_ACCOUNT_ABNORMAL", message: "退款请求失败")
    case (.merchantUnknown, .prepay): APIProblem(400, "MCH_NOT_EXISTS", message: "商户号不存在")
    case (.merchantUnknown, .refund): APIProblem(404, "MCH_NOT_EXISTS", message: "商户号不存在")
    default: nil
    }
  }
}
