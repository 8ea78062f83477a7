package import Cryptography
package import PaymentPrimitives

/// A merchant's signature of one request: the value of `Authorization` after the name of the scheme.
package struct RequestSignature: Hashable, Sendable {
  /// The name of the only supported scheme.
  package static let scheme = "WECHATPAY2-SHA256-RSA2048"

  package let mchid: String
  /// The nonce that is part of the signed text.
  package let nonce: String
  package let signature: [UInt8]
  /// The time of signing, in seconds since 1970.
  package let timestamp: Int64
  package let certificateSerial: CertificateSerial

  init(
    mchid: String, nonce: String, signature: [UInt8], timestamp: Int64, certificateSerial: CertificateSerial
  ) {
    self.mchid = mchid
    self.nonce = nonce
    self.signature = signature
    self.timestamp = timestamp
    self.certificateSerial = certificateSerial
  }

  package var authorization: String {
    Self.scheme + " mchid=\"\(mchid)\",nonce_str=\"\(nonce)\",signature=\"\(Base64.encode(signature))\","
      + "timestamp=\"\(timestamp)\",serial_no=\"\(certificateSerial)\""
  }

  /// Reads the header as WeChat Pay does: pairs in any order, optional spaces after commas.
  ///
  /// - Throws: `malformedAuthorization`; it names the part that is missing, duplicate or malformed.
  package init(authorization: String) throws(CodedError<RequestSignatureErrorCode>) {
    let parts = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard authorization.utf8.count <= 4096, parts.count == 2, parts[0] == Self.scheme else {
      throw CodedError(.malformedAuthorization, "The scheme is not \(Self.scheme).")
    }
    var fields: [String: String] = [:]
    for pair in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
      let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[1].utf8.count >= 2, halves[1].hasPrefix("\""), halves[1].hasSuffix("\""),
        fields.updateValue(String(halves[1].dropFirst().dropLast()), forKey: String(halves[0])) == nil
      else { throw CodedError(.malformedAuthorization, "A pair is not name=\"value\", or stands there twice.") }
    }
    func field(_ name: String) throws(CodedError<RequestSignatureErrorCode>) -> String {
      guard let value = fields[name], !value.isEmpty else {
        throw CodedError(.malformedAuthorization, "It has no \(name).")
      }
      return value
    }
    let nonce = try field("nonce_str")
    guard nonce.utf8.count <= 32 else { throw CodedError(.malformedAuthorization, "The nonce is too long.") }
    guard let signature = Base64.decode(try field("signature")) else {
      throw CodedError(.malformedAuthorization, "The signature is not Base64.")
    }
    guard let timestamp = Int64(decimal: try field("timestamp")) else {
      throw CodedError(.malformedAuthorization, "The timestamp is no number of seconds.")
    }
    guard let serial = CertificateSerial(try field("serial_no")) else {
      throw CodedError(.malformedAuthorization, "The serial number is not hexadecimal.")
    }
    self.init(
      mchid: try field("mchid"), nonce: nonce, signature: signature, timestamp: timestamp,
      certificateSerial: serial)
  }

  /// Verifies the signature for its request, as the platform does.
  ///
  /// - Throws: `requestTimestamp` if it was signed more than 300 seconds before or after now. `requestSignature` if it
  ///   is not this key's signature of exactly this request.
  package func verify(
    method: String, target: String, body: [UInt8], key: RSAPublicKey, at now: Timestamp
  ) throws(CodedError<RequestSignatureErrorCode>) {
    guard ClockWindow.contains(timestamp, at: now) else {
      throw CodedError(.requestTimestamp, "It was signed \(now.seconds - timestamp) seconds before now.")
    }
    let text = SignedText.request(method: method, target: target, timestamp: timestamp, nonce: nonce, body: body)
    guard key.isValid(signature, for: text) else { throw CodedError(.requestSignature) }
  }
}

/// The allowed difference between two clocks.
enum ClockWindow {
  /// Both sides reject signatures that are more than five minutes away.
  static let seconds: Int64 = 300

  /// Whether a time in seconds is within the window, including its limits.
  static func contains(_ timestamp: Int64, at now: Timestamp) -> Bool {
    let (difference, overflow) = now.seconds.subtractingReportingOverflow(timestamp)
    return !overflow && (-seconds...seconds).contains(difference)
  }
}

extension Int64 {
  /// A number with 1 to 18 decimal digits and nothing else: no sign, no space.
  init?(decimal text: String) {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}

/// The platform's errors for a merchant's signature.
package enum RequestSignatureErrorCode: String, ErrorCode {
  /// `Authorization` does not have WeChat Pay's form.
  case malformedAuthorization = "wechat_pay_request_authorization"
  /// The signature is too old, or from the future.
  case requestTimestamp = "wechat_pay_request_timestamp"
  /// It is not the signature of this request by this key.
  case requestSignature = "wechat_pay_request_signature"

  package var meaning: BilingualText {
    switch self {
    case .malformedAuthorization:
      BilingualText("The Authorization header does not have WeChat Pay's form.", "Authorization 头不符合微信支付的格式。")
    case .requestTimestamp:
      BilingualText("The request was signed too long ago or in the future.", "请求的签名时间过早或在未来。")
    case .requestSignature:
      BilingualText("The signature does not belong to this request.", "签名与该请求不符。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .malformedAuthorization:
      BilingualText(
        "Send mchid, nonce_str, signature, timestamp and serial_no, each once and in quotes.",
        "请发送 mchid、nonce_str、signature、timestamp、serial_no，各一次并加引号。")
    case .requestTimestamp:
      BilingualText("Set the clock of the machine that signs.", "请校准签名机器的时钟。")
    case .requestSignature:
      BilingualText(
        "Sign the target and body exactly as they are sent, with the key of the named certificate.",
        "请对实际发送的路径与报文签名，并使用该序列号证书对应的私钥。")
    }
  }

  package var retry: RetryAdvice { .never }
}
