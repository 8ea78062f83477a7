package import PaymentPrimitives
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file of lines that only grows. What `append` has returned from survives a power cut; what it was writing when the
/// power went is not there after the next opening.
package final class AppendOnlyLog: Sendable {
  private struct State {
    var length: Int64
    var isBroken = false
  }

  private let file: FileDescriptor
  private let state: Mutex<State>

  /// Opens the log, makes it when there is none, and hands over its lines, without their ends.
  ///
  /// A last line without an end was never acknowledged: it is cut off. Throws `fileInUse` when another process, or
  /// another value of this one, has it open, and the errors of reading and writing.
  package static func open(
    _ path: String, bytesMax: Int
  ) throws(CodedError<SystemErrorCode>) -> (log: AppendOnlyLog, lines: [[UInt8]]) {
    let file = try FileDescriptor.open(path, O_RDWR | O_CREAT, failure: .fileUnwritable)
    do throws(CodedError<SystemErrorCode>) {
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        throw FileDescriptor.refusal(errno == EWOULDBLOCK ? .fileInUse : .fileUnwritable, path)
      }
      let bytes = try file.readAll(bytesMax: bytesMax)
      let whole = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      if whole < bytes.count {
        guard ftruncate(file.number, off_t(whole)) == 0 else {
          throw FileDescriptor.refusal(.fileUnwritable, path)
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
    // Said, not left to closing: a program that is just being started may still hold a copy of the descriptor.
    _ = flock(file.number, LOCK_UN)
    file.close()
  }

  /// Writes one line, which holds no line feed, and returns once it will survive. Blocks for as long as the disk takes.
  ///
  /// After an error the line may be in the log or not. Where that cannot be mended, all further calls throw
  /// `fileUnwritable`, until the log is opened again.
  package func append(_ line: [UInt8]) throws(CodedError<SystemErrorCode>) {
    precondition(!line.contains(0x0A), "a line of a log holds no line feed")
    try state.withLock { state throws(CodedError<SystemErrorCode>) in
      guard !state.isBroken else {
        throw CodedError(.fileUnwritable, "\(file.path) could not be written before; open it again.")
      }
      // Until the line is safe. After a failed fsync nobody knows what the disk holds, so that is never undone.
      state.isBroken = true
      do throws(CodedError<SystemErrorCode>) {
        guard lseek(file.number, off_t(state.length), SEEK_SET) >= 0 else {
          throw FileDescriptor.refusal(.fileUnwritable, file.path)
        }
        try file.writeAll(line + [0x0A])
      } catch {
        // The disk is full, most likely. The line goes, the log stays.
        state.isBroken = ftruncate(file.number, off_t(state.length)) != 0
        throw error
      }
      try file.synchronize()
      state.length += Int64(line.count) + 1
      state.isBroken = false
    }
  }
}
