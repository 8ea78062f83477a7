package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// One call to WeChat Pay as a value: the request, and how to read its verified answer.
///
/// The same call may be sent repeatedly, to any host. The bytes of its body stay the same; only the signature is new.
/// Every call is idempotent by its number, but one that writes to a customer (`isRepeatable`).
package struct WeChatPayCall<Answer: Sendable>: Sendable {
  /// The HTTP method: `GET` or `POST`.
  package let method: String
  /// Path and query, percent-encoded, exactly as sent and signed.
  package let target: String
  /// The exact bytes of the body; empty for GET. The body that opens an order is saved with it, so that a retry sends
  /// the same bytes.
  package let body: [UInt8]
  /// The timeout for the answer.
  package let timeLimit: TimeSpan

  /// The key that fields of the body are encrypted to; nil if none is. The request names it.
  var encryptedTo: PlatformKeyIdentifier?

  /// Whether it may be sent again while nobody knows whether it took effect.
  package internal(set) var isRepeatable = true

  private let read: @Sendable (_ status: Int, _ body: [UInt8]) throws(WeChatPayReadingError) -> Answer

  /// The timeout for orders and queries.
  static var usualTimeLimit: TimeSpan { .seconds(15) }
  /// The maximum size of an answer; bills use another way of download.
  static var answerBytesMax: Int { 1 << 20 }

  init(
    _ method: String, _ target: String, body: [UInt8] = [], timeLimit: TimeSpan = usualTimeLimit,
    read: @escaping @Sendable (_ status: Int, _ body: [UInt8]) throws(WeChatPayReadingError) -> Answer
  ) {
    self.method = method
    self.target = target
    self.body = body
    self.timeLimit = timeLimit
    self.read = read
  }

  /// A call that returns a JSON object with status 200.
  init(
    _ method: String, _ target: String, body: [UInt8] = [],
    json read: @escaping @Sendable (JSONValue) throws(JSONFieldError) -> Answer
  ) {
    self.init(method, target, body: body) { status, body throws(WeChatPayReadingError) in
      guard status == 200 else { throw WeChatPayReadingError("The status is \(status) instead of 200.") }
      return try WeChatPayReadingError.rethrowing(body, read)
    }
  }

  /// The signed request.
  ///
  /// - Parameters:
  ///   - host: scheme and host without a slash at the end.
  ///   - platformKey: the key with which WeChat Pay must sign its answer: `PlatformKeyRing.preferred`. nil if none is
  ///     known yet, before the first download of certificates.
  ///   - nonce: 32 new letters and digits (`Nonce`).
  package func request(
    by merchant: MerchantCredentials, to host: WeChatPayHost, platformKey: PlatformKeyIdentifier?,
    at now: Timestamp, nonce: String
  ) -> HTTPRequest {
    let signature = merchant.authorization(method: method, target: target, body: body, at: now, nonce: nonce)
    var request = HTTPRequest(
      method, host.origin + target,
      fields: [
        "Accept": "application/json", "User-Agent": "counterfoil", "Accept-Language": "zh-CN",
        "Authorization": signature.authorization,
      ], body: body)
    if method != "GET" { request.fields.set("Content-Type", "application/json") }
    if let named = encryptedTo ?? platformKey { request.fields.set("Wechatpay-Serial", "\(named)") }
    return request
  }

  /// The outcome of an answer: first its raw bytes are verified, then it is read.
  package func outcome(
    of response: HTTPResponse, keys: PlatformKeyRing, at now: Timestamp
  ) -> WeChatPayOutcome<Answer> {
    let requestId = response.fields["Request-ID"].map { String($0.unicodeScalars.prefix(128)) }
    let isSuccess = (200..<300).contains(response.status) && response.status != 202
    let statedError =
      isSuccess
      ? nil : WeChatPayError(status: response.status, body: response.body, requestId: requestId)
    do throws(CodedError<PlatformSignatureErrorCode>) {
      try keys.verify(response.fields, body: response.body, at: now)
    } catch {
      let uncertainty = WeChatPayUncertainty.unverified(error, status: response.status, claim: statedError)
      return WeChatPayOutcome(.unknown(uncertainty), requestId: requestId)
    }
    if let statedError {
      return WeChatPayOutcome(
        statedError.isCertain ? .refused(statedError) : .unknown(.undecided(statedError)), requestId: requestId)
    }
    do throws(WeChatPayReadingError) {
      return WeChatPayOutcome(.answered(try read(response.status, response.body)), requestId: requestId)
    } catch {
      return WeChatPayOutcome(.unknown(.unreadable(error.description)), requestId: requestId)
    }
  }
}

/// This version cannot read the verified answer.
struct WeChatPayReadingError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Reads a JSON object; the error describes the problem in words.
  static func rethrowing<Answer>(
    _ body: [UInt8], _ read: (JSONValue) throws(JSONFieldError) -> Answer
  ) throws(WeChatPayReadingError) -> Answer {
    do {
      return try read(JSONReader.read(body, limits: JSONLimits(bytesMax: 1 << 20)))
    } catch {
      throw WeChatPayReadingError("\(error)")
    }
  }
}
