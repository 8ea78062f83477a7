import Foundation
import StrictJSON
import TestPlatform

/// A server's answer to any bytes, even wrong ones, on a new connection.
struct RawReply: Sendable {
  let status: Int
  let text: String

  /// The stable code of an error.
  var code: String? {
    guard let start = text.range(of: "\r\n\r\n") else { return nil }
    return (try? JSONReader.read(text[start.upperBound...].utf8))?["code"]?.string
  }

  /// The number of answers in the received text.
  var count: Int { text.components(separatedBy: "HTTP/1.1 ").count - 1 }
}

/// Sends this text and reads until the server closes; nil if it closes without an answer.
///
/// - Parameters:
///   - endsSending: whether the client signals the end of sending.
///   - isSlow: whether the client repeats the last byte slowly as long as the server reads.
func rawReply(port: UInt16, to text: String, endsSending: Bool = false, isSlow: Bool = false) async -> RawReply? {
  guard let connection = try? await RawConnection(port: port) else { return nil }
  // A server that refuses the request may close before all is sent.
  await connection.send(text)
  if isSlow, let last = text.utf8.last { await connection.repeatUntilAnswered(last) }
  if endsSending { connection.endSending() }
  let received = String(decoding: await connection.receiveAll(), as: UTF8.self)
  let words = received.prefix { $0 != "\r\n" }.split(separator: " ")
  guard words.count >= 2, let status = Int(words[1]) else { return nil }
  return RawReply(status: status, text: received)
}

extension RawConnection {
  /// Sends a text, and reads the next bytes.
  func exchange(_ text: String) async -> String {
    await send(text)
    return String(decoding: await receive() ?? [], as: UTF8.self)
  }
}
