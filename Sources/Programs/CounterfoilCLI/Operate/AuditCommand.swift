import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// `counterfoil audit`: checks every row of the database against the money rules.
enum AuditCommand {
  static let command = Command.of(
    "audit", BilingualText("check every row against the nine rules of money", "用九条资金规则核查每一行数据"),
    usage: """
      usage: counterfoil audit [--idle] [--json]

      Reads all orders, payments, grants, postings, balances and deliveries, and prints each rule of money that is
      broken. Reads only; works beside a running server.

        --idle              also that nothing is half done: for a server that has been stopped, or is idle
      \(ServerFlags.usage)
        --json              one JSON object

      Exit codes: 0 all rules hold, 1 a rule is broken or the log is missing, 2 wrong usage or no readable database.

      """,
    valued: ServerFlags.valued, flags: ["idle"]
  ) { options, platform in
    let database = try await ReportedDatabase.reading(options, platform)
    let language = CommandLineProgram.language(platform)
    if database.lacksLog { platform.printError(lacksLog[language]) }
    let report = try await PaymentAudit(atRest: options.has("idle")).run(on: database.reader)
    platform.print(options.has("json") ? report.json.text + "\n" : report.text(language))
    return report.violations.isEmpty && !database.lacksLog ? ExitCode.done : ExitCode.failed
  }

  private static let lacksLog = BilingualText(
    """
    The log of this database is missing: the file was copied without its -wal, or that was removed. What was written
    last is NOT in it. Copy with `counterfoil backup`. A server that starts with it asks the stores for what is missing.

    """,
    """
    该数据库缺少日志：复制时没有带上 -wal 文件，或该文件已被删除。最后写入的内容不在其中。
    请用 `counterfoil backup` 复制。用它启动的服务器会向商店查询缺失的内容。

    """)
}
