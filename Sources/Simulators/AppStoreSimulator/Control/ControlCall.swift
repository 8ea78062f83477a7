import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// One request to the control API.
struct ControlCall: Sendable {
  let store: SimulatedAppStore
  let settings: SimulatorSettings
  let request: HTTPRequest
  var target = RequestTarget("/")
  var parameters: [String: String] = [:]
  var allowedMethods: [String] = []

  init(store: SimulatedAppStore, settings: SimulatorSettings, request: HTTPRequest) {
    self.store = store
    self.settings = settings
    self.request = request
  }

  /// The language that the caller prefers: Chinese if the header names it before English.
  var language: Language {
    for wish in (request.fields["Accept-Language"] ?? "").lowercased().split(separator: ",").prefix(20) {
      let tag = wish.drop { $0 == " " }
      if tag.hasPrefix("zh") { return .chinese }
      if tag.hasPrefix("en") { return .english }
    }
    return .english
  }

  // MARK: the request

  /// Reads the body as JSON members. The path's parameters are added to them, so one place checks all values.
  func read<Value>(
    _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<SimulatorErrorCode>) -> Value {
    var members: [JSONMember] = []
    if !request.body.isEmpty {
      do {
        let limits = JSONLimits(bytesMax: SimulatorLimits.controlBodyBytesMax, depthMax: 8, valuesMax: 1000)
        guard let object = try JSONReader.read(request.body, limits: limits).object else {
          throw CodedError<SimulatorErrorCode>(.bodyUnreadable, "The body must be an object.")
        }
        members = object
      } catch let refusal as CodedError<SimulatorErrorCode> {
        throw refusal
      } catch { throw CodedError(.bodyUnreadable, "\(error).") }
    }
    return try Self.fields(members, parameters, read)
  }

  /// Reads the query like a body.
  func readQuery<Value>(
    _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<SimulatorErrorCode>) -> Value {
    let members = (target?.query ?? []).map { JSONMember($0.name, .string($0.value)) }
    return try Self.fields(members, parameters, read)
  }

  private static func fields<Value>(
    _ members: [JSONMember], _ parameters: [String: String],
    _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<SimulatorErrorCode>) -> Value {
    let ofPath = parameters.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
    do throws(JSONFieldError) {
      return try read(JSONFields(.object(ofPath + members.filter { parameters[$0.name] == nil })))
    } catch { throw CodedError(.fieldInvalid, "\(error)") }
  }

  /// The transaction in the path.
  func transactionId() throws(CodedError<SimulatorErrorCode>) -> TransactionIdentifier {
    guard let text = parameters["transactionId"].flatMap(Names.number) else { throw CodedError(.transactionUnknown) }
    return TransactionIdentifier(text)
  }

  // MARK: the answer

  func answer(_ json: JSONValue, status: Int = 200) -> HTTPResponse { HTTPResponse(status: status, json: json) }

  /// One page of a list: at most `limit` items after the item `after`; `more` says whether others follow.
  func page<Item>(
    _ name: String, of items: [Item], id: (Item) -> String, json: (Item) -> JSONValue
  ) throws(CodedError<SimulatorErrorCode>) -> HTTPResponse {
    let limit = target?["limit"].flatMap { Int($0) } ?? 100
    guard (1...SimulatorLimits.pageMax).contains(limit) else {
      throw CodedError(.fieldInvalid, "limit must be a whole number from 1 to \(SimulatorLimits.pageMax).")
    }
    var rest = items[...]
    if let after = target?["after"] {
      guard let position = items.firstIndex(where: { id($0) == after }) else {
        throw CodedError(.fieldInvalid, "after must be the id of an item of this list.")
      }
      rest = items[(position + 1)...]
    }
    return answer(
      .members([
        (name, .array(rest.prefix(limit).map(json))), ("more", .bool(rest.count > limit)),
      ]))
  }

  static let pageQuery: [(name: String, meaning: String)] = [
    ("after?", "the id of the last item of the page before"), ("limit?", "1 to 500, otherwise 100"),
  ]
}
