/// The texts that WeChat Pay and its merchants sign. Each line ends with one line feed, including the last one.
///
/// Source: API v3, "签名生成" and "签名验证". Every byte counts: a body is signed exactly as sent, never re-encoded.
package enum SignedText {
  /// The text that a merchant signs for a request.
  ///
  /// - Parameters:
  ///   - target: path and query exactly as sent, percent-encoded.
  ///   - timestamp: seconds since 1970.
  ///   - body: the sent bytes; empty for GET.
  package static func request(
    method: String, target: String, timestamp: Int64, nonce: String, body: [UInt8]
  ) -> [UInt8] {
    lines([method, target, "\(timestamp)", nonce]) + body + [0x0A]
  }

  /// The text that WeChat Pay signs for an answer or a notification.
  ///
  /// - Parameter timestamp: the unchanged text of the header, because its digits are part of the signed text.
  package static func answer(timestamp: String, nonce: String, body: [UInt8]) -> [UInt8] {
    lines([timestamp, nonce]) + body + [0x0A]
  }

  /// The text that a merchant signs for the client that opens the cashier.
  ///
  /// - Parameter subject: for an app the bare `prepay_id`, for JSAPI the whole `prepay_id=…`. This is the only
  ///   difference.
  package static func client(appId: String, timestamp: Int64, nonce: String, subject: String) -> [UInt8] {
    lines([appId, "\(timestamp)", nonce, subject])
  }

  private static func lines(_ lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0x0A] } }
}
