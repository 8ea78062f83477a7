import PaymentPrimitives
import StrictJSON

/// An answer of WeChat Pay's that is no success, as it came.
package struct WeChatPayRefusal: Error, Hashable, Sendable {
  package let code: WeChatPayErrorCode
  package let status: Int
  /// WeChat Pay's own word: `ORDERPAID`; empty where it sent none.
  package let word: String
  /// WeChat Pay's sentence, for people. Nothing may be decided by it.
  package let message: String
  /// Which parameter it is about: `/amount/total`; nil when it does not say.
  package let field: String?
  /// What WeChat Pay says of the text that should have been signed; nil but for a wrong signature.
  package let signInformation: SignInformation?
  /// WeChat Pay's number of this exchange, to be told to its support.
  package let requestId: String?

  /// What WeChat Pay computed where it refuses a signature: it tells whether path, body or a line feed is wrong.
  ///
  /// For the operator's diagnosis only: the text holds the beginning of the body.
  package struct SignInformation: Hashable, Sendable {
    package let method: String?
    package let url: String?
    /// Bytes of the text that should have been signed.
    package let messageLength: Int64?
    package let truncatedMessage: String?
  }

  /// Reads an error body; whatever it is, the status alone makes a refusal.
  init(status: Int, body: [UInt8], requestId: String?) {
    let value = (try? JSONReader.read(body, limits: JSONLimits(bytesMax: 1 << 16))) ?? .null
    let detail = value["detail"]
    self.status = status
    self.requestId = requestId
    word = Self.shown(value["code"]?.string ?? "", max: 64)
    message = Self.shown(value["message"]?.string ?? "", max: 512)
    field = detail?["field"]?.string.map { Self.shown($0, max: 128) }
    signInformation = (detail?["sign_information"]).map { signed in
      SignInformation(
        method: signed["method"]?.string.map { Self.shown($0, max: 16) },
        url: signed["url"]?.string.map { Self.shown($0, max: 512) },
        messageLength: signed["sign_message_length"]?.integer,
        truncatedMessage: signed["truncated_sign_message"]?.string.map { String($0.prefix(1024)) })
    }
    code = WeChatPayErrorCode(word: word, status: status)
  }

  /// Whether the answer, once verified, settles that the request had no effect. After the others it may have had one.
  package var isCertain: Bool {
    switch code {
    case .userPaying, .frequencyLimited, .systemError, .bankError, .serviceUnavailable, .otherFailure: false
    case .openidMismatch: true
    default: (400..<500).contains(status) && status != 408
    }
  }

  /// A foreign text as it may stand in logs: bounded, without control characters.
  private static func shown(_ text: String, max: Int) -> String {
    let scalars = text.unicodeScalars.prefix(max).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension WeChatPayRefusal: CustomStringConvertible {
  /// For logs: nothing of what was signed.
  package var description: String {
    "\(code.rawValue): \(status) \(word) \(message)" + (field.map { " (\($0))" } ?? "")
      + (requestId.map { " Request-ID \($0)" } ?? "")
  }
}
