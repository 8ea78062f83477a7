import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration

/// Takes a backup whenever the newest one is old enough, for as long as the server runs. A restart does not delay it:
/// the time of the newest backup counts.
struct BackupSchedule: Sendable {
  /// Pause after a backup that failed.
  private static let pause = TimeSpan.minutes(10)

  private let settings: BackupSettings
  private let backup: TakeBackup
  private let engine: PaymentEngine

  init(
    _ settings: BackupSettings, of database: String, _ profile: DatabaseProfile, engine: PaymentEngine,
    platform: Platform
  ) {
    self.settings = settings
    self.engine = engine
    backup = TakeBackup(
      database: database, profile: profile,
      folder: BackupFolder(path: settings.folder, platform: platform), keep: settings.keep, platform: platform)
  }

  func run() async {
    await engine.repeatUntilDone(loggingErrors: "backup.failed", pause: Self.pause) {
      let now = engine.dependencies.now()
      // A backup that a clock ahead dated into the future neither stops the others nor makes them due.
      let newest = try? backup.folder.backups().last { $0.manifest.takenAt <= now }?.manifest.takenAt
      if let newest, now < newest + settings.every {
        tell(newest)
        try await engine.dependencies.sleep(newest + settings.every - now)
        return false
      }
      let done = try await backup.run()
      tell(done.manifest.takenAt)
      engine.log(
        LogEvent(
          done.manifest.isWhole ? .info : .error, "backup.taken",
          [
            ("path", done.path), ("bytes", "\(done.manifest.bytes)"), ("violations", "\(done.manifest.violations)"),
            ("auditLogBrokenAt", done.manifest.auditLogBrokenAt.map { "\($0)" } ?? "none"),
            ("removed", "\(done.removed)"),
            ("milliseconds", "\((engine.dependencies.now() - done.manifest.takenAt).milliseconds)"),
          ]))
      return false
    }
  }

  /// Shows the age of the newest backup.
  private func tell(_ takenAt: Timestamp) {
    engine.metrics.set(.backupVerifiedTimestampSeconds, to: Double(takenAt.seconds))
  }
}
