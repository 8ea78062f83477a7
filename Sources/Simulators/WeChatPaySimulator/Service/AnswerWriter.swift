import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What a call came to.
enum APIOutcome {
  case json(JSONValue)
  /// 204 without a body.
  case nothing
  /// A bill, which WeChat Pay does not sign.
  case file([UInt8], type: String)
  case problem(APIProblem)
}

/// Writes and signs the HTTP answer to one request, with the planned fault.
struct AnswerWriter {
  private let snapshot: WeChatPaySnapshot
  private let request: HTTPRequest
  private let requestCount: Int64
  private var behaviours: BehaviourValues<WeChatPayBehaviour> { snapshot.state.behaviours }

  init(_ service: isolated SimulatedWeChatPay, _ request: HTTPRequest) {
    snapshot = service.snapshot
    requestCount = service.exchangeJournal.requestCount
    self.request = request
  }

  func answer(_ outcome: APIOutcome, fault: WeChatPayFault?) -> WeChatPayAnswer {
    switch fault {
    case .loseAnswer: return .lost
    case .htmlAfterEffect: return .response(MerchantAPI.gatewayPage, after: .zero)
    case .systemErrorAfterEffect: return .response(response(.problem(.systemError), fault: nil), after: .zero)
    default: break
    }
    var response = response(outcome, fault: fault)
    var span = TimeSpan.zero
    if fault == .cutAnswer { response.body = Array(response.body.prefix(response.body.count / 2)) }
    if fault == .slow {
      let behaviour = behaviours[.slowSeconds]
      span = behaviour == 0 ? WeChatPaySimulatorLimits.slowAnswer : .seconds(behaviour)
    }
    return .response(response, after: span)
  }

  private func response(_ outcome: APIOutcome, fault: WeChatPayFault?) -> HTTPResponse {
    var response: HTTPResponse
    var number: Int64 = 0
    var isSigned = true
    switch outcome {
    case .json(let json):
      response = HTTPResponse(status: 200, json: behaviours.isOn(.variedForm) ? varied(json) : json)
    case .nothing: response = HTTPResponse(status: 204)
    case .file(let bytes, let type):
      response = HTTPResponse(status: 200, fields: ["Content-Type": type], body: bytes)
      isSigned = false
    case .problem(let problem):
      response = HTTPResponse(
        status: problem.status, json: problem.json(otherSpelling: behaviours.isOn(.otherSpellings)))
      number = problem.number
      isSigned = !behaviours.isOn(.errorsUnsigned)
    }
    if response.fields["Content-Type"] == "application/json" {
      response.fields.set("Content-Type", "application/json; charset=utf-8")
    }
    response.fields.set("Content-Language", "zh-CN")
    let random = Hexadecimal.text(snapshot.dependencies.randomBytes(8))
    response.fields.set("Request-ID", "SIM\(requestCount)\(random)-\(number)")
    if isSigned, fault != .unsigned { sign(&response, fault: fault) }
    return response
  }

  private func sign(_ response: inout HTTPResponse, fault: WeChatPayFault?) {
    let asked = request.fields["Wechatpay-Serial"].flatMap { PlatformKeyIdentifier($0) }
    let name = asked.flatMap { snapshot.identifiers[$0] }
    let merchant = RequestGate.namedMerchant(in: request).flatMap { snapshot.state.merchants[$0] }
    let fields = snapshot.signatures.answerFields(signing: response.body, to: merchant, asked: name, fault)
    for field in fields.all {
      response.fields.add(field.name, field.value)
    }
  }

  /// The same answer in another form: another order, an empty member, an unknown member.
  private func varied(_ json: JSONValue) -> JSONValue {
    guard var members = json.object else { return json }
    for index in members.indices.dropFirst() {
      members.swapAt(index, Int(snapshot.dependencies.randomNumber(below: UInt64(index + 1))))
    }
    for name in ["bank_type", "attach"] where json[name] == nil && json["trade_state"] != nil {
      members.append(JSONMember(name, ""))
    }
    members.append(JSONMember("a_field_of_tomorrow", .members([("known", .bool(false))])))
    return .object(members)
  }
}
