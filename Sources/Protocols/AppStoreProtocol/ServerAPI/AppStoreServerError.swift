import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// An error answer of the App Store Server API, unchanged.
package struct AppStoreServerError: Error, Hashable, Sendable {
  package let code: AppStoreServerErrorCode
  package let status: Int
  /// Apple's `errorCode`, known or raw; nil if the answer has none, as with status 401.
  package let number: KnownOrRaw<AppStoreServerErrorNumber>?
  /// Apple's error message for people. Code must not depend on it.
  package let message: String
  /// The time before which Apple accepts no further request; only with status 429.
  package let retryAfter: Timestamp?

  /// Reads an error answer; nil if the answer does not come from the API itself. Then its meaning is unknown.
  init?(_ response: HTTPResponse, at now: Timestamp) {
    status = response.status
    let value = try? JSONReader.read(response.body, limits: JSONLimits(bytesMax: 1 << 16, depthMax: 8))
    let number = value?["errorCode"]?.integer
    message = Self.shown(value?["errorMessage"]?.string ?? "", max: 512)
    retryAfter = response.status == 429 ? Self.moment(response.fields["Retry-After"], at: now) : nil
    self.number = number.map { KnownOrRaw($0) }
    switch (number, response.status) {
    case (_, 401): code = .notAuthorized
    case (_, 429): code = .frequencyLimited
    case (let number?, 400..<600): code = AppStoreServerErrorCode(number: number, status: response.status)
    case (nil, 500..<600): code = .failed
    default: return nil
    }
  }

  /// Whether the request certainly has no effect, now and later. Otherwise the same request is sent again.
  package var isCertain: Bool { code.retry == .never && (400..<500).contains(status) }

  /// Whether the requested environment does not know the transaction; another environment may.
  package var meansUnknownHere: Bool { code == .transactionNotFound }

  /// Apple writes milliseconds since 1970. A small number comes from a proxy and means seconds from now (RFC 9110
  /// §10.2.3).
  private static func moment(_ text: String?, at now: Timestamp) -> Timestamp? {
    guard let number = text.flatMap({ Int64($0) }), number >= 0 else { return nil }
    return number < 1_000_000_000 ? now + .seconds(number) : Timestamp(milliseconds: number)
  }

  /// A foreign text in a form that is safe for logs: bounded, without control characters.
  private static func shown(_ text: String, max: Int) -> String {
    let scalars = text.unicodeScalars.prefix(max).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension AppStoreServerError: CustomStringConvertible {
  package var description: String {
    ["\(code.rawValue): \(status)", number.map { "\($0.rawValue)" }, message.isEmpty ? nil : message]
      .compactMap { $0 }.joined(separator: " ")
  }
}
