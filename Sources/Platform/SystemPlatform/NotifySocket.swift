#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells the service manager about this process, by the protocol of `sd_notify(3)`.
package enum NotifySocket {
  /// Sends lines such as `READY=1` as one datagram. Nobody who listens is no error: the process runs without a manager
  /// then.
  ///
  /// - Parameter socket: the value of `NOTIFY_SOCKET`: a path, or `@` and a name without a file.
  /// - Returns: whether it was sent.
  @discardableResult
  package static func tell(_ text: String, at socket: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socket.utf8)
    if path.first == UInt8(ascii: "@") { path[0] = 0 }
    let length = path.count
    guard length > 1, length < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    #if canImport(Glibc)
      let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #elseif canImport(Musl)
      let descriptor = Musl.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
    #else
      let descriptor = Darwin.socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + length)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // A manager that does not read must not stop the server.
        sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, size) == bytes.count
      }
    }
  }
}
