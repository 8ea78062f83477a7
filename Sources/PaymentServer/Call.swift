import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import ServerContract
import StrictJSON

/// One request on its way through the server: what it asks, and who was found to ask it.
struct Call: Sendable {
  let server: PaymentServer
  let request: HTTPRequest
  let peer: String
  let requestId: String
  let language: Language
  var target = RequestTarget("/")
  var parameters: [String: String] = [:]
  var allowedMethods: [String] = []
  var app: AppSettings?
  var caller: Caller?
  var operatorName: String?

  init(
    server: PaymentServer, request: HTTPRequest, peer: String, requestId: String,
    language: Language
  ) {
    self.server = server
    self.request = request
    self.peer = peer
    self.requestId = requestId
    self.language = language
  }

  /// The language that the caller asks for: Chinese if he names it before English.
  static func language(of request: HTTPRequest) -> Language {
    let wishes = request.fields["Accept-Language"]?.lowercased() ?? ""
    for wish in wishes.split(separator: ",").prefix(20) {
      let tag = wish.drop { $0 == " " }
      if tag.hasPrefix("zh") { return .chinese }
      if tag.hasPrefix("en") { return .english }
    }
    return .english
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

  /// Whose rate this call counts against.
  var rateSubject: RateLimits.Subject? {
    guard let app else { return nil }
    switch caller {
    case .user(let user): return .user(app.id, user)
    case .backend(let key): return .key(key)
    case .publishableKey, nil: return nil
    }
  }

  /// The app that the credential belongs to.
  func authenticatedApp() throws(Refusal<ServerErrorCode>) -> AppSettings {
    guard let app else { throw Refusal(.credentialMissing) }
    return app
  }

  /// The body as JSON; an empty body is an empty object where nothing must be said.
  func json() throws(Refusal<ServerErrorCode>) -> JSONValue {
    guard !request.body.isEmpty else { return .object([]) }
    do {
      return try JSONReader.read(
        request.body, limits: JSONLimits(bytesMax: max(request.body.count, 1), depthMax: 16, valuesMax: 5000))
    } catch { throw Refusal(.bodyUnreadable, "\(error).") }
  }

  /// Reads the body as a type of the contract.
  func body<Value>(
    _ read: (JSONValue) throws(JSONFieldError) -> Value
  ) throws(Refusal<ServerErrorCode>) -> Value {
    let json = try json()
    do throws(JSONFieldError) { return try read(json) } catch {
      throw Refusal(.fieldInvalid, "\(error)")
    }
  }

  /// The user that the call is about: the token's, or the one that a backend names in query or body.
  func user(named inBody: UserIdentifier?) throws(Refusal<ServerErrorCode>) -> UserIdentifier {
    guard let user = try optionalUser(named: inBody) else { throw Refusal(.userMissing) }
    return user
  }

  /// The user that the call is about, if it is about one.
  func optionalUser(
    named inBody: UserIdentifier?
  ) throws(Refusal<ServerErrorCode>) -> UserIdentifier? {
    switch caller {
    case .user(let user):
      guard inBody == nil || inBody == user, target?["userId"] == nil else {
        throw Refusal(.userNotAllowed)
      }
      return user
    case .backend:
      let named = inBody ?? target?["userId"].map { UserIdentifier($0) }
      if let named, !(1...255).contains(named.text.utf8.count) {
        throw Refusal(.fieldInvalid, "userId must be a text of 1 to 255 bytes.")
      }
      return named
    case .publishableKey, nil:
      guard inBody == nil else { throw Refusal(.userNotAllowed) }
      return nil
    }
  }

  /// The environment that a backend asks about: the app's own unless it names another.
  func realm() throws(Refusal<ServerErrorCode>) -> Realm {
    let app = try authenticatedApp()
    guard let word = target?["environment"], case .backend = caller else { return app.homeRealm }
    guard let environment = StoreEnvironment(rawValue: word),
      environment == app.home || app.twinEnvironments.contains(environment)
    else { throw Refusal(.fieldInvalid, "environment must be one that this app has.") }
    return Realm(app: app.id, environment: environment)
  }

  /// A whole number of the query within a range.
  func queryNumber(
    _ name: String, in range: ClosedRange<Int64>, otherwise: Int64
  ) throws(Refusal<ServerErrorCode>) -> Int64 {
    guard let text = target?[name] else { return otherwise }
    guard let number = Int64(text), range.contains(number) else {
      throw Refusal(
        .fieldInvalid,
        "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// An answer that carries JSON.
  func answer(_ json: JSONValue, status: Int = 200) -> HTTPResponse {
    var response = HTTPResponse(status: status, json: json)
    if server.settings.isSimulated { response.fields.set("X-Counterfoil-Profile", "simulated") }
    return response
  }
}
