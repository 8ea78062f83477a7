import HTTPMessages
import PaymentEngine
import StrictJSON

/// One call of the API: its path, its allowed callers, its documentation, and the code that answers it.
final class Route: Sendable {
  enum Access: String, Hashable, CaseIterable, Sendable {
    /// Every caller: stores sign their bodies, machines ask for health.
    case open
    case local
    /// A user of the app, by their token.
    case user
    /// The app itself, by its publishable key.
    case publishable
    /// The app's backend, by a secret key.
    case backend
    /// A person who operates the system.
    case `operator`
  }

  /// A part of the path between two slashes.
  enum Segment: Sendable {
    case literal(String)
    case parameter(String)
  }

  let method: String
  /// The path, with `{names}` for its parameters.
  let path: String
  /// The use case; the same name in every layer.
  let name: String
  let access: Set<Access>
  /// The maximum size of a body, in bytes.
  let bodyBytesMax: Int
  /// Whether a monitoring system calls it: such calls are not limited.
  let isProbe: Bool
  /// Whether a body is read with any declared media type: a store's notification must not be lost because of a header.
  let takesAnyMediaType: Bool
  /// The route's part of the OpenAPI document.
  let documentation: RouteDocumentation
  let answer: @Sendable (Call) async throws -> HTTPResponse

  /// Whether its calls are counted when their caller is known, not by address on arrival.
  var countsItself: Bool { !access.contains(.open) || path.hasPrefix("/notifications/") }

  let pattern: [Segment]

  init(
    _ method: String, _ path: String, name: String, access: Set<Access>,
    bodyBytesMax: Int = 16 << 10, isProbe: Bool = false, takesAnyMediaType: Bool = false,
    documentation: RouteDocumentation,
    _ answer: @escaping @Sendable (Call) async throws -> HTTPResponse
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

/// A path as it was sent, and decoded. Literal parts of a route must be sent exactly. A proxy that blocks
/// `/v1/operator` must not be bypassed with `/v1/%6Fperator` or `//v1/operator`. Only parameters may be escaped.
struct PathAsked {
  let asSent: [Substring.UTF8View.SubSequence]
  let decoded: [String]

  /// Nil if a segment is empty: no route has such a path.
  init?(_ text: String, _ target: RequestTarget) {
    let path = text.utf8.prefix { $0 != 0x3F }
    asSent = path.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst().map { $0 }
    decoded = target.path
    guard asSent.count == decoded.count else { return nil }
  }
}

/// The route's part of the OpenAPI document.
struct RouteDocumentation: Sendable {
  /// Whether a call is about a user.
  enum Subject: Sendable {
    case nobody
    /// A secret key may name a user.
    case maybeUser
    /// A secret key must name a user.
    case user
  }

  /// One parameter of the query or a header field.
  struct Parameter: Sendable {
    let name: String
    let meaning: String
    var schema: JSONValue = .members([("type", "string")])
  }

  /// Errors in the form that a store understands, in place of the server's own.
  struct OwnErrors: Sendable {
    var statuses: Set<Int> = []
    var schema = "Problem"
  }

  /// The purpose of the route, in a sentence.
  let summary: String
  /// Whether it is about a user.
  var about = Subject.nobody
  var query: [Parameter] = []
  /// The header fields that the route reads.
  var fields: [Parameter] = []
  /// The schema of the request's body, if it has one.
  var request: String?
  /// Whether an empty body is allowed.
  var requestIsOptional = false
  /// The schema of the answer's body, if it is JSON with one.
  var answer: String?
  /// Whether the answer is also given as a table.
  var isTableToo = false
  /// The statuses of successful answers, the usual one first.
  var statuses = [200]
  /// Errors in the store's own form; the store looks only at their status.
  var ownErrors = OwnErrors()
  var usesStore = true
  /// Codes of the engine that this route may answer with, besides those of every route.
  var codes: [EngineErrorCode] = []
}
