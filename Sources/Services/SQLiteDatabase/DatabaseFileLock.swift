import PaymentDatabase
import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exclusive permission to write a database file, held by one process at a time.
///
/// It is a kernel lock on a file beside the database, so it ends with the process, however the process ends. The file
/// names the process. The file stays when the lock is released: otherwise two processes with a file each could both
/// seem to hold the lock.
final class DatabaseFileLock {
  private let descriptor: Int32

  /// How many bytes of the holder's text are read: a process id, a command and a date are far shorter.
  private static let bytesReadMax = 512

  /// Takes the lock for the database at a path.
  ///
  /// - Parameter holder: the command that this process runs, for the error of a second process.
  /// - Throws: `DatabaseErrorCode.heldByAnother` with the holder; `unavailable` if the lock file cannot be created.
  init(databasePath: String, holder: String, now: Timestamp) throws(CodedError<DatabaseErrorCode>) {
    let descriptor = open(databasePath + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CodedError(.unavailable, "The lock file beside the database cannot be opened: \(Self.systemError()).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let error = CodedError<DatabaseErrorCode>(
        isHeld ? .heldByAnother : .unavailable,
        isHeld ? "It is held by \(Self.holder(descriptor))." : "It cannot be locked: \(Self.systemError()).")
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    let text = "process \(getpid()), \(holder), since \(now.iso8601)\n"
    guard ftruncate(descriptor, 0) == 0, Self.write(text, to: descriptor) else {
      throw CodedError(.unavailable, "The lock file beside the database cannot be written: \(Self.systemError()).")
    }
  }

  deinit {
    // Unlocks explicitly instead of by closing: a program that is just being started may still hold a copy of the
    // descriptor.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
  }

  /// The holder's description of itself, without terminal control characters.
  private static func holder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: bytesReadMax)
    let count = pread(descriptor, &bytes, bytesReadMax, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let shown = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    return shown.isEmpty ? "a process that has not named itself yet" : String(String.UnicodeScalarView(shown))
  }

  static func systemError() -> String { String(cString: strerror(errno)) }
}
