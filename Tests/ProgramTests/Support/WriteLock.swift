import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether a process has a batch of writes open, according to the kernel.
///
/// In WAL mode SQLite's writer holds a lock on one byte of the `-shm` file from `BEGIN IMMEDIATE` until its COMMIT or
/// ROLLBACK is done (byte 120, `WAL_WRITE_LOCK`; "The WAL-Index File Format" in SQLite's documentation). The server has
/// one writer, which opens a transaction for a batch and for nothing else. So while the process is stopped, that lock
/// shows whether a batch is between its BEGIN and the end of its COMMIT.
enum WriteLock {
  private static let byte = off_t(120)

  static func isHeld(by process: pid_t, database: String) -> Bool {
    let descriptor = open(database + "-shm", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = byte
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return false }
    return lock.l_type != Int16(F_UNLCK) && lock.l_pid == process
  }
}
