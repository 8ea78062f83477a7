import PaymentVocabulary
import StrictJSON

/// An answer of WeChat Pay's that is no success, as it came.
public struct WeChatPayRefusal: Error, Hashable, Sendable {
  /// Our code for it.
  public let code: WeChatPayErrorCode
  /// The HTTP status.
  public let status: Int
  /// WeChat Pay's own word: `ORDERPAID`; empty where it sent none.
  public let word: String
  /// WeChat Pay's sentence, for people. Nothing may be decided by it.
  public let message: String
  /// Which parameter it is about: `/amount/total`; nil when it does not say.
  public let field: String?
  /// What WeChat Pay says of the text that should have been signed; nil but for a wrong signature.
  public let signInformation: SignInformation?
  /// WeChat Pay's number of this exchange, to be told to its support.
  public let requestId: String?

  /// What WeChat Pay computed where it refuses a signature: it tells whether path, body or a line feed is wrong.
  ///
  /// For the operator's diagnosis only: the text holds the beginning of the body.
  public struct SignInformation: Hashable, Sendable {
    /// The method that was signed.
    public let method: String?
    /// The target that was signed.
    public let url: String?
    /// Bytes of the text that should have been signed.
    public let messageLength: Int64?
    /// The beginning of that text.
    public let truncatedMessage: String?
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
  public var isCertain: Bool {
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
  public var description: String {
    "\(code.rawValue): \(status) \(word) \(message)" + (field.map { " (\($0))" } ?? "")
      + (requestId.map { " Request-ID \($0)" } ?? "")
  }
}
