import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// One request to the control API.
struct WeChatPayControlCall: Sendable {
  let service: SimulatedWeChatPay
  let request: HTTPRequest
  let target: RequestTarget
  let parameters: [String: String]

  /// The language that a caller prefers: Chinese if the header names it before English.
  static func language(of request: HTTPRequest) -> Language {
    for wish in (request.fields["Accept-Language"] ?? "").lowercased().split(separator: ",").prefix(20) {
      let tag = wish.drop { $0 == " " }
      if tag.hasPrefix("zh") { return .chinese }
      if tag.hasPrefix("en") { return .english }
    }
    return .english
  }

  var language: Language { Self.language(of: request) }

  /// Reads the body as JSON members. The path's parameters are added to them, so one place checks all values.
  func read<Value>(
    _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> Value {
    var members: [JSONMember] = []
    if !request.body.isEmpty {
      let limits = JSONLimits(bytesMax: WeChatPaySimulatorLimits.bodyBytesMax, depthMax: 8, valuesMax: 1000)
      let value: JSONValue
      do throws(JSONError) { value = try JSONReader.read(request.body, limits: limits) } catch {
        throw CodedError(.bodyUnreadable, "\(error).")
      }
      guard let object = value.object else { throw CodedError(.bodyUnreadable, "The body must be an object.") }
      members = object
    }
    let ofPath = parameters.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
    do throws(JSONFieldError) {
      return try read(JSONFields(.object(ofPath + members.filter { parameters[$0.name] == nil })))
    } catch { throw CodedError(.fieldInvalid, "\(error)") }
  }

  var orderKey: OrderKey {
    OrderKey(mchid: parameters["mchid"] ?? "", outTradeNo: parameters["out_trade_no"] ?? "")
  }

  func answer(_ json: JSONValue, status: Int = 200) -> HTTPResponse { HTTPResponse(status: status, json: json) }

  /// One page of a list: at most `limit` items after the item `after`; `more` says whether others follow.
  func page<Item>(
    _ name: String, of items: [Item], id: (Item) -> String, json: (Item) -> JSONValue
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPResponse {
    let limit = target["limit"].map { Int($0) ?? 0 } ?? 100
    guard (1...WeChatPaySimulatorLimits.pageMax).contains(limit) else {
      throw CodedError(.fieldInvalid, "limit must be a whole number from 1 to \(WeChatPaySimulatorLimits.pageMax).")
    }
    var rest = items[...]
    if let after = target["after"] {
      guard let position = items.firstIndex(where: { id($0) == after }) else {
        throw CodedError(.fieldInvalid, "after must be the id of an item of this list.")
      }
      rest = items[(position + 1)...]
    }
    return answer(
      .members([(name, .array(rest.prefix(limit).map(json))), ("more", .bool(rest.count > limit))]))
  }

  static let pageQuery: [(name: String, meaning: String)] = [
    ("mchid?", "of one merchant"), ("after?", "the id of the last item of the page before"),
    ("limit?", "1 to 500, otherwise 100"),
  ]
}

/// One call of the control API: path, action, input, and answer.
struct WeChatPayControlRoute: Sendable {
  let method: String
  /// The path after `/simulator/wechat-pay`, with `{names}` for its parameters.
  let path: String
  /// The action, in one sentence.
  let summary: String
  /// Names and meanings of the body or query members; a name that ends in `?` is optional.
  let takes: [(name: String, meaning: String)]
  let answer: @Sendable (WeChatPayControlCall) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPResponse

  init(
    _ method: String, _ path: String, _ summary: String, takes: [(name: String, meaning: String)] = [],
    answer:
      @escaping @Sendable (WeChatPayControlCall) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.takes = takes
    self.answer = answer
  }

  /// The path's parameters if its segments match; otherwise nil.
  func match(_ segments: some Collection<String>) -> [String: String]? {
    let pattern = path.split(separator: "/")
    guard pattern.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (expected, segment) in zip(pattern, segments) {
      if expected.hasPrefix("{") {
        parameters[String(expected.dropFirst().dropLast())] = segment
      } else if expected != segment {
        return nil
      }
    }
    return parameters
  }

  /// The call as the list of calls shows it.
  var json: JSONValue {
    .members([
      ("method", .string(method)), ("path", .string("/simulator/wechat-pay" + path)), ("summary", .string(summary)),
      (
        method == "GET" ? "query" : "body", takes.isEmpty ? nil : .members(takes.map { ($0.name, .string($0.meaning)) })
      ),
    ])
  }
}

/// The routes, in several files by subject.
enum WeChatPayControlRoutes {}
