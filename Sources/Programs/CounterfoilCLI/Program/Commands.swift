import PaymentPrimitives
import StrictJSON

/// All commands, in the order in which `--help` lists them.
package enum Commands {
  static let all: [Command] =
    [
      ServeCommand.command, verify, SearchCommand.command, OrdersCommand.command, PaymentsCommand.command,
      UsersCommand.command,
    ] + ListCommands.all + [
      ExtensionsCommand.command, RedirectRefundCommand.command, ComplaintsCommand.command, ReconcileCommand.command,
      ReportCommand.command,
      AuditCommand.command,
      AuditLogCommand.command,
      ExportCommand.command, NodesCommand.command,
      BackupCommand.command, RestoreCommand.command, RestoredCommand.command, CopyCommand.command,
      ImportCommand.command, ObserveReportCommand.command, ForwardedNotificationsCommand.command, KeysCommand.command,
      AccountsCommand.command,
      TokenCommand.command,
      SchemaCommand.command, MigrateCommand.command, UpgradeCommand.command, InitCommand.command,
      ConfigCheckCommand.command,
      ConfigExplainCommand.command,
      DoctorCommand.command, AlertsTestCommand.command, HealthCommand.command,
      ListenCommand.command, ReceiverCommand.command,
      version,
    ]

  private static let verify = Command(
    "verify",
    BilingualText("verify App Store evidence with Apple's signatures", "用 Apple 的签名核验 App Store 凭证"),
    usage: VerifyCommand.usage, options: VerifyOptions.names
  ) { arguments, platform in
    VerifyCommand.run(
      arguments: arguments,
      platform: VerifyCommand.Platform(
        now: platform.dependencies.now(),
        readFile: { path in
          guard let bytes = try platform.files.read(path, VerifyCommand.fileBytesMax + 1) else {
            throw CommandFailure("there is no such file")
          }
          return bytes
        }, print: platform.print, printError: platform.printError))
  }

  package static let version = Command.of(
    "version", BilingualText("print the version", "显示版本"),
    usage: """
      usage: counterfoil version [--json]

      Prints the version.

        --json   also the commit, its time, the version of the compiler and what serves malloc, as one JSON object;
                 null for what the build does not know, and for the malloc of the system

      Exit codes: 0 printed, 2 wrong usage.

      """
  ) { options, platform in
    let json = BuildInformation.json(allocator: platform.machine.allocator).text
    platform.print(options.has("json") ? json + "\n" : "counterfoil \(Version.text)\n")
    return ExitCode.done
  }
}
