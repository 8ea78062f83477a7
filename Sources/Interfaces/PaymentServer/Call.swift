import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// One request during its processing: the request and its identified caller.
struct Call: Sendable {
  let server: PaymentServer
  let request: HTTPRequest
  let client: ClientAddress
  let requestId: String
  let language: Language
  var target: RequestTarget?
  var route: Route?
  /// The route that a browser asks about before it calls it for a web page.
  var preflighted: Route?
  var parameters: [String: String] = [:]
  var allowedMethods: [String] = []
  var app: AppPolicy?
  var caller: Caller?
  var key: CredentialIdentifier?
  /// Whether that key may give units without a payment.
  var mayCredit = false
  /// Whether it may give entitlements without a payment.
  var mayGiveEntitlements = false
  /// Whether it may erase users.
  var mayErase = false
  /// What the user or the key has left of its rate; nil for a call that counts against an address.
  var standing: RateLimits.Standing?
  var operatorName: String?
  /// The role of the operator key.
  var role: OperatorRole?

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

  /// Whether the caller may see fields that name a person or a device.
  var seesPersonalData: Bool { role.map { PersonalView($0).isOpen } ?? false }

  /// What the caller sees of texts that may name a person.
  var personal: PersonalView { operatorName == nil ? .backend : PersonalView(role ?? .viewer) }

  /// The address that the call counts against.
  var peer: RateLimits.Subject { .peer(client.network) }

  /// The rate limit that this call counts against, besides its address. All phones share a publishable key: for it
  /// only addresses count.
  var rateSubject: RateLimits.Subject? {
    switch caller {
    case .user(let user): app.map { .user($0.id, user) }
    case .publishableKey: nil
    case .backend, nil: key.map { .key($0) }
    }
  }

  /// The app that the credential belongs to.
  func authenticatedApp() throws(CodedError<ServerErrorCode>) -> AppPolicy {
    guard let app else { throw CodedError(.credentialMissing) }
    return app
  }

  /// A parameter of the path; routes read only their own.
  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  /// Checks that the body is declared as plain JSON in UTF-8. A body without a declaration is accepted. A form, as
  /// `curl` with `--data` declares it, is not: a gateway may have checked it as a form.
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
    if mediaType == "application/json" { return true }
    let parts = mediaType.split(separator: ";", omittingEmptySubsequences: false)
      .map { part in part.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
    guard parts[0] == "application/json" || parts[0].hasPrefix("application/") && parts[0].hasSuffix("+json") else {
      return false
    }
    return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=utf8" }
  }

  /// The body as JSON; an empty body becomes an empty object if it is optional.
  func json() throws(CodedError<ServerErrorCode>) -> JSONValue {
    guard !request.body.isEmpty else { return .object([]) }
    // No database keeps U+0000, so no call accepts it; evidence of a store is text without it.
    let limits = JSONLimits(
      bytesMax: request.body.count, depthMax: 16, valuesMax: 5000, allowsNullCharacter: false)
    do { return try JSONReader.read(request.body, limits: limits) } catch {
      guard error.reason != .nullCharacter else { throw Self.nullCharacter(in: "The body") }
      throw CodedError(.bodyUnreadable, "\(error).")
    }
  }

  static func nullCharacter(in place: String) -> CodedError<ServerErrorCode> {
    CodedError(.fieldInvalid, "\(place) contains the character U+0000.")
  }

  /// Reads the body as a type of the contract. It throws for fields that the route does not have.
  func body<Value>(
    _ read: (JSONValue) throws(JSONFieldError) -> Value
  ) throws(CodedError<ServerErrorCode>) -> Value {
    let json = try json()
    if let route { try checkFields(of: json, for: route) }
    do throws(JSONFieldError) { return try read(json) } catch {
      throw CodedError(.fieldInvalid, "\(error)")
    }
  }

  /// A parameter of the query. Two with one name are refused: a gateway may have checked the other one.
  func query(_ name: String) throws(CodedError<ServerErrorCode>) -> String? {
    let values = target?.query.filter { $0.name == name } ?? []
    guard values.count <= 1 else {
      throw CodedError(.fieldInvalid, "\(name) stands \(values.count) times in the query.")
    }
    guard values.first?.value.utf8.contains(0) != true else { throw Self.nullCharacter(in: name) }
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
