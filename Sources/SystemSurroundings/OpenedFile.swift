public import PaymentVocabulary

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file of any size that is read from its start to its end, a piece at a time; closed when it is let go of.
public final class OpenedFile: Sendable {
  private let file: FileDescriptor

  /// Opens a file. Throws `fileNotFound` or `fileUnreadable` (no permission).
  public init(_ path: String) throws(Refusal<SystemErrorCode>) {
    file = try FileDescriptor.open(path, O_RDONLY, failure: .fileUnreadable)
  }

  deinit { file.close() }

  /// The next bytes, at most 64 KiB; none at the end. Throws `fileUnreadable`, also for a folder.
  public func next() throws(Refusal<SystemErrorCode>) -> [UInt8] { try file.readPiece(bytesMax: 65_536) }
}
