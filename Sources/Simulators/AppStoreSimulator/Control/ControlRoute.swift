import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// One call of the control API: path, action, input, and answer.
struct ControlRoute: Sendable {
  let method: String
  /// The path, with `{names}` for its parameters.
  let path: String
  /// The action, in one sentence.
  let summary: String
  /// Names and meanings of the body or query members; a name that ends in `?` is optional.
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

  /// The path's parameters if its segments match; otherwise nil.
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

  /// The call as `GET /simulator` lists it.
  var json: JSONValue {
    .members([
      ("method", .string(method)), ("path", .string(path)), ("summary", .string(summary)),
      (
        method == "GET" ? "query" : "body", takes.isEmpty ? nil : .members(takes.map { ($0.name, .string($0.meaning)) })
      ),
    ])
  }
}

/// The routes, in several files by subject.
enum ControlRoutes {}
