import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// An answer of the App Store Server API that is no success, as it came.
package struct AppStoreServerRefusal: Error, Hashable, Sendable {
  package let code: AppStoreServerErrorCode
  package let status: Int
  /// Apple's `errorCode`, known or as it came; nil for a 401, which has none.
  package let number: KnownOrRaw<AppStoreServerErrorNumber>?
  /// Apple's sentence, for people. Nothing may be decided by it.
  package let message: String
  /// Before when Apple takes no further request; only with 429.
  package let retryAfter: Timestamp?

  /// Reads an answer that is no success; nil when it is not one of the API's own: then nobody knows what it means.
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

  /// Whether it is certain that the request had no effect and will have none; otherwise the same is asked again.
  package var isCertain: Bool { code.retry == .never && (400..<500).contains(status) }

  /// Whether Apple does not know the transaction in the environment that was asked; another may.
  package var meansUnknownHere: Bool { code == .transactionNotFound }

  /// Apple writes the moment as milliseconds since 1970. A small number is by a machine in between, which means
  /// seconds from now (RFC 9110 §10.2.3).
  private static func moment(_ text: String?, at now: Timestamp) -> Timestamp? {
    guard let number = text.flatMap({ Int64($0) }), number >= 0 else { return nil }
    return number < 1_000_000_000 ? now + .seconds(number) : Timestamp(milliseconds: number)
  }

  /// A foreign text as it may stand in logs: bounded, without control characters.
  private static func shown(_ text: String, max: Int) -> String {
    let scalars = text.unicodeScalars.prefix(max).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension AppStoreServerRefusal: CustomStringConvertible {
  package var description: String {
    ["\(code.rawValue): \(status)", number.map { "\($0.rawValue)" }, message.isEmpty ? nil : message]
      .compactMap { $0 }.joined(separator: " ")
  }
}
