package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// One call to the App Store Server API as a value: the request, and how to read its answer.
///
/// The same call may be sent repeatedly, to either host, each time with a new token. Repeating any of these calls is
/// safe. Signed parts of an answer stay text: they prove nothing until `SignedDataVerifier` has verified them. The
/// answer as a whole has no signature.
package struct AppStoreServerCall<Answer: Sendable>: Sendable {
  /// The endpoint; it determines the name in metrics, the rate and the circuit breaker.
  package let endpoint: AppStoreServerEndpoint
  /// Path and query, percent-encoded.
  package let target: String
  /// The exact bytes of the body; empty if Apple expects none.
  package let body: [UInt8]

  private let read: @Sendable (_ status: Int, _ body: [UInt8]) throws(AppStoreReadingError) -> Answer

  /// The timeout for the answer. Apple mostly answers within a second.
  package var timeLimit: TimeSpan { .seconds(15) }
  /// The HTTP method: `GET`, `POST` or `PUT`.
  package var method: String { endpoint.method }

  init(
    _ endpoint: AppStoreServerEndpoint, _ target: String, body: [UInt8] = [],
    read: @escaping @Sendable (_ status: Int, _ body: [UInt8]) throws(AppStoreReadingError) -> Answer
  ) {
    self.endpoint = endpoint
    self.target = target
    self.body = body
    self.read = read
  }

  /// The request with a token that is valid now.
  package func request(
    by credentials: AppStoreServerCredentials, to host: AppStoreServerHost, at now: Timestamp
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method, host.origin + target,
      fields: [
        "Accept": "application/json", "User-Agent": "counterfoil",
        "Authorization": "Bearer \(credentials.token(at: now))",
      ], body: body)
    if !body.isEmpty { request.fields.set("Content-Type", "application/json") }
    return request
  }

  package func outcome(of response: HTTPResponse, at now: Timestamp) -> AppStoreServerOutcome<Answer> {
    guard (200..<300).contains(response.status) else {
      guard let error = AppStoreServerError(response, at: now) else {
        return .unknown(.unreadable(status: response.status, "It is no error of the App Store Server API."))
      }
      return error.isCertain ? .refused(error) : .unknown(.undecided(error))
    }
    do throws(AppStoreReadingError) { return .answered(try read(response.status, response.body)) } catch {
      return .unknown(.unreadable(status: response.status, error.description))
    }
  }
}

extension AppStoreServerCall where Answer: PayloadPart {
  /// A call that returns a JSON object with status 200.
  init(_ endpoint: AppStoreServerEndpoint, _ target: String, body: JSONValue? = nil) {
    self.init(endpoint, target, body: body?.bytes ?? []) { status, body throws(AppStoreReadingError) in
      guard status == 200 else { throw AppStoreReadingError("The status is \(status) instead of 200.") }
      return try AppStoreReadingError.rethrowing(body)
    }
  }
}

/// The App Store accepted the request; the answer has no further content.
package struct AppStoreAcceptance: Hashable, Sendable {
  package init() {}
}

extension AppStoreServerCall where Answer == AppStoreAcceptance {
  /// A call that returns only a status. The body of the answer is ignored.
  init(_ endpoint: AppStoreServerEndpoint, _ target: String, body: JSONValue? = nil, accepted: Int) {
    self.init(endpoint, target, body: body?.bytes ?? []) { status, _ throws(AppStoreReadingError) in
      guard status == accepted else {
        throw AppStoreReadingError("The status is \(status) instead of \(accepted).")
      }
      return AppStoreAcceptance()
    }
  }
}

/// This version cannot read the form of the answer.
struct AppStoreReadingError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// A page holds twenty signed items of some kilobytes each. A notification with its inner items is under 32 KiB.
  static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 16, valuesMax: 20_000)

  /// Reads a JSON object; the error describes the problem in words.
  static func rethrowing<Answer: PayloadPart>(_ body: [UInt8]) throws(AppStoreReadingError) -> Answer {
    let value: JSONValue
    do throws(JSONError) { value = try JSONReader.read(body, limits: limits) } catch {
      throw AppStoreReadingError("\(error)")
    }
    do throws(PayloadProblem) { return try Answer(PayloadFields(value)) } catch {
      throw AppStoreReadingError("\(error.path) must be \(error.expected).")
    }
  }
}
