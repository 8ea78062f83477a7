import HTTPMessages
import PaymentEngine
import StrictJSON

/// The stored form of signed WeChat Pay data: the signature's header fields and the exact signed bytes.
enum WeChatPayEvidenceText {
  private static let signed = [
    "Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature", "Request-ID",
  ]

  /// The evidence as JSON text.
  ///
  /// - Parameters:
  ///   - about: the call that it answers; nil for a notification.
  ///   - content: the decrypted content, stored because the key may change later.
  static func of(
    _ fields: HTTPFields, _ body: [UInt8], about: String? = nil, content: [UInt8]? = nil
  ) -> String {
    JSONValue.members([
      ("about", about.map(JSONValue.string)),
      ("headers", .members(signed.map { name in (name, fields[name].map { .string(String($0.prefix(4096))) }) })),
      ("body", .string(String(decoding: body, as: UTF8.self))),
      ("content", content.map { .string(String(decoding: $0, as: UTF8.self)) }),
    ]).text
  }
}
