import Cryptography
import PaymentPrimitives

/// The folder where backups are kept: each backup is a folder in it, named by its time.
struct BackupFolder: Sendable {
  private static let prefix = "counterfoil-"
  private static let unfinishedPrefix = ".unfinished-"
  /// An unfinished backup that is older was left behind by a process that ended. A backup of 5 GB takes a minute.
  private static let unfinishedFor = TimeSpan.hours(1)

  let path: String
  let platform: Platform

  /// The name of a backup, which sorts by time.
  private static func name(at moment: Timestamp) -> String {
    prefix + moment.iso8601.filter { $0.isLetter || $0.isNumber }
  }

  func final(at moment: Timestamp) -> String { path + "/" + Self.name(at: moment) }

  func unfinished(at moment: Timestamp) -> String { path + "/" + Self.unfinishedPrefix + Self.name(at: moment) }

  /// The complete backups, oldest first.
  func backups() throws -> [(path: String, manifest: BackupManifest)] {
    try platform.files.names(path).filter { $0.hasPrefix(Self.prefix) }.sorted().compactMap { name in
      let backup = path + "/" + name
      return try Self.manifest(of: backup, platform).map { (backup, $0) }
    }
  }

  /// The manifest of a backup; nil if the folder is none.
  static func manifest(of backup: String, _ platform: Platform) throws -> BackupManifest? {
    try platform.files.read(backup + "/" + BackupManifest.file, BackupManifest.bytesMax).flatMap { BackupManifest($0) }
  }

  /// Removes what ended processes left behind.
  func removeUnfinished(at now: Timestamp) throws {
    let limit = Self.unfinishedPrefix + Self.name(at: now - Self.unfinishedFor)
    for name in try platform.files.names(path) where name.hasPrefix(Self.unfinishedPrefix) && name < limit {
      try platform.folders.remove(path + "/" + name)
    }
  }

  /// Removes the oldest backups, so that this many stay.
  ///
  /// - Returns: how many were removed.
  func removeAllBut(_ count: Int) throws -> Int {
    let old = try backups().dropLast(max(1, count))
    for backup in old { try platform.folders.remove(backup.path) }
    return old.count
  }

  /// The SHA-256 of a file, in hexadecimal, and its size. Gigabytes take seconds, so it lets others work meanwhile.
  static func digest(of file: String, _ platform: Platform) async throws -> (sha256: String, bytes: Int64) {
    guard let pieces = try platform.files.open(file) else { throw CommandFailure("there is no file \(file).") }
    let digest = RunningDigest(.sha256)
    var bytes: Int64 = 0
    while true {
      let piece = try pieces.next()
      guard !piece.isEmpty else { break }
      digest.add(piece)
      bytes += Int64(piece.count)
      await Task.yield()
    }
    return (digest.finish().hexadecimal, bytes)
  }
}
