import PaymentDatabase
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import StrictJSON

/// `counterfoil backup`: copies the database beside the running server, and verifies the copy.
enum BackupCommand {
  static let command = Command.of(
    "backup", BilingualText("copy the database beside the running server, and verify the copy", "在服务器运行时备份数据库并校验"),
    usage: """
      usage: counterfoil backup --to DIR [--keep N] [--json]

      Writes one consistent state of the database into a new folder in DIR, checks every page of it, audits it, verifies
      its audit log, and writes a manifest with its SHA-256, its rows and the last entry of the audit log. Works beside
      a running server, and while none runs. A copy by `cp` is no backup: it lacks what is still in the log beside the
      database.

        --to DIR            the folder of the backups; best on another disk
        --keep N            afterwards remove the oldest, so that N stay (otherwise all stay); one that is empty,
                            breaks a rule of money or has a changed audit log removes none
      \(ServerFlags.usage)
        --json              the manifest as one JSON object

      Exit codes: 0 written and verified, 1 not written, or a rule of money or its audit log is broken, 2 wrong usage.

      """,
    valued: ["to", "keep"] + ServerFlags.valued
  ) { options, platform in
    guard let folder = try options.one("to"), !folder.isEmpty else {
      throw UsageError("--to names the folder of the backups.")
    }
    let configuration = try await ChosenConfiguration.of(options, platform)
    guard let file = configuration.database.file else {
      throw CommandFailure(notHere[CommandLineProgram.language(platform)], code: ExitCode.usage)
    }
    let backup = TakeBackup(
      database: file, profile: configuration.profile,
      folder: BackupFolder(path: folder, platform: platform),
      keep: try options.number("keep", in: 1...100_000).map { Int($0) }, platform: platform)
    let done = try await DatabaseFailure.inWords(configuration.database, platform) { try await backup.run() }
    let language = CommandLineProgram.language(platform)
    platform.print(options.has("json") ? json(done).text + "\n" : text(done, language))
    return done.manifest.isWhole ? ExitCode.done : ExitCode.failed
  }

  private static let notHere = BilingualText(
    """
    This database is on PostgreSQL, which has backups of its own: a base backup (`pg_basebackup`, pgBackRest, Barman, or
    your provider's) and an archive of its WAL. Together they restore every moment. docs/postgresql.md shows both, and
    a drill. Check a restored copy with `counterfoil audit --database URL`.
    """,
    """
    该数据库位于 PostgreSQL 上，请使用 PostgreSQL 自己的备份：基础备份（`pg_basebackup`、pgBackRest、Barman 或云服务商提供的备份）
    加上 WAL 归档，两者可恢复到任意时刻。步骤和演练见 docs/postgresql.zh-CN.md。
    恢复后的副本请用 `counterfoil audit --database URL` 核查。
    """)

  private static func json(_ done: TakeBackup.Done) -> JSONValue {
    .members([
      ("path", .string(done.path)), ("manifest", done.manifest.json), ("removed", .integer(done.removed)),
    ])
  }

  private static func text(_ done: TakeBackup.Done, _ language: Language) -> String {
    let manifest = done.manifest
    let (orders, payments) = (manifest.contents.rows["orders"] ?? 0, manifest.contents.rows["payments"] ?? 0)
    var lines = [
      BilingualText(
        """
        \(done.path)
          \(manifest.bytes) bytes, orders \(orders), payments \(payments), SHA-256 \(manifest.sha256)
          Every page was checked. `counterfoil restore \(done.path) --drill` tries it.
        """,
        """
        \(done.path)
          \(manifest.bytes) 字节，订单 \(orders)，支付 \(payments)，SHA-256 \(manifest.sha256)
          已校验每一页。可用 `counterfoil restore \(done.path) --drill` 演练恢复。
        """)[language]
    ]
    if done.removed > 0 {
      lines.append(BilingualText("  Older backups removed: \(done.removed).", "  已删除较早的备份：\(done.removed)。")[language])
    }
    lines.append(AuditSummary.line(manifest, language))
    if let number = manifest.auditLogBrokenAt {
      lines.append(
        BilingualText(
          "  CHANGED: its audit log is broken at entry \(number). `counterfoil audit-log verify` tells how.",
          "  异常：操作记录在第 \(number) 条处不完整。请运行 `counterfoil audit-log verify` 查看。")[language])
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// What the audit of a backup found, in one line.
enum AuditSummary {
  static func line(_ manifest: BackupManifest, _ language: Language) -> String {
    if manifest.violations > 0 {
      return BilingualText(
        "  BROKEN: \(manifest.violations) rules of money do not hold in it. `counterfoil audit` names them.",
        "  异常：其中有 \(manifest.violations) 处不符合资金规则。请运行 `counterfoil audit` 查看。")[language]
    }
    guard !manifest.isEmpty else {
      return BilingualText(
        "  It is EMPTY: no order and no payment. Check that this is the database that the server uses.",
        "  内容为空：没有任何订单或支付。请确认这就是服务器所用的数据库。")[language]
    }
    return BilingualText("  All rules of money hold in it.", "  其中所有资金规则均成立。")[language]
  }
}
