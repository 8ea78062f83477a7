import HTTPMessages
import StrictJSON

/// What WeChat Pay signed, as it is kept: the header fields that sign it beside the very bytes that they sign.
enum WeChatPayEvidenceText {
  private static let signed = [
    "Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature", "Request-ID",
  ]

  /// The evidence as JSON text.
  ///
  /// - Parameters:
  ///   - about: the call that it answers; nil for a notification.
  ///   - content: what was encrypted in it: its key may be changed one day.
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
