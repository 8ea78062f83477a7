import HTTPMessages
import StrictJSON

/// One call of the API: where it is found, who may make it, how it is documented, and what answers it.
struct Route: Sendable {
  /// Who may make a call.
  enum Access: String, Hashable, Sendable {
    /// Anybody: stores sign their bodies, machines ask for health.
    case open
    /// A user of the app, by his token.
    case user
    /// The app itself, by its publishable key.
    case publishable
    /// The app's backend, by a secret key.
    case backend
    /// A person who runs the system.
    case `operator`
  }

  /// The method.
  let method: String
  /// The path, with `{names}` for its parameters.
  let path: String
  /// The use case; the same name on every floor.
  let name: String
  /// Who may make it.
  let access: Set<Access>
  /// How large a body may be.
  let bodyBytesMax: Int
  /// What the OpenAPI document says of it.
  let documentation: RouteDocumentation
  /// What answers it.
  let answer: @Sendable (Call) async throws -> HTTPResponse

  init(
    _ method: String, _ path: String, _ name: String, _ access: Set<Access>,
    bodyBytesMax: Int = 16 << 10, _ documentation: RouteDocumentation,
    answer: @escaping @Sendable (Call) async throws -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.name = name
    self.access = access
    self.bodyBytesMax = bodyBytesMax
    self.documentation = documentation
    self.answer = answer
  }

  /// The path's parameters if its segments match.
  func match(_ segments: [String]) -> [String: String]? {
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
}

/// What the OpenAPI document says of a route.
struct RouteDocumentation: Sendable {
  /// What it does, in a sentence.
  let summary: String
  /// Names and meanings of the query parameters.
  var query: [(name: String, meaning: String)] = []
  /// The schema of the request's body, if it has one.
  var request: String?
  /// The schema of the answer's body, if it has one.
  var answer: String?
  /// The status of a usual answer.
  var status = 200
  /// Codes that this route may refuse with, beside those of every route.
  var codes: [String] = []
}
