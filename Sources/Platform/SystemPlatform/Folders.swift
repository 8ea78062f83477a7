package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Folders of files that belong together, and the room on their disk.
package enum Folders {
  /// Gives a folder its final name. The content is durable before its name is. Throws `fileUnwritable` if there is
  /// something of that name.
  package static func move(_ path: String, to final: String) throws(CodedError<SystemErrorCode>) {
    guard access(final, F_OK) != 0 else { throw CodedError(.fileUnwritable, "\(final) exists already.") }
    try Files.synchronize(path, isFolder: true)
    // The system refuses to replace a folder that is not empty.
    guard rename(path, final) == 0 else { throw FileDescriptor.systemError(.fileUnwritable, final) }
    try Files.synchronizeFolder(of: final)
  }

  /// Removes a folder with the files in it; does nothing if there is none. Folders in it are not removed, and are an
  /// error.
  package static func remove(_ path: String) throws(CodedError<SystemErrorCode>) {
    let names: [String]
    do throws(CodedError<SystemErrorCode>) { names = try Files.names(in: path) } catch {
      guard error.code == .fileNotFound else { throw error }
      return
    }
    for name in names { try Files.remove(path + "/" + name) }
    guard rmdir(path) == 0 else { throw FileDescriptor.systemError(.fileUnwritable, path) }
    try Files.synchronizeFolder(of: path)
  }

  /// Bytes that this user may still write to the disk of a folder.
  package static func freeBytes(of path: String) throws(CodedError<SystemErrorCode>) -> Int64 {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw FileDescriptor.systemError(.fileUnreadable, path) }
    let (bytes, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int64(clamping: status.f_frsize))
    return overflow ? .max : bytes
  }

  /// Bytes of a file; nil if there is none.
  package static func size(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }
}
