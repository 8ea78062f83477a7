import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import CounterfoilAPI
import StrictJSON

/// One request on its way through the server: what it asks, and who was found to ask it.
struct Call: Sendable {
  let server: PaymentServer
  let request: HTTPRequest
  let client: ClientAddress
  let requestId: String
  let language: Language
  var target: RequestTarget?
  var route: Route?
  var parameters: [String: String] = [:]
  var allowedMethods: [String] = []
  var app: AppSettings?
  var caller: Caller?
  var key: CredentialIdentifier?
  var operatorName: String?

  init(
    server: PaymentServer, request: HTTPRequest, client: ClientAddress, requestId: String
  ) {
    self.server = server
    self.request = request
    self.client = client
    self.requestId = requestId
    self.language = LanguageWish.language(of: request)
  }

  /// The kind of caller, for the log.
  var callerKind: String {
    switch caller {
    case .user: "user"
    case .publishableKey: "publishable"
    case .backend: "backend"
    case nil: operatorName == nil ? "none" : "operator"
    }
  }

  /// The address that the call counts against.
  var peer: RateLimits.Subject { .peer(client.network) }

  /// Whose rate this call counts against, beside its address. A publishable key is that of all phones: only addresses
  /// count.
  var rateSubject: RateLimits.Subject? {
    switch caller {
    case .user(let user): app.map { .user($0.id, user) }
    case .publishableKey: nil
    case .backend, nil: key.map { .key($0) }
    }
  }

  /// The app that the credential belongs to.
  func authenticatedApp() throws(CodedError<ServerErrorCode>) -> AppSettings {
    guard let app else { throw CodedError(.credentialMissing) }
    return app
  }

  /// A parameter of the path; routes ask only for those that they have.
  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  /// Whether the body is said to be what we read: JSON as it is, in UTF-8. One that says nothing is taken at its bytes;
  /// `curl` with `--data` says that it sends a form, which a gateway may have looked at as such.
  func checkMediaType() throws(CodedError<ServerErrorCode>) {
    guard !request.body.isEmpty else { return }
    guard request.fields.values("Content-Encoding").allSatisfy({ $0.lowercased() == "identity" }) else {
      throw CodedError(.mediaTypeNotTaken, "It has a Content-Encoding.")
    }
    let types = request.fields.values("Content-Type")
    guard !types.isEmpty else { return }
    guard types.count == 1, Self.isJSON(types[0].lowercased()) else {
      throw CodedError(.mediaTypeNotTaken, "Its Content-Type is not application/json.")
    }
  }

  private static func isJSON(_ mediaType: String) -> Bool {
    let parts = mediaType.split(separator: ";", omittingEmptySubsequences: false)
      .map { part in part.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
    guard parts[0] == "application/json" || parts[0].hasPrefix("application/") && parts[0].hasSuffix("+json") else {
      return false
    }
    return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=utf8" }
  }

  /// The body as JSON; an empty body is an empty object where nothing must be said.
  func json() throws(CodedError<ServerErrorCode>) -> JSONValue {
    guard !request.body.isEmpty else { return .object([]) }
    do {
      return try JSONReader.read(
        request.body, limits: JSONLimits(bytesMax: request.body.count, depthMax: 16, valuesMax: 5000))
    } catch { throw CodedError(.bodyUnreadable, "\(error).") }
  }

  /// Reads the body as a type of the contract. Fields that the route does not have are refused.
  func body<Value>(
    _ read: (JSONValue) throws(JSONFieldError) -> Value
  ) throws(CodedError<ServerErrorCode>) -> Value {
    let json = try json()
    if let route { try checkFields(of: json, for: route) }
    do throws(JSONFieldError) { return try read(json) } catch {
      throw CodedError(.fieldInvalid, "\(error)")
    }
  }

  /// A parameter of the query. Of two with one name a gateway may have looked at the other one: they are refused.
  func query(_ name: String) throws(CodedError<ServerErrorCode>) -> String? {
    let values = target?.query.filter { $0.name == name } ?? []
    guard values.count <= 1 else {
      throw CodedError(.fieldInvalid, "\(name) stands \(values.count) times in the query.")
    }
    return values.first?.value
  }

  /// A whole number of the query within a range.
  func queryNumber(
    _ name: String, in range: ClosedRange<Int64>, otherwise: Int64
  ) throws(CodedError<ServerErrorCode>) -> Int64 {
    guard let text = try query(name) else { return otherwise }
    guard let number = Int64(text), range.contains(number), !text.hasPrefix("+") else {
      throw CodedError(
        .fieldInvalid,
        "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func answer(_ json: JSONValue, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, json: json)
  }
}
