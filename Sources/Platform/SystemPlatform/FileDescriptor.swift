import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file. The opener closes it.
struct FileDescriptor: Sendable {
  let number: Int32
  let path: String

  /// Opens a file. Programs that this one starts do not inherit the descriptor.
  static func open(
    _ path: String, _ flags: Int32, mode: UInt16 = 0o600, failure: SystemErrorCode
  ) throws(CodedError<SystemErrorCode>) -> FileDescriptor {
    #if canImport(Glibc)
      let number = Glibc.open(path, flags | O_CLOEXEC, mode_t(mode))
    #elseif canImport(Musl)
      let number = Musl.open(path, flags | O_CLOEXEC, mode_t(mode))
    #else
      let number = Darwin.open(path, flags | O_CLOEXEC, mode_t(mode))
    #endif
    guard number >= 0 else {
      throw systemError(errno == ENOENT && failure == .fileUnreadable ? .fileNotFound : failure, path)
    }
    return FileDescriptor(number: number, path: path)
  }

  /// An error with the system's own message.
  static func systemError(_ code: SystemErrorCode, _ path: String) -> CodedError<SystemErrorCode> {
    let reason = String(cString: strerror(errno))
    return CodedError(code, "\(path): \(reason).")
  }

  func close() {
    #if canImport(Glibc)
      _ = Glibc.close(number)
    #elseif canImport(Musl)
      _ = Musl.close(number)
    #else
      _ = Darwin.close(number)
    #endif
  }

  func readAll(bytesMax: Int) throws(CodedError<SystemErrorCode>) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.systemError(.fileUnreadable, path) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= bytesMax else {
        throw CodedError(.fileTooLarge, "\(path) holds more than \(bytesMax) bytes.")
      }
      bytes += buffer[..<count]
    }
  }

  /// The bytes that can be read at once; empty at the end.
  func readPiece(bytesMax: Int) throws(CodedError<SystemErrorCode>) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: bytesMax)
    while true {
      let count = read(number, &buffer, bytesMax)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.systemError(.fileUnreadable, path) }
      return Array(buffer[..<count])
    }
  }

  func writeAll(_ bytes: [UInt8]) throws(CodedError<SystemErrorCode>) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.systemError(.fileUnwritable, path) }
      written += count
    }
  }

  /// Returns once a power failure cannot undo the writes.
  func synchronize() throws(CodedError<SystemErrorCode>) {
    #if canImport(Darwin)
      // On Darwin, fsync alone leaves the bytes in the drive's cache.
      let result = fcntl(number, F_FULLFSYNC)
    #else
      let result = fsync(number)
    #endif
    guard result == 0 else { throw Self.systemError(.fileUnwritable, path) }
  }

  /// The same without the times of the file: what a database waits for.
  func synchronizeData() throws(CodedError<SystemErrorCode>) {
    #if canImport(Darwin)
      try synchronize()
    #else
      guard fdatasync(number) == 0 else { throw Self.systemError(.fileUnwritable, path) }
    #endif
  }
}
