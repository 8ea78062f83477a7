/// The texts that WeChat Pay and its merchants sign: lines that each end in one line feed, the last one too.
///
/// Source: API v3, "签名生成" and "签名验证". Every byte counts: a body is signed as it is sent, never as it would be
/// written again.
package enum SignedText {
  /// What a merchant signs of a request.
  ///
  /// - Parameters:
  ///   - target: path and query exactly as they go over the wire, percent-encoded.
  ///   - timestamp: seconds since 1970.
  ///   - body: the bytes that are sent; empty for GET.
  package static func request(
    method: String, target: String, timestamp: Int64, nonce: String, body: [UInt8]
  ) -> [UInt8] {
    lines([method, target, "\(timestamp)", nonce]) + body + [0x0A]
  }

  /// What WeChat Pay signs of an answer or a notification.
  ///
  /// - Parameter timestamp: the header's own text, whose digits are part of what is signed.
  package static func answer(timestamp: String, nonce: String, body: [UInt8]) -> [UInt8] {
    lines([timestamp, nonce]) + body + [0x0A]
  }

  /// What a merchant signs for the client that opens the cashier.
  ///
  /// - Parameter subject: for an app the bare `prepay_id`, for JSAPI the whole `prepay_id=…`: their only difference.
  package static func client(appId: String, timestamp: Int64, nonce: String, subject: String) -> [UInt8] {
    lines([appId, "\(timestamp)", nonce, subject])
  }

  private static func lines(_ lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0x0A] } }
}
