import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// One call of the control API: where it is found, what it does, what it takes, what answers it.
struct ControlRoute: Sendable {
  let method: String
  /// The path, with `{names}` for its parameters.
  let path: String
  /// What it does, in a sentence.
  let summary: String
  /// Names and meanings of what the body or the query takes; a name that ends in `?` may be left out.
  let takes: [(name: String, meaning: String)]
  let answer: @Sendable (ControlCall) async throws(CodedError<SimulatorErrorCode>) -> HTTPResponse

  init(
    _ method: String, _ path: String, _ summary: String, takes: [(name: String, meaning: String)] = [],
    answer: @escaping @Sendable (ControlCall) async throws(CodedError<SimulatorErrorCode>) -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.takes = takes
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

  /// The call as the listing shows it.
  var json: JSONValue {
    .members([
      ("method", .string(method)), ("path", .string(path)), ("summary", .string(summary)),
      (
        method == "GET" ? "query" : "body", takes.isEmpty ? nil : .members(takes.map { ($0.name, .string($0.meaning)) })
      ),
    ])
  }
}

/// The routes, in several files by what they are about.
enum ControlRoutes {}
