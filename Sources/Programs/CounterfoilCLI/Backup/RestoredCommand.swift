import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration

/// `counterfoil restored`: tells a database that it was restored by other means than `counterfoil restore`.
enum RestoredCommand {
  static let command = Command.of(
    "restored", BilingualText("tell a restored database what time it knows nothing about", "告知恢复后的数据库其缺失的时间段"),
    usage: """
      usage: counterfoil restored --since MOMENT

      After a restoration by PostgreSQL's own means: notes that everything after MOMENT is missing. The next start asks
      both stores about that time before /readyz answers 200. Payments for orders that were lost are held, not refused.
      Run it before the server starts. `counterfoil restore` does the same by itself.

        --since MOMENT      the last moment that the database has, such as 2026-11-20T08:00:00Z
      \(ServerFlags.usage)

      Exit codes: 0 noted, 1 not noted, 2 wrong usage.

      """,
    valued: ServerFlags.valued + ["since"]
  ) { options, platform in
    let now = platform.dependencies.now()
    guard let since = try options.one("since").flatMap({ Timestamp(iso8601: $0) }), since <= now else {
      throw UsageError("--since is a past moment, such as 2026-11-20T08:00:00Z.")
    }
    let configuration = try await ChosenConfiguration.of(options, platform)
    try await DatabaseFailure.inWords(configuration.database, platform) {
      let database = try await OpenDatabase.writing(configuration, holder: "counterfoil restored", platform)
      let outcome = await database.payments.transact { transaction in
        let former = try transaction.setting(DatabaseSetting.backupGap).flatMap { BackupGap(text: $0) }
        try transaction.set(DatabaseSetting.backupGap, to: BackupGap(from: since, until: now, after: former).text)
      }
      await database.close()
      try outcome.get()
    }
    let words = BilingualText(
      "Noted: the next start asks both stores about the time since \(since.iso8601).\n",
      "已记录：下次启动会向两家商店查询 \(since.iso8601) 之后的变化。\n")
    platform.print(words[CommandLineProgram.language(platform)])
    return ExitCode.done
  }
}
