package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file of any size that is read from its start to its end, a piece at a time; closed when it is let go of.
package final class OpenedFile: Sendable {
  private let file: FileDescriptor

  /// Opens a file. Throws `fileNotFound` or `fileUnreadable` (no permission).
  package init(_ path: String) throws(CodedError<SystemErrorCode>) {
    file = try FileDescriptor.open(path, O_RDONLY, failure: .fileUnreadable)
  }

  deinit { file.close() }

  /// The next bytes, at most 64 KiB; none at the end. Throws `fileUnreadable`, also for a folder.
  package func next() throws(CodedError<SystemErrorCode>) -> [UInt8] { try file.readPiece(bytesMax: 65_536) }
}
