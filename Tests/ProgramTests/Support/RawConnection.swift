import Foundation
import StrictJSON

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server's answer to any bytes, even wrong ones, on a new connection.
struct RawAnswer: Sendable {
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

/// Sends these bytes and reads until the server closes; nil if it closes without an answer.
///
/// - Parameters:
///   - endsSending: whether the client signals the end of sending.
///   - isSlow: whether the client repeats the last byte slowly as long as the server reads.
func rawAnswer(
  port: UInt16, to bytes: [UInt8], endsSending: Bool = false, isSlow: Bool = false
) async -> RawAnswer? {
  await withCheckedContinuation { continuation in
    // On its own thread: Swift's pool has as many threads as cores.
    Thread.detachNewThread {
      continuation.resume(returning: exchange(port: port, bytes, endsSending, isSlow: isSlow))
    }
  }
}

func rawAnswer(
  port: UInt16, to text: String, endsSending: Bool = false, isSlow: Bool = false
) async -> RawAnswer? {
  await rawAnswer(port: port, to: Array(text.utf8), endsSending: endsSending, isSlow: isSlow)
}

private func exchange(
  port: UInt16, _ bytes: [UInt8], _ endsSending: Bool, isSlow: Bool
) -> RawAnswer? {
  guard let descriptor = connected(to: port) else { return nil }
  defer { close(descriptor) }
  var sent = 0
  while sent < bytes.count {
    let count = bytes[sent...].withUnsafeBytes {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    // A server that refuses the request may close before all is sent.
    guard count > 0 else { break }
    sent += count
  }
  if isSlow, let last = bytes.last { trickle(last, into: descriptor) }
  if endsSending { shutdown(descriptor, Int32(SHUT_WR)) }
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { break }
    all += buffer[..<count]
  }
  let text = String(decoding: all, as: UTF8.self)
  let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
  guard words.count >= 2, let status = Int(words[1]) else { return nil }
  return RawAnswer(status: status, text: text)
}

/// Sends a byte from time to time until the server has answered or closed.
private func trickle(_ byte: UInt8, into descriptor: Int32) {
  var byte = byte
  var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  while poll(&look, 1, 200) == 0 {
    guard send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 else { return }
  }
}

private func connected(to port: UInt16) -> Int32? {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  // A test that reaches it fails.
  var patience = timeval(tv_sec: 30, tv_usec: 0)
  let size = socklen_t(MemoryLayout<timeval>.size)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  if result == 0 { return descriptor }
  close(descriptor)
  return nil
}

/// A connection that stays open for several texts.
final class HeldConnection: Sendable {
  private let descriptor: Int32

  /// Throws if the server does not accept it.
  init(port: UInt16) throws {
    guard let descriptor = connected(to: port) else { throw POSIXError(.ECONNREFUSED) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a text, and reads the next bytes.
  func exchange(_ text: String) async -> String {
    let descriptor = descriptor
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        continuation.resume(returning: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
      }
    }
  }
}
