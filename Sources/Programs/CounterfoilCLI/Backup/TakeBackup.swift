import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import SQLiteDatabase
import StrictJSON

/// Takes a backup of a database, also beside the server that writes it, and verifies it.
struct TakeBackup: Sendable {
  let database: String
  let profile: DatabaseProfile
  let folder: BackupFolder
  /// How many backups stay; nil keeps all.
  let keep: Int?
  let platform: Platform

  /// The log beside the database may grow to this size while the copy is made.
  private static let logBytesMax: Int64 = 8 << 30

  /// What was done.
  struct Done: Sendable {
    let path: String
    let manifest: BackupManifest
    /// Older backups that were removed.
    let removed: Int
  }

  /// Copies, checks every page, counts, audits, writes the manifest, and only then gives the folder its name. Whatever
  /// stops it in between leaves nothing that looks like a backup.
  ///
  /// - Throws: `CommandFailure` or an error with a code. Nothing was kept then.
  func run() async throws -> Done {
    let takenAt = platform.dependencies.now()
    try platform.files.makeFolder(folder.path)
    try folder.removeUnfinished(at: takenAt)
    try requireRoom()
    let unfinished = folder.unfinished(at: takenAt)
    try platform.files.makeFolder(unfinished)
    do {
      let manifest = try await write(into: unfinished, at: takenAt)
      let final = folder.final(at: takenAt)
      try platform.folders.move(unfinished, final)
      // A backup that is empty or in which something is wrong must not push out the good ones.
      let replaces = manifest.isWhole && !manifest.isEmpty
      let removed = replaces ? try keep.map { try folder.removeAllBut($0) } ?? 0 : 0
      return Done(path: final, manifest: manifest, removed: removed)
    } catch {
      try? platform.folders.remove(unfinished)
      throw error
    }
  }

  private func write(into unfinished: String, at takenAt: Timestamp) async throws -> BackupManifest {
    let copier = DatabaseCopier(on: ThreadExecutor(), now: platform.dependencies.now)
    let copy = unfinished + "/" + BackupManifest.database
    try await copier.copy(database, profile: profile, into: copy, logBytesMax: Self.logBytesMax)
    let contents = try await copier.examine(copy)
    let digest = try await BackupFolder.digest(of: copy, platform)
    let (report, log) = try await Self.reading(copy, platform) { reader in
      (
        try await PaymentAudit(atRest: false).run(on: reader),
        try await reader.read { try AuditLogVerification(of: $0) }
      )
    }
    let manifest = BackupManifest(
      program: Version.text, takenAt: takenAt, contents: contents, bytes: digest.bytes, sha256: digest.sha256,
      violations: report.violations.count, auditLogHead: log.head, auditLogBrokenAt: log.broken?.number)
    try platform.files.replace(unfinished + "/" + BackupManifest.file, Array((manifest.json.text + "\n").utf8))
    return manifest
  }

  /// Audits a file that no process writes.
  static func audit(_ file: String, _ platform: Platform) async throws -> AuditReport {
    try await reading(file, platform) { try await PaymentAudit(atRest: false).run(on: $0) }
  }

  private static func reading<Result: Sendable>(
    _ file: String, _ platform: Platform, _ body: (SQLiteReader) async throws -> Result
  ) async throws -> Result {
    let reader = try await SQLiteReader.open(
      path: file, profile: nil, on: ThreadExecutor(), now: platform.dependencies.now)
    do {
      let result = try await body(reader)
      await reader.close()
      return result
    } catch {
      await reader.close()
      throw error
    }
  }

  /// Refuses early on a disk that would be full before the end.
  private func requireRoom() throws {
    let size = (platform.folders.size(database) ?? 0) + (platform.folders.size(database + "-wal") ?? 0)
    let needed = size + size * 3 / 10
    let free = try platform.folders.freeBytes(folder.path)
    guard free >= needed else {
      let words = BilingualText(
        "\(folder.path): \(free) bytes are free; the backup needs up to \(needed). Free space, or name another disk.",
        "\(folder.path)：剩余 \(free) 字节，备份最多需要 \(needed) 字节。请清理空间，或指定另一块磁盘。")
      throw CommandFailure(words[CommandLineProgram.language(platform)])
    }
  }
}
