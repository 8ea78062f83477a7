import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A TCP client that sends any bytes, even wrong ones, and reads the answer.
package final class RawConnection: Sendable {
  private let descriptor: Int32
  /// The longest time, in seconds, that a call waits. A test that reaches it fails.
  private static let patience = 120

  /// - Parameter own: the local address to connect from; all of 127.0.0.0/8 is local.
  package init(port: UInt16, from own: String = "127.0.0.1") async throws {
    descriptor = await blocking { Self.connect(port, from: own) }
    guard descriptor >= 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  private static func address(_ text: String, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(text)
    return address
  }

  private static func connect(_ port: UInt16, from own: String) -> Int32 {
    let descriptor = makeSocket()
    if own != "127.0.0.1" {
      var source = address(own, 0)
      _ = withUnsafePointer(to: &source) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc_bind(descriptor, $0, length: socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = address("127.0.0.1", port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc_connect(descriptor, $0, length: socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return -1
  }

  /// Sends all bytes; false if the other side does not accept them.
  @discardableResult
  package func send(_ bytes: [UInt8]) async -> Bool {
    let descriptor = self.descriptor
    return await blocking {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc_send(descriptor, $0.baseAddress, count: $0.count, flags: Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }

  @discardableResult
  package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  /// The next bytes; empty at the end of the connection, nil after a reset or a timeout.
  package func receive() async -> [UInt8]? {
    let descriptor = self.descriptor
    return await blocking {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return count < 0 ? nil : Array(buffer.prefix(count))
    }
  }

  /// Sends a byte from time to time until the server has answered or closed.
  package func repeatUntilAnswered(_ byte: UInt8) async {
    let descriptor = self.descriptor
    await blocking {
      var byte = byte
      var arrival = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&arrival, 1, 200) == 0 {
        guard Glibc_send(descriptor, &byte, count: 1, flags: Int32(MSG_NOSIGNAL)) == 1 else { return }
      }
    }
  }

  /// All bytes until the connection ends, in whatever way.
  package func receiveAll() async -> [UInt8] {
    var all: [UInt8] = []
    while let more = await receive(), !more.isEmpty { all += more }
    return all
  }

  /// All bytes until the other side closes; nil after a reset or a timeout.
  package func receiveUntilClosed() async -> [UInt8]? {
    var all: [UInt8] = []
    while true {
      guard let more = await receive() else { return nil }
      if more.isEmpty { return all }
      all += more
    }
  }

  /// Reads that many answers from a connection that may stay open; fewer if it ends.
  package func receiveAnswers(_ count: Int, toHEAD: Bool = false) async -> [RawAnswer] {
    var all: [UInt8] = []
    while true {
      let found = RawAnswer.all(in: all, toHEAD: toHEAD)
      if found.count >= count { return found }
      guard let more = await receive(), !more.isEmpty else { return found }
      all += more
    }
  }

  /// Signals the end of sending.
  package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends both directions; a waiting call returns.
  package func abandon() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// After this call, the end of this value resets the connection.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}

/// A socket that child processes do not inherit: a copy there would keep the connection open.
package func makeSocket() -> Int32 {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  return descriptor
}

// C functions with names that the methods above hide.
private func Glibc_connect(
  _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, length: socklen_t
) -> Int32 { connect(descriptor, address, length) }

private func Glibc_bind(
  _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, length: socklen_t
) -> Int32 { bind(descriptor, address, length) }

private func Glibc_send(
  _ descriptor: Int32, _ bytes: UnsafeRawPointer?, count: Int, flags: Int32
) -> Int { send(descriptor, bytes, count, flags) }

/// An answer as a raw client reads it.
package struct RawAnswer: Equatable {
  package let status: Int
  package let fields: [String]
  package let body: String

  package func field(_ name: String) -> String? {
    let start = name.lowercased() + ": "
    return fields.first { $0.lowercased().hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  /// The complete answers at the beginning of these bytes.
  package static func all(in bytes: [UInt8], toHEAD: Bool = false) -> [RawAnswer] {
    var rest = bytes[...]
    var found: [RawAnswer] = []
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        .components(separatedBy: "\r\n")
      let words = lines[0].split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { break }
      let answer = RawAnswer(status: status, fields: Array(lines.dropFirst()), body: "")
      let length = toHEAD ? 0 : answer.field("Content-Length").flatMap { Int($0) } ?? 0
      let body = rest[end.upperBound...].prefix(length)
      guard body.count == length else { break }
      rest = rest[(end.upperBound + length)...]
      found.append(
        RawAnswer(
          status: status, fields: answer.fields, body: String(decoding: body, as: UTF8.self)))
    }
    return found
  }
}
