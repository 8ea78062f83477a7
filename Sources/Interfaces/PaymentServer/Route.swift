import HTTPMessages
import PaymentEngine
import StrictJSON

/// One call of the API: where it is found, who may make it, how it is documented, and what answers it.
struct Route: Sendable {
  enum Access: String, Hashable, CaseIterable, Sendable {
    /// Anybody: stores sign their bodies, machines ask for health.
    case open
    case local
    /// A user of the app, by his token.
    case user
    /// The app itself, by its publishable key.
    case publishable
    /// The app's backend, by a secret key.
    case backend
    /// A person who runs the system.
    case `operator`
  }

  private enum Segment: Sendable {
    case literal(String)
    case parameter(String)
  }

  let method: String
  /// The path, with `{names}` for its parameters.
  let path: String
  /// The use case; the same name on every floor.
  let name: String
  let access: Set<Access>
  /// How large a body may be.
  let bodyBytesMax: Int
  /// Whether a watching machine asks it: such calls are not limited.
  let isProbe: Bool
  /// Whether a body is read whatever it is said to be: what a store posts must not be lost for a header.
  let takesAnyMediaType: Bool
  /// What the OpenAPI document says of it.
  let documentation: RouteDocumentation
  let answer: @Sendable (Call) async throws -> HTTPResponse

  /// Whether its calls are counted where their caller is known, not by their address at the door.
  var countsItself: Bool { !access.contains(.open) || path.hasPrefix("/notifications/") }

  private let pattern: [Segment]

  init(
    _ method: String, _ path: String, _ name: String, _ access: Set<Access>,
    bodyBytesMax: Int = 16 << 10, isProbe: Bool = false, takesAnyMediaType: Bool = false,
    _ documentation: RouteDocumentation,
    answer: @escaping @Sendable (Call) async throws -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.access = access
    self.bodyBytesMax = bodyBytesMax
    self.isProbe = isProbe
    self.takesAnyMediaType = takesAnyMediaType
    self.documentation = documentation
    self.answer = answer
    pattern = path.split(separator: "/").map { segment in
      segment.hasPrefix("{") ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
    }
  }

  var parameters: [String] {
    pattern.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  /// The path's parameters if its segments match.
  func match(_ path: PathAsked) -> [String: String]? {
    guard pattern.count == path.decoded.count else { return nil }
    var parameters: [String: String] = [:]
    for (index, expected) in pattern.enumerated() {
      switch expected {
      case .parameter(let name): parameters[name] = path.decoded[index]
      case .literal(let text): guard path.asSent[index].elementsEqual(text.utf8) else { return nil }
      }
    }
    return parameters
  }
}

/// A path as it was sent, and decoded. Literal parts of a route must be sent to the letter: a proxy that closes
/// `/v1/operator` to the world must not be passed by `/v1/%6Fperator` or `//v1/operator`. Only parameters may be
/// escaped.
struct PathAsked {
  let asSent: [Substring.UTF8View.SubSequence]
  let decoded: [String]

  /// Nil where a segment is empty: no route has such a path.
  init?(_ text: String, _ target: RequestTarget) {
    let path = text.utf8.prefix { $0 != 0x3F }
    asSent = path.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst().map { $0 }
    decoded = target.path
    guard asSent.count == decoded.count else { return nil }
  }
}

/// What the OpenAPI document says of a route.
struct RouteDocumentation: Sendable {
  /// Whether a call is about a user.
  enum Subject: Sendable {
    case nobody
    /// A secret key may name one.
    case maybeUser
    /// A secret key has to name one.
    case user
  }

  /// One parameter of the query or a header field.
  struct Parameter: Sendable {
    let name: String
    let meaning: String
    var schema: JSONValue = .members([("type", "string")])
  }

  /// Refusals in the form that a store understands instead of ours.
  struct OwnRefusals: Sendable {
    var statuses: Set<Int> = []
    var schema = "Problem"
  }

  /// What it does, in a sentence.
  let summary: String
  /// Whether it is about a user.
  var about = Subject.nobody
  var query: [Parameter] = []
  /// The header fields that mean something here.
  var fields: [Parameter] = []
  /// The schema of the request's body, if it has one.
  var request: String?
  /// Whether an empty body says something too.
  var requestIsOptional = false
  /// The schema of the answer's body, if it is JSON with one.
  var answer: String?
  /// The statuses of answers as asked, the usual one first.
  var statuses = [200]
  /// Refusals in the store's own form, whose status is all that the store looks at.
  var ownRefusals = OwnRefusals()
  var usesStore = true
  /// Codes of the engine that this route may refuse with, beside those of every route.
  var codes: [EngineErrorCode] = []
}
