package import PaymentPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads and writes complete files. Every call blocks its thread for as long as the disk takes.
package enum Files {
  /// The bytes of a file. Throws if the file is larger than the limit, whatever its stated size.
  ///
  /// Throws `fileNotFound`, `fileUnreadable` (a folder, no permission) or `fileTooLarge`.
  package static func read(
    _ path: String, bytesMax: Int
  ) throws(CodedError<SystemErrorCode>) -> [UInt8] {
    let file = try FileDescriptor.open(path, O_RDONLY, failure: .fileUnreadable)
    defer { file.close() }
    return try file.readAll(bytesMax: bytesMax)
  }

  /// Whether users other than the owner and its group can read a file: by its own permissions and those of every folder
  /// above. Further rights that an access control list gives are not seen.
  package static func isReadableByOthers(_ path: String) -> Bool {
    guard let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    var place = String(cString: resolved)
    guard permits(place, S_IROTH) else { return false }
    while place != "/" {
      place = folder(of: place)
      guard permits(place, S_IXOTH) else { return false }
    }
    return true
  }

  private static func permits(_ path: String, _ right: mode_t) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & right != 0
  }

  /// Replaces the content of a file. After a power failure the file has either the old bytes or the new ones, complete.
  ///
  /// Only the owner can read the file, unless `mode` says otherwise. Throws `fileUnwritable`.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt16 = 0o600
  ) throws(CodedError<SystemErrorCode>) {
    // A unique name, so that two writers never write into one file. An attacker cannot place a link under that name in
    // advance.
    let suffix = SystemRandomness.bytes(8).map { String($0, radix: 16) }.joined()
    let temporary = "\(path).\(suffix).new"
    let file = try FileDescriptor.open(
      temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode, failure: .fileUnwritable)
    do throws(CodedError<SystemErrorCode>) {
      defer { file.close() }
      try file.writeAll(bytes)
      try file.synchronize()
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let error = FileDescriptor.systemError(.fileUnwritable, path)
      unlink(temporary)
      throw error
    }
    try synchronizeFolder(of: path)
  }

  /// Removes a file so that it stays removed after a power failure; does nothing if there is none.
  package static func remove(_ path: String) throws(CodedError<SystemErrorCode>) {
    guard unlink(path) != 0 else { return try synchronizeFolder(of: path) }
    guard errno == ENOENT else { throw FileDescriptor.systemError(.fileUnwritable, path) }
  }

  /// Creates a folder that only its owner may open, and its parent folders; does nothing if it exists.
  package static func makeFolder(_ path: String) throws(CodedError<SystemErrorCode>) {
    if mkdir(path, 0o700) == 0 { return try synchronizeFolder(of: path) }
    switch errno {
    case EEXIST:
      guard (try? FileDescriptor.open(path, O_RDONLY | O_DIRECTORY, failure: .fileUnwritable))?.close() != nil
      else { throw CodedError(.fileUnwritable, "\(path) is not a folder.") }
    case ENOENT where folder(of: path) != path:
      try makeFolder(folder(of: path))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw FileDescriptor.systemError(.fileUnwritable, path)
      }
      try synchronizeFolder(of: path)
    default: throw FileDescriptor.systemError(.fileUnwritable, path)
    }
  }

  /// The names in a folder, sorted, without `.` and `..`.
  package static func names(in path: String) throws(CodedError<SystemErrorCode>) -> [String] {
    guard let folder = opendir(path) else {
      throw FileDescriptor.systemError(errno == ENOENT ? .fileNotFound : .fileUnreadable, path)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func synchronizeFolder(of path: String) throws(CodedError<SystemErrorCode>) {
    try synchronize(folder(of: path), isFolder: true)
  }

  static func synchronize(_ path: String, isFolder: Bool) throws(CodedError<SystemErrorCode>) {
    let descriptor = try FileDescriptor.open(
      path, isFolder ? O_RDONLY | O_DIRECTORY : O_RDONLY, failure: .fileUnwritable)
    defer { descriptor.close() }
    try descriptor.synchronize()
  }

  private static func folder(of path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.isEmpty else { return "/" }
    parts.removeLast()
    if path.hasPrefix("/") { return "/" + parts.joined(separator: "/") }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }
}
