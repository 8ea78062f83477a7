package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// One call to WeChat Pay as a value: what is sent, and how its verified answer is read.
///
/// The same call may be sent any number of times, to any host: its body is the same to the byte, only the signature is
/// made anew. Every call here is idempotent by the number that it carries.
package struct WeChatPayCall<Answer: Sendable>: Sendable {
  /// `GET` or `POST`.
  package let method: String
  /// Path and query, percent-encoded, exactly as they are sent and signed.
  package let target: String
  /// The body to the byte; empty for GET. What opens an order is kept with it, so that a repetition sends the same.
  package let body: [UInt8]
  /// How long to wait for the answer.
  package let timeLimit: TimeSpan

  private let read: @Sendable (_ status: Int, _ body: [UInt8]) throws(WeChatPayReadingError) -> Answer

  /// For orders and queries.
  static var usualTimeLimit: TimeSpan { .seconds(15) }
  /// No answer that we read is larger; bills are downloaded in another way.
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

  /// A call that is answered by a JSON object with status 200.
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
  ///   - platformKey: the key that WeChat Pay shall sign its answer with: `PlatformKeyRing.preferred`. nil while none
  ///     is known, before the first download of certificates.
  ///   - nonce: 32 fresh letters and digits (`Nonce`).
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
    if let platformKey { request.fields.set("Wechatpay-Serial", "\(platformKey)") }
    return request
  }

  /// What an answer says: first verified over its raw bytes, then read.
  package func outcome(
    of response: HTTPResponse, keys: PlatformKeyRing, at now: Timestamp
  ) -> WeChatPayOutcome<Answer> {
    let requestId = response.fields["Request-ID"].map { String($0.unicodeScalars.prefix(128)) }
    let isSuccess = (200..<300).contains(response.status) && response.status != 202
    let refusal =
      isSuccess
      ? nil : WeChatPayRefusal(status: response.status, body: response.body, requestId: requestId)
    do throws(CodedError<PlatformSignatureErrorCode>) {
      try keys.verify(response.fields, body: response.body, at: now)
    } catch {
      let uncertainty = WeChatPayUncertainty.unverified(error, status: response.status, claim: refusal)
      return WeChatPayOutcome(.unknown(uncertainty), requestId: requestId)
    }
    if let refusal {
      return WeChatPayOutcome(
        refusal.isCertain ? .refused(refusal) : .unknown(.undecided(refusal)), requestId: requestId)
    }
    do throws(WeChatPayReadingError) {
      return WeChatPayOutcome(.answered(try read(response.status, response.body)), requestId: requestId)
    } catch {
      return WeChatPayOutcome(.unknown(.unreadable(error.description)), requestId: requestId)
    }
  }
}

/// A verified answer that is not of the form that this version reads.
struct WeChatPayReadingError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Reads a JSON object; what is wrong with it is said in words.
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
