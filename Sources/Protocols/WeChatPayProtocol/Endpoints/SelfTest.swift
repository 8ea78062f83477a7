package import PaymentPrimitives
import StrictJSON

package struct EchoAnswer: Hashable, Sendable {
  package let message: String?
  /// The sent message, encrypted to the merchant (`SensitiveField.decrypt`).
  package let encryptedMessage: String?
}

extension WeChatPayCall where Answer == EchoAnswer {
  /// Asks WeChat Pay to return a message, without any payment. This tests keys, serial number, clock and signatures of
  /// both sides.
  ///
  /// - Parameters:
  ///   - encryptedMessage: a `SensitiveField` for the platform key that the request names; nil tests no encryption.
  ///   - notifyURL: the URL for a notification `SECURITY_ECHO.SUCCESS`; nil requests none.
  package static func echo(
    _ message: String, encryptedMessage: String? = nil, notifyURL: String? = nil
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    var check = RequestCheck()
    check.text("echo_message", message, range: 1...256)
    if let notifyURL { check.notifyURL(notifyURL, bytesMax: 255) }
    if let problem = check.problem { throw problem }
    let body = JSONValue.members([
      ("echo_message", .string(message)), ("encrypted_echo_message", encryptedMessage.map { .string($0) }),
      ("notify_url", notifyURL.map { .string($0) }),
    ]).bytes
    return WeChatPayCall("POST", "/v3/security/echo", body: body) { value throws(JSONFieldError) in
      let fields = try JSONFields(value)
      return EchoAnswer(
        message: try fields.stated("echo_message"),
        encryptedMessage: try fields.stated("encrypted_echo_message", bytesMax: 2048))
    }
  }
}
