import PaymentDatabase
import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The right to write a database file, held by one process at a time.
///
/// It is a lock of the kernel on a file beside the database, so it goes with the process, however that ends. The file
/// says who holds it. It stays when the lock is given up: two processes that each made their own could both believe
/// to hold it.
final class HolderLock {
  private let descriptor: Int32

  /// How much of a holder's words is read: a process id, a command and a date are far shorter.
  private static let bytesReadMax = 512

  /// Takes the lock for the database at a path.
  ///
  /// - Parameter holder: what this process runs, for whoever is refused.
  /// - Throws: `DatabaseErrorCode.heldByAnother` naming the holder; `unavailable` when the lock file cannot be made.
  init(databasePath: String, holder: String, now: Timestamp) throws(CodedError<DatabaseErrorCode>) {
    let descriptor = open(databasePath + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CodedError(.unavailable, "The lock file beside the database cannot be opened: \(Self.systemError()).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let refusal = CodedError<DatabaseErrorCode>(
        isHeld ? .heldByAnother : .unavailable,
        isHeld ? "It is held by \(Self.holder(descriptor))." : "It cannot be locked: \(Self.systemError()).")
      close(descriptor)
      throw refusal
    }
    self.descriptor = descriptor
    let text = "process \(getpid()), \(holder), since \(now.iso8601)\n"
    guard ftruncate(descriptor, 0) == 0, Self.write(text, to: descriptor) else {
      throw CodedError(.unavailable, "The lock file beside the database cannot be written: \(Self.systemError()).")
    }
  }

  /// The kernel gives the lock up with the descriptor.
  deinit { close(descriptor) }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
  }

  /// What the holder wrote of itself, without anything that a terminal would obey.
  private static func holder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: bytesReadMax)
    let count = pread(descriptor, &bytes, bytesReadMax, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let shown = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    return shown.isEmpty ? "a process that has not named itself yet" : String(String.UnicodeScalarView(shown))
  }

  static func systemError() -> String { String(cString: strerror(errno)) }
}
