package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A listening socket that another process opened for this one.
package struct InheritedSocket: Hashable, Sendable {
  package let descriptor: Int32
  /// The IP address that it is bound to.
  package let address: String
  package let port: UInt16
}

/// The sockets that a service manager passes to this process, by the protocol of `sd_listen_fds(3)`.
package enum InheritedSockets {
  /// The number of the first socket; the others follow.
  private static let first: Int32 = 3
  /// A server has few listeners; more is an error of the unit.
  private static let countMax: Int32 = 16

  /// The sockets by their names; empty if the manager passed none to this very process.
  ///
  /// The programs that this process starts do not inherit them.
  ///
  /// - Parameters:
  ///   - names: the names that the program knows. Another name is an error: its clients would wait for ever.
  ///   - environment: the values of `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
  /// - Throws: `inheritedSocketUnusable`, if a socket does not listen for TCP, or its name is unknown or doubled.
  package static func received(
    named names: Set<String>, process: Int = SystemProcess.identifier,
    environment: (String) -> String? = SystemProcess.environment
  ) throws(CodedError<SystemErrorCode>) -> [String: InheritedSocket] {
    guard let owner = environment("LISTEN_PID"), Int(owner) == process, let text = environment("LISTEN_FDS") else {
      return [:]
    }
    guard let count = Int32(text), (0...countMax).contains(count) else {
      throw CodedError(.inheritedSocketUnusable, "LISTEN_FDS is \(text), not a number from 0 to \(countMax).")
    }
    let given = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    var found: [String: InheritedSocket] = [:]
    for index in 0..<count {
      let name = given.count == Int(count) ? String(given[Int(index)]) : ""
      guard names.contains(name), found[name] == nil else {
        throw CodedError(
          .inheritedSocketUnusable,
          "Socket \(index + 1) has the name \"\(name.prefix(64))\"."
            + " Each of these names may be used once: \(names.sorted().joined(separator: ", ")).")
      }
      found[name] = try socket(first + index, name: name)
    }
    return found
  }

  private static func socket(_ descriptor: Int32, name: String) throws(CodedError<SystemErrorCode>) -> InheritedSocket {
    guard option(SO_TYPE, of: descriptor) == stream, option(SO_ACCEPTCONN, of: descriptor) == 1 else {
      throw CodedError(.inheritedSocketUnusable, "\(name): it is not a stream socket that listens.")
    }
    guard let (address, port) = address(of: descriptor) else {
      throw CodedError(.inheritedSocketUnusable, "\(name): it has no address of IPv4 or IPv6.")
    }
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw CodedError(.inheritedSocketUnusable, "\(name): it cannot be kept from other programs.")
    }
    return InheritedSocket(descriptor: descriptor, address: address, port: port)
  }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
  }

  private static func address(of descriptor: Int32) -> (String, UInt16)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
    }
    guard isKnown else { return nil }
    return withUnsafePointer(to: storage) { pointer -> (String, UInt16)? in
      switch Int32(storage.ss_family) {
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          var host = address.pointee.sin_addr
          return text(AF_INET, &host).map { ($0, UInt16(bigEndian: address.pointee.sin_port)) }
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          var host = address.pointee.sin6_addr
          return text(AF_INET6, &host).map { ($0, UInt16(bigEndian: address.pointee.sin6_port)) }
        }
      default: return nil
      }
    }
  }

  private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } }
  }
}
