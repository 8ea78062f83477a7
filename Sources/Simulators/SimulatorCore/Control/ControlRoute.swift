package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// One call of the control API: path, action, input, and answer.
package struct ControlRoute<Simulator: Sendable, Code: ControlErrorCode>: Sendable {
  package let method: String
  /// The path after that of the API, with `{names}` for its parameters.
  package let path: String
  /// The action, in one sentence.
  package let summary: String
  /// Names and meanings of the body or query members; a name that ends in `?` is optional.
  package let takes: [(name: String, meaning: String)]
  private let respond: @Sendable (ControlCall<Simulator, Code>) async throws(CodedError<Code>) -> HTTPResponse

  package init(
    _ method: String, _ path: String, summary: String, takes: [(name: String, meaning: String)] = [],
    answer: @escaping @Sendable (ControlCall<Simulator, Code>) async throws(CodedError<Code>) -> HTTPResponse
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.takes = takes
    respond = answer
  }

  package func answer(_ call: ControlCall<Simulator, Code>) async throws(CodedError<Code>) -> HTTPResponse {
    try await respond(call)
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
  func json(below prefix: String) -> JSONValue {
    .members([
      ("method", .string(method)), ("path", .string(prefix + path)), ("summary", .string(summary)),
      (
        method == "GET" ? "query" : "body", takes.isEmpty ? nil : .members(takes.map { ($0.name, .string($0.meaning)) })
      ),
    ])
  }
}
