import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The result of a call to the server. Only `answered` and `refused` are facts.
enum ServerReply<Value: Sendable>: Sendable {
  case answered(Value)
  /// The server refused the call: it certainly had no effect, and the same call will fail again.
  case refused(ProblemBody)
  /// It is not known whether the call took effect; a repeated call will tell. The server may have said when to retry.
  case unknown(String, retryAfter: TimeSpan?)
  /// The app gave no credential, so no request was sent.
  case noCredential(String)
}

extension ServerReply {
  /// Reads an answer of the server. Anything that the server itself did not clearly write is unknown: gateways,
  /// captive portals and proxies on the way also answer 200 and 404.
  init(_ response: HTTPResponse, _ read: (JSONValue) throws(JSONFieldError) -> Value) {
    let retryAfter = Self.retryAfter(response)
    guard let json = try? JSONReader.read(response.body) else {
      self = .unknown("An answer with status \(response.status) is not JSON.", retryAfter: retryAfter)
      return
    }
    guard (200...299).contains(response.status) else {
      self = Self.problem(response, json, retryAfter: retryAfter)
      return
    }
    do throws(JSONFieldError) {
      self = .answered(try read(json))
    } catch {
      self = .unknown("The answer cannot be understood: \(error)", retryAfter: retryAfter)
    }
  }

  private static func problem(
    _ response: HTTPResponse, _ json: JSONValue, retryAfter: TimeSpan?
  ) -> ServerReply {
    guard isProblem(response.fields["Content-Type"]), let problem = try? ProblemBody(json: json) else {
      return .unknown("Status \(response.status) without an explanation.", retryAfter: retryAfter)
    }
    // 408, 425 and 429 ask for the same call later; from 500 on the server itself does not know.
    let isFinal =
      (400...499).contains(response.status) && ![408, 425, 429].contains(response.status)
    guard !isFinal else { return .refused(problem) }
    return .unknown(
      "The server answered \(problem.code).", retryAfter: problem.retryAfter ?? retryAfter)
  }

  private static func isProblem(_ contentType: String?) -> Bool {
    contentType?.lowercased().hasPrefix(ProblemBody.mediaType) ?? false
  }

  /// `Retry-After` in seconds, at most an hour: a wrong clock must not silence a client for ever. The form with a date
  /// is ignored; then the client's own schedule applies.
  private static func retryAfter(_ response: HTTPResponse) -> TimeSpan? {
    guard let text = response.fields["Retry-After"], let seconds = Int64(text), seconds >= 0 else {
      return nil
    }
    return .seconds(min(seconds, 3600))
  }
}
