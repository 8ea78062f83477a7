import PaymentPrimitives
import StrictJSON

/// An error answer of WeChat Pay, unchanged.
package struct WeChatPayError: Error, Hashable, Sendable {
  package let code: WeChatPayErrorCode
  package let status: Int
  /// WeChat Pay's own error word, such as `ORDERPAID`; empty if it sent none.
  package let word: String
  /// WeChat Pay's error message for people. Code must not depend on it.
  package let message: String
  /// The parameter of the error: `/amount/total`; nil if not stated.
  package let field: String?
  /// WeChat Pay's information about the text to sign; only present after a wrong signature.
  package let signInformation: SignInformation?
  /// WeChat Pay's number of this exchange, for its support.
  package let requestId: String?

  /// The text that WeChat Pay computed before it rejected a signature. It shows whether path, body or a line feed is
  /// wrong.
  ///
  /// For the operator's diagnosis only: the text contains the beginning of the body.
  package struct SignInformation: Hashable, Sendable {
    package let method: String?
    package let url: String?
    /// The length in bytes of the text to sign.
    package let messageLength: Int64?
    package let truncatedMessage: String?
  }

  /// Reads an error body; if it is unreadable, the status alone defines the error.
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

  /// Whether a verified answer proves that the request had no effect. With other answers, it may have had one.
  package var isCertain: Bool {
    switch code {
    case .userPaying, .frequencyLimited, .systemError, .bankError, .serviceUnavailable, .otherFailure: false
    case .openidMismatch: true
    default: (400..<500).contains(status) && status != 408
    }
  }

  /// A foreign text in a form that is safe for logs: bounded, without control characters.
  private static func shown(_ text: String, max: Int) -> String {
    let scalars = text.unicodeScalars.prefix(max).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension WeChatPayError: CustomStringConvertible {
  /// The error for logs, without any part of the signed text.
  package var description: String {
    "\(code.rawValue): \(status) \(word) \(message)" + (field.map { " (\($0))" } ?? "")
      + (requestId.map { " Request-ID \($0)" } ?? "")
  }
}
