package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file of any size that is read from start to end in pieces. It is closed when no reference to it is left.
package final class OpenedFile: Sendable {
  private let file: FileDescriptor

  /// Opens a file. Throws `fileNotFound` or `fileUnreadable` (no permission).
  package init(_ path: String) throws(CodedError<SystemErrorCode>) {
    file = try FileDescriptor.open(path, O_RDONLY, failure: .fileUnreadable)
  }

  deinit { file.close() }

  /// The next bytes, at most 64 KiB; empty at the end. Throws `fileUnreadable`, also for a folder.
  package func next() throws(CodedError<SystemErrorCode>) -> [UInt8] { try file.readPiece(bytesMax: 65_536) }
}
