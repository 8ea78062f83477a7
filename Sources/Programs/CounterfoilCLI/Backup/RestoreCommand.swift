import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import StrictJSON

/// `counterfoil restore`: makes a database from a backup, or proves that it could.
enum RestoreCommand {
  static let command = Command.of(
    "restore", BilingualText("make a database from a backup, or try it", "用备份恢复数据库，或演练恢复"),
    usage: """
      usage: counterfoil restore BACKUP --to FILE
             counterfoil restore BACKUP --drill

      Verifies a backup, makes a database from it, and audits it. Never writes over a file. After the next start the
      server asks Apple and WeChat Pay what happened since the backup, and is not ready (/readyz) before they answered.
      BACKUP is a backup, or the folder of the backups: then the newest of them.

        --to FILE           the new database; FILE and FILE-wal must not exist
        --drill             do all of it beside the backup, then remove it
        --json              one JSON object

      Exit codes: 0 done, 1 the backup is damaged or a rule of money is broken in it, 2 wrong usage.

      """,
    valued: ["to"], flags: ["drill"], wordsMax: 1
  ) { options, platform in
    guard let word = options.words.first else { throw UsageError("Name the backup.") }
    let target = try options.one("to")
    guard (target != nil) != options.has("drill") else { throw UsageError("Either --to FILE or --drill.") }
    if let target { try requireNothing(at: target, platform) }
    let (backup, manifest) = try chosen(word, platform)
    let restored = try await DatabaseFailure.inWords(.file(backup), platform) {
      try await verify(backup, as: manifest, platform)
      if let target { return try await make(target, from: backup, as: manifest, platform) }
      return try await drill(backup, as: manifest, platform)
    }
    let language = CommandLineProgram.language(platform)
    platform.print(
      options.has("json")
        ? json(restored, of: backup, as: manifest).text + "\n"
        : text(restored, of: backup, as: manifest, isDrill: target == nil, language))
    return restored.violations.isEmpty ? ExitCode.done : ExitCode.failed
  }

  /// SQLite would take an old log beside the new file for its own.
  private static func requireNothing(at target: String, _ platform: Platform) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] where platform.folders.size(target + suffix) != nil {
      let words = BilingualText(
        "\(target + suffix) exists already, and a restore never writes over a file. Name another path.",
        "\(target + suffix) 已存在，恢复时绝不覆盖已有文件。请指定其他路径。")
      throw CommandFailure(words[CommandLineProgram.language(platform)])
    }
  }

  private static func chosen(_ word: String, _ platform: Platform) throws -> (String, BackupManifest) {
    if let manifest = try BackupFolder.manifest(of: word, platform) { return (word, manifest) }
    if let newest = try? BackupFolder(path: word, platform: platform).backups().last { return newest }
    let words = BilingualText(
      "\(word) is no backup: it has no readable manifest.json, and no backup is in it.",
      "\(word) 不是备份：其中没有可读的 manifest.json，也没有任何备份。")
    throw CommandFailure(words[CommandLineProgram.language(platform)])
  }

  /// Compares the file with its manifest.
  private static func verify(_ backup: String, as manifest: BackupManifest, _ platform: Platform) async throws {
    let found = try await BackupFolder.digest(of: backup + "/" + BackupManifest.database, platform)
    guard found.bytes == manifest.bytes, found.sha256 == manifest.sha256 else {
      let words = BilingualText(
        "\(backup) is damaged: its database is not the one that its manifest describes. Use another backup.",
        "\(backup) 已损坏：其数据库与清单不符。请使用另一个备份。")
      throw CommandFailure(words[CommandLineProgram.language(platform)])
    }
  }

  private static func make(
    _ target: String, from backup: String, as manifest: BackupManifest, _ platform: Platform
  ) async throws -> AuditReport {
    let copier = DatabaseCopier(on: ThreadExecutor(), now: platform.dependencies.now)
    let now = platform.dependencies.now()
    try await copier.restore(backup + "/" + BackupManifest.database, as: target) { reader in
      let former = try reader.setting(DatabaseSetting.backupGap).flatMap { BackupGap(text: $0) }
      return [DatabaseSetting.backupGap: BackupGap(from: manifest.takenAt, until: now, after: former).text]
    }
    return try await TakeBackup.audit(target, platform)
  }

  private static func drill(
    _ backup: String, as manifest: BackupManifest, _ platform: Platform
  ) async throws -> AuditReport {
    let folder = backup + ".drill"
    try platform.folders.remove(folder)
    try platform.files.makeFolder(folder)
    do {
      let report = try await make(folder + "/" + BackupManifest.database, from: backup, as: manifest, platform)
      try platform.folders.remove(folder)
      return report
    } catch {
      try? platform.folders.remove(folder)
      throw error
    }
  }

  private static func json(_ report: AuditReport, of backup: String, as manifest: BackupManifest) -> JSONValue {
    .members([("backup", .string(backup)), ("manifest", manifest.json), ("audit", report.json)])
  }

  private static func text(
    _ report: AuditReport, of backup: String, as manifest: BackupManifest, isDrill: Bool, _ language: Language
  ) -> String {
    let head = BilingualText(
      "\(backup), taken at \(manifest.takenAt.iso8601): its SHA-256 is right, and every page of it.\n",
      "\(backup)，备份时间 \(manifest.takenAt.iso8601)：SHA-256 与每一页均正确。\n")
    let audit = report.text(language)
    guard !isDrill else { return head[language] + audit }
    let next = BilingualText(
      """
      Next:
        Start the server with it. It asks Apple and WeChat Pay what happened since, then /readyz answers 200.
        WeChat Pay lists a day's payments only in its bill: `/v1/operator/queue` names the days until they are compared.
        A payment whose order was made since the backup is held(orderLost): the queue says what to do.
        Debits since the backup are lost: let your backend repeat them with the same idempotency keys.
        Deliveries come again under the same ids: receivers that store the ids book nothing twice.

      """,
      """
      接下来：
        用它启动服务器。服务器会先向 Apple 和微信支付查询此后的变化，之后 /readyz 才返回 200。
        微信支付只在账单中列出当日支付：在核对完成前，`/v1/operator/queue` 会列出这些日期。
        订单在备份之后创建的支付会标记为 held(orderLost)：人工处理队列会说明如何处理。
        备份之后的扣减已丢失：请让后端用相同的幂等键重新发送。
        发货通知会以相同编号再次发送：保存了编号的接收方不会重复入账。

      """)
    return head[language] + audit + next[language]
  }
}
