import Foundation
import Synchronization
import TestPlatform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server on the loopback that follows a script for each connection, for behaviour that no real server has.
final class ScriptedServer: Sendable {
  /// The steps for the connections in their order. The last step applies to all further connections.
  enum Step: Sendable {
    /// Reads a request, sends these bytes and closes.
    case answer(String)
    /// Reads a request, sends these bytes and keeps the connection open without sending more.
    case answerAndStay(String)
    /// Reads a request and closes without an answer.
    case readAndClose
    /// Resets the connection without reading.
    case reset
    /// Answers one request, keeps the connection, reads the next and closes without an answer.
    case answerOnceThenClose(String)
  }

  let port: UInt16
  private let listener: Int32
  private let requests = Mutex<[String]>([])

  /// The heads of all received requests.
  var received: [String] { requests.withLock { $0 } }

  init(_ steps: [Step]) throws {
    listener = makeSocket()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in serve(steps) }
  }

  /// Ends the server and closes its open connections.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ steps: [Step]) {
    var kept: [Int32] = []
    var count = 0
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      let step = steps[min(count, steps.count - 1)]
      count += 1
      switch step {
      case .answer(let text):
        readHead(connection)
        write(text, to: connection)
        close(connection)
      case .answerAndStay(let text):
        readHead(connection)
        write(text, to: connection)
        kept.append(connection)
      case .readAndClose:
        readHead(connection)
        close(connection)
      case .reset:
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(connection)
      case .answerOnceThenClose(let text):
        readHead(connection)
        write(text, to: connection)
        readHead(connection)
        close(connection)
      }
    }
    for connection in kept { close(connection) }
    close(listener)
  }

  private func readHead(_ connection: Int32) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
    requests.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
  }

  private func write(_ text: String, to connection: Int32) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
