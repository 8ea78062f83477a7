import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that says it is PostgreSQL 14.9, lets everybody in, and answers nothing else.
final class OldPostgreSQL: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let isClosed = Mutex(false)

  init() throws {
    port = try freePort()
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let (descriptor, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard isBound == 0, listen(descriptor, 8) == 0 else { throw ShopError("no port for an old server") }
    let thread = Thread {
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { return }
        Self.greet(client)
        close(client)
      }
    }
    thread.start()
  }

  func end() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    if !wasClosed {
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }
  }

  deinit { end() }

  /// Refuses encryption, then lets the client in and waits until it goes.
  private static func greet(_ client: Int32) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(client, &bytes, bytes.count, 0)
      guard count >= 8 else { return }
      // A request for TLS or GSSAPI is a length and a number of its own.
      let isForEncryption = count == 8 && bytes[4] == 0x04 && bytes[5] == 0xD2
      let answer = isForEncryption ? [UInt8(ascii: "N")] : Self.welcome
      guard send(client, answer, answer.count, flags) == answer.count else { return }
    }
  }

  /// A client that goes must not end this process.
  #if canImport(Glibc)
    private static let flags = Int32(MSG_NOSIGNAL)
  #else
    private static let flags: Int32 = 0
  #endif

  /// AuthenticationOk, the version, and ReadyForQuery.
  private static let welcome: [UInt8] =
    message("R", [0, 0, 0, 0]) + message("S", Array("server_version\u{0}14.9\u{0}".utf8))
    + message("S", Array("client_encoding\u{0}UTF8\u{0}".utf8)) + message("Z", [UInt8(ascii: "I")])

  private static func message(_ kind: String, _ body: [UInt8]) -> [UInt8] {
    Array(kind.utf8) + withUnsafeBytes(of: Int32(body.count + 4).bigEndian) { Array($0) } + body
  }
}
