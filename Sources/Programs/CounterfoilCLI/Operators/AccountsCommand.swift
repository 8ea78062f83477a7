import Console
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil accounts`: who may work in the console.
enum AccountsCommand {
  static let command = Command.of(
    "accounts", BilingualText("give operators access to the console", "管理控制台的操作员账号"),
    usage: """
      usage: counterfoil accounts list [--json]
             counterfoil accounts add NAME --role ROLE [--app ID] [--json]
             counterfoil accounts remove NAME [--app ID]
             counterfoil accounts disable NAME
             counterfoil accounts reset NAME
             counterfoil accounts link NAME

      Makes operator accounts and the links that sign them in. While a server runs over the database on this machine, it
      is asked to do this. Each change stands in the audit log, under the name of this machine's user.

        add                 makes the account, or gives it another role; a disabled one may sign in again
        remove              takes its role in the app away
        disable             ends its access at once, with all its sessions
        reset               removes its one-time codes and passkeys, and ends its sessions: for a lost phone
        link                prints a link that signs in once, within ten minutes; a second factor is shown, or set up
        --role ROLE         viewer, support, finance, operator or admin, as for `counterfoil keys`
        --app ID            in this app alone; otherwise in every app
      \(ServerFlags.usage)

      Exit codes: 0 done, 1 no such account, or the server did not answer, 2 wrong usage.

      """,
    valued: ["role", "app"] + ServerFlags.valued, wordsMax: 2
  ) { options, platform in
    if options.words == ["list"] { return try await list(options, platform) }
    guard options.words.count == 2, OperatorAccount.isName(options.words[1]) else {
      throw UsageError("one of list, add, remove, disable, reset and link is needed, with the name of an account.")
    }
    let name = OperatorName(options.words[1])
    let configuration = try await ChosenConfiguration.of(options, platform)
    let app = try app(options, configuration)
    switch options.words[0] {
    case "add":
      guard let role = try options.one("role").flatMap(OperatorRole.init(rawValue:)) else {
        throw UsageError("--role is one of \(OperatorRole.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      let answer = try await perform(.setRole(role, of: name, in: app), configuration, on: platform)
      platform.print(options.has("json") ? answer.text + "\n" : "\(name): \(role.rawValue) in \(app)\n")
    case "remove":
      _ = try await perform(.setRole(nil, of: name, in: app), configuration, on: platform)
      platform.print("\(name): no role in \(app)\n")
    case "disable":
      _ = try await perform(.disable(name), configuration, on: platform)
      platform.print("\(name) is disabled.\n")
    case "reset":
      _ = try await perform(.reset(name), configuration, on: platform)
      platform.print("\(name) has no second factor. The next link sets one up.\n")
    case "link": try await printLink(of: name, configuration, platform)
    default: throw UsageError("\(options.words[0]) is not understood.")
    }
    return ExitCode.done
  }

  private static func app(_ options: Options, _ configuration: ServerConfiguration) throws -> AppIdentifier {
    guard let named = try options.one("app") else { return OperatorAccount.everyApp }
    let apps = configuration.apps.map(\.id)
    guard apps.contains(AppIdentifier(named)) else {
      throw UsageError("--app is one of \(apps.map(\.text).joined(separator: ", ")).")
    }
    return AppIdentifier(named)
  }

  private static func printLink(
    of name: OperatorName, _ configuration: ServerConfiguration, _ platform: Platform
  ) async throws {
    // The server knows where its console is: that of `counterfoil-lab run` stands in no configuration.
    let running = try await RunningServer.over(configuration.database, platform)
    guard let origin = running?.console ?? configuration.console?.origin else {
      throw CommandFailure(noConsole[CommandLineProgram.language(platform)], code: ExitCode.usage)
    }
    let answer = try await perform(.link(name), configuration, beside: running, on: platform)
    guard let code = answer["code"]?.string else { throw CommandFailure("the answer has no code.") }
    platform.print(Console.signInLink(origin: origin, code: code) + "\n")
    platform.printError("It signs \(name) in once, within ten minutes.\n")
  }

  private static let noConsole = BilingualText(
    """
    The configuration has no [console], so a link would lead nowhere. Add [console]; with --data, start \
    `counterfoil-lab run` first.
    """,
    "配置中没有 [console]，登录链接无处可用。请添加 [console]；使用 --data 时，请先启动 `counterfoil-lab run`。")

  /// The user of this machine, for the audit log.
  static func host(_ platform: Platform) -> String {
    platform.environment("SUDO_USER") ?? platform.environment("USER") ?? "unknown"
  }

  private static func perform(
    _ request: AccountRequest, _ configuration: ServerConfiguration, on platform: Platform
  ) async throws -> JSONValue {
    let running = try await RunningServer.over(configuration.database, platform)
    return try await perform(request, configuration, beside: running, on: platform)
  }

  /// Asks the server that runs over the database; without one, opens the database itself.
  private static func perform(
    _ request: AccountRequest, _ configuration: ServerConfiguration, beside running: RunningServer?,
    on platform: Platform
  ) async throws -> JSONValue {
    let host = host(platform)
    if let running {
      let (status, answer) = try await running.ask(request, by: host)
      if status == 404 { throw unknown(platform) }
      guard status == 200 else { throw CommandFailure("the running server could not do it (\(status)).") }
      return answer
    }
    let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil accounts", isQuiet: true, platform)
    do {
      let answer = try await request.perform(assembly.engine, by: host)
      await assembly.database.close()
      guard let answer else { throw unknown(platform) }
      return answer
    } catch {
      await assembly.database.close()
      throw error
    }
  }

  private static func unknown(_ platform: Platform) -> CommandFailure {
    let words = BilingualText(
      "there is no such account, or it is disabled; `counterfoil accounts list` shows them.",
      "没有该账号，或已停用；请用 `counterfoil accounts list` 查看。")
    return CommandFailure(words[CommandLineProgram.language(platform)])
  }

  private static func list(_ options: Options, _ platform: Platform) async throws -> Int32 {
    let database = try await ReportedDatabase.reading(options, platform)
    for account in try await database.reader.read({ try $0.operatorAccounts(limit: PaymentEngine.accountsMax) }) {
      platform.print((options.has("json") ? AccountLine.json(account).text : AccountLine.text(account)) + "\n")
    }
    return ExitCode.done
  }
}
