package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// One call to the App Store Server API as a value: what is sent, and how its answer is read.
///
/// The same call may be sent any number of times, to either host; only the token is made anew. Every call here can be
/// repeated without harm. What an answer holds signed is handed on as text: it says nothing until `SignedDataVerifier`
/// has verified it, because the answer as a whole is signed by nobody.
package struct AppStoreServerCall<Answer: Sendable>: Sendable {
  /// Which endpoint it is: its name in metrics, its rate, its circuit breaker.
  package let endpoint: AppStoreServerEndpoint
  /// Path and query, percent-encoded.
  package let target: String
  /// The body to the byte; empty where Apple takes none.
  package let body: [UInt8]

  private let read: @Sendable (_ status: Int, _ body: [UInt8]) throws(AppStoreReadingError) -> Answer

  /// How long to wait for the answer: Apple mostly answers within a second.
  package var timeLimit: TimeSpan { .seconds(15) }
  /// `GET`, `POST` or `PUT`.
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

  /// The request with a token of this moment.
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
      guard let refusal = AppStoreServerRefusal(response, at: now) else {
        return .unknown(.unreadable(status: response.status, "It is no error of the App Store Server API."))
      }
      return refusal.isCertain ? .refused(refusal) : .unknown(.undecided(refusal))
    }
    do throws(AppStoreReadingError) { return .answered(try read(response.status, response.body)) } catch {
      return .unknown(.unreadable(status: response.status, error.description))
    }
  }
}

extension AppStoreServerCall where Answer: PayloadPart {
  /// A call that is answered by a JSON object with status 200.
  init(_ endpoint: AppStoreServerEndpoint, _ target: String, body: JSONValue? = nil) {
    self.init(endpoint, target, body: body?.bytes ?? []) { status, body throws(AppStoreReadingError) in
      guard status == 200 else { throw AppStoreReadingError("The status is \(status) instead of 200.") }
      return try AppStoreReadingError.rethrowing(body)
    }
  }
}

/// The App Store took what was sent; it says nothing more.
package struct AppStoreAcceptance: Hashable, Sendable {
  package init() {}
}

extension AppStoreServerCall where Answer == AppStoreAcceptance {
  /// A call that is answered by a status alone. What a body may say besides is passed over.
  init(_ endpoint: AppStoreServerEndpoint, _ target: String, body: JSONValue? = nil, accepted: Int) {
    self.init(endpoint, target, body: body?.bytes ?? []) { status, _ throws(AppStoreReadingError) in
      guard status == accepted else {
        throw AppStoreReadingError("The status is \(status) instead of \(accepted).")
      }
      return AppStoreAcceptance()
    }
  }
}

/// An answer that is not of the form that this version reads.
struct AppStoreReadingError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// A page holds twenty signed items of some kilobytes each; a notification with its inner items is under 32 KiB.
  static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 16, valuesMax: 20_000)

  /// Reads a JSON object; what is wrong with it is said in words.
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
