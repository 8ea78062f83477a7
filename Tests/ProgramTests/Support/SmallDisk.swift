import Foundation
import TestSubprocess

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A disk in memory of a fixed size, which goes with this value. Only root can make one.
final class SmallDisk: Sendable {
  static let isPossible: Bool = {
    guard getuid() == 0, let disk = try? SmallDisk() else { return false }
    _ = disk
    return true
  }()

  let folder: String

  init(megabytes: Int = 32) throws {
    folder = NSTemporaryDirectory() + "counterfoil-small-disk-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let mount = try OtherProgram(
      "/usr/bin/env", ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0777", "none", folder])
    guard mount.end() == 0 else { throw ShopError(mount.errors) }
  }

  deinit {
    // The server may still have files open: then the folder goes later.
    _ = try? OtherProgram("/usr/bin/env", ["umount", "-l", folder]).end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A folder on it for the tables of a PostgreSQL server.
  func tableFolder() throws -> String {
    let place = folder + "/tables"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try OtherProgram.run("/usr/bin/env", ["chown", "nobody", place])
    return place
  }

  /// Takes all room that is left, or gives it back.
  func fill(_ isFull: Bool) throws {
    let file = folder + "/filling"
    guard isFull else { return try FileManager.default.removeItem(atPath: file) }
    _ = try OtherProgram("/bin/sh", ["-c", "cat /dev/zero > '\(file)'"]).end()
  }
}
