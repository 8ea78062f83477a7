package import PaymentPrimitives
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file of lines that only grows. A line survives a power failure once `append` has returned. A line that was being
/// written at that moment is gone after the next opening.
package final class AppendOnlyLog: Sendable {
  private struct State {
    var length: Int64
    var isBroken = false
  }

  private let file: FileDescriptor
  private let state: Mutex<State>

  /// Opens the log, creates it if there is none, and passes on its lines without their ends.
  ///
  /// A last line without an end was never acknowledged, so it is cut off. Throws `fileInUse` if another process, or
  /// another value of this one, has it open. Also throws the errors of reading and writing.
  package static func open(
    _ path: String, bytesMax: Int
  ) throws(CodedError<SystemErrorCode>) -> (log: AppendOnlyLog, lines: [[UInt8]]) {
    let file = try FileDescriptor.open(path, O_RDWR | O_CREAT, failure: .fileUnwritable)
    do throws(CodedError<SystemErrorCode>) {
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        throw FileDescriptor.systemError(errno == EWOULDBLOCK ? .fileInUse : .fileUnwritable, path)
      }
      let bytes = try file.readAll(bytesMax: bytesMax)
      let whole = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      if whole < bytes.count {
        guard ftruncate(file.number, off_t(whole)) == 0 else {
          throw FileDescriptor.systemError(.fileUnwritable, path)
        }
        try file.synchronize()
      }
      let lines = bytes[..<whole].split(separator: 0x0A, omittingEmptySubsequences: false)
        .dropLast().map { Array($0) }
      return (AppendOnlyLog(file, length: Int64(whole)), lines)
    } catch {
      file.close()
      throw error
    }
  }

  private init(_ file: FileDescriptor, length: Int64) {
    self.file = file
    state = Mutex(State(length: length))
  }

  deinit {
    // Unlocks explicitly instead of by closing: a program that is just being started may still hold a copy of the
    // descriptor.
    _ = flock(file.number, LOCK_UN)
    file.close()
  }

  /// Writes one line, which contains no line feed, and returns once it is durable. Blocks for as long as the disk
  /// takes.
  ///
  /// After an error the line may be in the log or not. If the log cannot be restored, all further calls throw
  /// `fileUnwritable`, until the log is opened again.
  package func append(_ line: [UInt8]) throws(CodedError<SystemErrorCode>) {
    precondition(!line.contains(0x0A), "a line of a log holds no line feed")
    try state.withLock { state throws(CodedError<SystemErrorCode>) in
      guard !state.isBroken else {
        throw CodedError(.fileUnwritable, "\(file.path) could not be written before; open it again.")
      }
      // Set until the line is durable. After a failed fsync the content of the disk is unknown, so the flag then stays
      // set.
      state.isBroken = true
      do throws(CodedError<SystemErrorCode>) {
        guard lseek(file.number, off_t(state.length), SEEK_SET) >= 0 else {
          throw FileDescriptor.systemError(.fileUnwritable, file.path)
        }
        try file.writeAll(line + [0x0A])
      } catch {
        // Most likely the disk is full. The line is removed, the log stays usable.
        state.isBroken = ftruncate(file.number, off_t(state.length)) != 0
        throw error
      }
      try file.synchronize()
      state.length += Int64(line.count) + 1
      state.isBroken = false
    }
  }
}
