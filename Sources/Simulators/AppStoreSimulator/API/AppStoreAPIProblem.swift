import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// An API error with Apple's number and message.
struct AppStoreAPIProblem: Error, Hashable, Sendable {
  let status: Int
  /// Apple's error number; nil for answers without number and message.
  var code: Int64?
  var message = ""
  /// The moment from which a retry is allowed; only for 429.
  var retryAfter: Timestamp?

  init(_ status: Int, _ code: Int64, message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  private init(status: Int) { self.status = status }

  static func empty(_ status: Int) -> AppStoreAPIProblem { AppStoreAPIProblem(status: status) }

  /// 401 has no JSON: a client that reads every answer as JSON fails here, as it does with Apple.
  static let unauthenticated = AppStoreAPIProblem(status: 401)

  static func badRequest(_ code: Int64, _ message: String) -> AppStoreAPIProblem {
    AppStoreAPIProblem(400, code, message: message)
  }

  static let transactionIdInvalid = badRequest(4_000_006, "Invalid transaction id.")
  static let appTransactionIdNotSupported = badRequest(
    4_000_048, "Invalid request. App transaction id is not supported by the endpoint.")
  static let bodyInvalid = badRequest(4_000_000, "Bad request.")
  static let transactionIdNotFound = AppStoreAPIProblem(404, 4_040_010, message: "Transaction id not found.")
  static let originalTransactionIdNotFound = AppStoreAPIProblem(
    404, 4_040_005, message: "Original transaction id not found.")
  static let accountNotFoundRetryable = AppStoreAPIProblem(
    404, 4_040_002, message: "Account not found. Please try again.")
  static let generalInternal = AppStoreAPIProblem(500, 5_000_000, message: "An unknown error occurred.")
  static let generalInternalRetryable = AppStoreAPIProblem(
    500, 5_000_001, message: "An unknown error occurred. Please try again.")

  /// Apple's header is a moment in milliseconds since 1970, not a duration.
  static func rateLimitExceeded(until moment: Timestamp) -> AppStoreAPIProblem {
    var problem = AppStoreAPIProblem(429, 4_290_000, message: "Rate limit exceeded.")
    problem.retryAfter = moment
    return problem
  }

  /// Apple's text for a token that it does not accept. The number is 16 bytes in Base32.
  static func refusalText(number: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = number.flatMap { byte in (0..<8).reversed().map { byte >> UInt8($0) & 1 } }
    let text = stride(from: 0, to: bits.count, by: 5).map { start in
      let part = bits[start..<min(start + 5, bits.count)]
      let value = part.reduce(0) { $0 << 1 | Int($1) } << (5 - part.count)
      return letters[value]
    }
    return Array("Unauthenticated\n\nRequest ID: \(String(text)).0.0\n".utf8)
  }

  var response: HTTPResponse {
    guard let code else {
      guard status == 401 else { return HTTPResponse(status: status) }
      return HTTPResponse(status: 401, fields: ["Content-Type": "text/plain"])
    }
    var response = HTTPResponse(
      status: status, json: .members([("errorCode", .integer(code)), ("errorMessage", .string(message))]))
    if let retryAfter { response.fields.set("Retry-After", String(retryAfter.milliseconds)) }
    return response
  }
}

extension AppStoreAPIProblem: CommandFailure {
  init(_ failure: LogFailure) { self = .generalInternal }
}
