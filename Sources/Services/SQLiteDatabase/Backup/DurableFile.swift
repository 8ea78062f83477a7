import PaymentDatabase
import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that must be complete or absent after a power failure.
enum DurableFile {
  /// Creates an empty file that only its owner may read. SQLite then writes into it with the same mode.
  static func make(_ path: String) throws(CodedError<DatabaseErrorCode>) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    close(descriptor)
  }

  /// Copies the bytes of a file that no process writes into a new one.
  static func copy(_ path: String, to copy: String) throws(CodedError<DatabaseErrorCode>) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(path) }
    defer { close(source) }
    let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw failure(copy) }
    defer { close(target) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return }
      var written = 0
      while written < count {
        let more = buffer[written..<count].withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        guard more > 0 else { throw failure(copy) }
        written += more
      }
    }
  }

  /// Returns when the file is on the disk. `VACUUM INTO` does not wait for that.
  static func synchronize(_ path: String) throws(CodedError<DatabaseErrorCode>) {
    try synchronize(path, O_RDONLY)
  }

  static func synchronizeFolder(of path: String) throws(CodedError<DatabaseErrorCode>) {
    try synchronize(folder(of: path), O_RDONLY | O_DIRECTORY)
  }

  /// Gives a file its final name. Unlike a rename, this never replaces a file.
  static func move(_ path: String, to final: String) throws(CodedError<DatabaseErrorCode>) {
    guard link(path, final) == 0 else { throw failure(final) }
    unlink(path)
    try synchronizeFolder(of: final)
  }

  /// Removes a database file with what SQLite keeps beside it.
  static func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The size of a file in bytes; 0 if there is none.
  static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func synchronize(_ path: String, _ flags: Int32) throws(CodedError<DatabaseErrorCode>) {
    let descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> CodedError<DatabaseErrorCode> {
    CodedError(errno == ENOSPC ? .full : .unavailable, "\(path): \(DatabaseFileLock.systemError()).")
  }
}
