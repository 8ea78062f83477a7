package import HTTPMessages
package import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import WeChatPayProtocol

/// The outcome of a request: an answer, or none.
package enum WeChatPayAnswer: Sendable, Equatable {
  case response(HTTPResponse, after: TimeSpan)
  /// The host was unreachable: the request had no effect.
  case unreachable
  /// The connection broke; the client cannot know whether the request took effect.
  case lost
}

extension SimulatedWeChatPay {
  /// Answers a merchant's request, with the planned faults.
  ///
  /// - Parameter request: its target may be absolute, with scheme and host; then faults can be planned for that host.
  package func answer(to request: HTTPRequest) async -> WeChatPayAnswer {
    let (origin, host, target) = Self.parts(of: request)
    requestCount += 1
    let route: APIRoute
    do throws(APIProblem) { route = try APIRoute(method: request.method, rawTarget: target) } catch {
      return finish(.problem(error), nil, request: request, target: target, fault: nil)
    }
    let fault = await strike(route.operation, host)
    if let early = early(fault, request, target: target, route: route) { return early }
    await settle()
    let outcome: APIOutcome
    do throws(APIProblem) {
      outcome = try await perform(route, request, rawTarget: target, origin: origin, fault: fault)
    } catch { outcome = .problem(error) }
    return finish(outcome, route.operation, request: request, target: target, fault: fault)
  }

  /// The same for a listener, which must always answer: a gateway's page replaces a broken connection.
  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    switch await answer(to: request) {
    case .response(let response, let span):
      if span > .zero { try? await dependencies.sleep(span) }
      return response
    case .unreachable, .lost: return Self.gatewayPage
    }
  }

  /// The same as a network: a server under test gets it instead of the real one.
  package nonisolated var network: HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in
      switch await self.answer(to: request) {
      case .unreachable: throw .unreachable("The simulated WeChat Pay cannot be reached.")
      case .lost: throw .outcomeUnknown("The simulated WeChat Pay broke the connection.")
      case .response(let response, let span):
        guard span > .zero else { return response }
        do { try await self.dependencies.sleep(min(span, limit)) } catch { throw .cancelled }
        if span >= limit { throw .outcomeUnknown("The simulated WeChat Pay did not answer in time.") }
        return response
      }
    }
  }

  /// Origin, host, and path with query of a request.
  private static func parts(of request: HTTPRequest) -> (origin: String, host: String?, target: String) {
    for scheme in ["https://", "http://"] where request.target.hasPrefix(scheme) {
      let rest = request.target.dropFirst(scheme.count)
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      let target = rest.dropFirst(host.count)
      return (scheme + host, String(host), target.hasPrefix("/") ? String(target) : "/" + target)
    }
    let host = request.fields["Host"]
    return (host.map { "http://" + $0 } ?? WeChatPayHost.primary.origin, host, request.target)
  }

  static let gatewayPage = HTTPResponse(
    status: 502, fields: ["Content-Type": "text/html"],
    body: Array("<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n".utf8))

  // MARK: faults

  /// The faults that are not applied to a call here: the refund command or the notification applies them.
  private static let faultsOfNotificationsAlone: Set<WeChatPayFault> = [
    .abnormalRefund, .closedRefund, .loseNotification, .loseAttempt, .otherAPIv3Key, .otherMerchant,
    .unknownEventType,
  ]

  private func strike(_ operation: WeChatPayOperation, _ host: String?) async -> WeChatPayFault? {
    // Without the log no fault occurs; the call itself then reports the error.
    (try? await commit { decision throws(APIProblem) in
      decision.strike(operation, host: host) { !Self.faultsOfNotificationsAlone.contains($0) }
    }) ?? nil
  }

  /// The answers that come before the call takes effect.
  private func early(
    _ fault: WeChatPayFault?, _ request: HTTPRequest, target: String, route: APIRoute
  ) -> WeChatPayAnswer? {
    switch fault {
    case .unreachable: return noted(.unreachable, request, target: target, operation: nil)
    case .loseRequest: return noted(.lost, request, target: target, operation: nil)
    case .htmlError: return noted(.response(Self.gatewayPage, after: .zero), request, target: target, operation: nil)
    case .serviceUnavailable:
      return finish(.problem(.serviceUnavailable), nil, request: request, target: target, fault: .unsigned)
    case .systemError: return finish(.problem(.systemError), nil, request: request, target: target, fault: nil)
    case .frequencyLimited:
      return finish(.problem(.frequencyLimited), nil, request: request, target: target, fault: nil)
    case .notEnough where route.operation == .refund:
      return finish(.problem(.notEnough), nil, request: request, target: target, fault: nil)
    default: return nil
    }
  }

  // MARK: the HTTP answer

  enum APIOutcome {
    case json(JSONValue)
    /// 204 without a body.
    case nothing
    /// A bill, which WeChat Pay does not sign.
    case file([UInt8], type: String)
    case problem(APIProblem)
  }

  private func finish(
    _ outcome: APIOutcome, _ operation: WeChatPayOperation?, request: HTTPRequest, target: String,
    fault: WeChatPayFault?
  ) -> WeChatPayAnswer {
    switch fault {
    case .loseAnswer: return noted(.lost, request, target: target, operation: nil)
    case .htmlAfterEffect:
      return noted(.response(Self.gatewayPage, after: .zero), request, target: target, operation: nil)
    case .systemErrorAfterEffect:
      return noted(
        .response(response(.problem(.systemError), request, fault: nil), after: .zero), request, target: target,
        operation: nil)
    default: break
    }
    var response = response(outcome, request, fault: fault)
    var span = TimeSpan.zero
    if fault == .cutAnswer { response.body = Array(response.body.prefix(response.body.count / 2)) }
    if fault == .slow {
      let behaviour = state.behaviours[.slowSeconds]
      span = behaviour == 0 ? WeChatPaySimulatorLimits.slowAnswer : .seconds(behaviour)
    }
    return noted(.response(response, after: span), request, target: target, operation: operation)
  }

  private func response(_ outcome: APIOutcome, _ request: HTTPRequest, fault: WeChatPayFault?) -> HTTPResponse {
    var response: HTTPResponse
    var number: Int64 = 0
    var isSigned = true
    switch outcome {
    case .json(let json):
      response = HTTPResponse(status: 200, json: state.behaviours.isOn(.variedForm) ? varied(json) : json)
    case .nothing: response = HTTPResponse(status: 204)
    case .file(let bytes, let type):
      response = HTTPResponse(status: 200, fields: ["Content-Type": type], body: bytes)
      isSigned = false
    case .problem(let problem):
      response = HTTPResponse(
        status: problem.status, json: problem.json(otherSpelling: state.behaviours.isOn(.otherSpellings)))
      number = problem.number
      isSigned = !state.behaviours.isOn(.errorsUnsigned)
    }
    if response.fields["Content-Type"] == "application/json" {
      response.fields.set("Content-Type", "application/json; charset=utf-8")
    }
    response.fields.set("Content-Language", "zh-CN")
    response.fields.set("Request-ID", "SIM\(requestCount)\(Hexadecimal.text(dependencies.randomBytes(8)))-\(number)")
    if isSigned, fault != .unsigned { sign(&response, request, fault: fault) }
    return response
  }

  private func sign(_ response: inout HTTPResponse, _ request: HTTPRequest, fault: WeChatPayFault?) {
    let asked = request.fields["Wechatpay-Serial"].flatMap { PlatformKeyIdentifier($0) }
    let key = answerKey(asked: asked.flatMap { identifiers()[$0] })
    for field in signature(of: response.body, by: key, fault).all { response.fields.add(field.name, field.value) }
  }

  /// The header fields that sign a body, with the planned fault.
  func signature(of body: [UInt8], by key: PlatformKey, _ fault: WeChatPayFault?) -> HTTPFields {
    let nonce = Nonce.text(randomBytes: dependencies.randomBytes(32))
    let moment = fault == .staleTimestamp ? wireTime() - .seconds(301) : wireTime()
    switch fault {
    case .probe:
      return key.signer.probeFields(at: moment, nonce: nonce, randomBytes: dependencies.randomBytes(120))
    case .wrongSignature: return key.signer.fields(signing: body + [0x20], at: moment, nonce: nonce)
    case .unknownKey:
      let stranger = PlatformSigner(
        identifier: .publicKey("PUB_KEY_ID_0000000000000000000000000000000404"), privateKey: key.privateKey)
      return stranger.fields(signing: body, at: moment, nonce: nonce)
    default: return key.signer.fields(signing: body, at: moment, nonce: nonce)
    }
  }

  /// The same answer in another form: another order, an empty member, an unknown member.
  private func varied(_ json: JSONValue) -> JSONValue {
    guard var members = json.object else { return json }
    for index in members.indices.dropFirst() {
      members.swapAt(index, Int(dependencies.randomNumber(below: UInt64(index + 1))))
    }
    for name in ["bank_type", "attach"] where json[name] == nil && json["trade_state"] != nil {
      members.append(JSONMember(name, ""))
    }
    members.append(JSONMember("a_field_of_tomorrow", .members([("known", .bool(false))])))
    return .object(members)
  }
}
