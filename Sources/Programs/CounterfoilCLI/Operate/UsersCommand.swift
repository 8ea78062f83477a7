import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil users`: what a user has, and the erasure of a user.
enum UsersCommand {
  static let command = Command.of(
    "users", BilingualText("show what a user has, or erase a user", "显示某个用户的数据，或删除该用户"),
    usage: """
      usage: counterfoil users show USER_ID [--environment E] [--limit N] [--app ID] [--server URL] [--json]
             counterfoil users erase USER_ID --reason TEXT [--force] [--app ID] [--server URL] [--json]

      `show` tells a user's orders, payments, balances, entitlements and refund ratio.
      `erase` keeps under an alias what the ledger needs, for ever, in all environments of the app. All else of the user
      goes. It is refused while money is open, with what is open. If no answer comes, send the same again: it goes on,
      or tells the erasure that was made. The operator's key needs the role admin.

        --environment E     otherwise the app's own
        --limit N           orders, 1 to 100 (otherwise 20)
        --reason TEXT       your words for the audit log, which keeps them for ever. The user's id in them is replaced
        --force             erases also a user who owes units, or whose subscription will renew
      \(OperatorServer.usage)

      Exit codes: 0 done, 1 refused or no answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["environment", "limit", "reason"], flags: ["force"], wordsMax: 2
  ) { options, platform in
    guard options.words.count == 2, !options.words[1].isEmpty else {
      throw UsageError("`users show USER_ID` or `users erase USER_ID` is needed.")
    }
    let user = options.words[1]
    switch options.words[0] {
    case "show":
      guard try options.one("reason") == nil, !options.has("force") else {
        throw UsageError("--reason and --force are for `users erase`.")
      }
      return try await show(user, options, on: platform)
    case "erase": return try await erase(user, options, on: platform)
    default: throw UsageError("`users \(options.words[0])` is not known. Is show or erase meant?")
    }
  }

  private static func show(_ user: String, _ options: Options, on platform: Platform) async throws -> Int32 {
    let limit = try options.number("limit", in: 1...100) ?? 20
    var path = "/v1/operator/users/\(RequestTarget.encode(user))?limit=\(limit)"
    if let environment = try options.one("environment") { path += "&environment=" + RequestTarget.encode(environment) }
    let answers = try await OperatorServer.of(options, platform).answers(
      to: path, isMissing: { _ in false }, CommandLineProgram.language(platform))
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : OperatorReport.user(user, answer))
    }
    return ExitCode.done
  }

  private static func erase(_ user: String, _ options: Options, on platform: Platform) async throws -> Int32 {
    guard let reason = try options.one("reason") else { throw UsageError("--reason is needed.") }
    guard try options.one("environment") == nil, try options.one("limit") == nil else {
      throw UsageError("--environment and --limit are for `users show`: an erasure is in all environments.")
    }
    let server = try await OperatorServer.of(options, platform)
    // The same id is another person in another app.
    if case .here(_, let apps) = server, apps.count > 1 { throw UsageError("--app is needed: there are several.") }
    let language = CommandLineProgram.language(platform)
    let answers = try await server.answers(
      to: "/v1/operator/users/\(RequestTarget.encode(user))/erase",
      sending: .members([("reason", .string(reason)), ("force", options.has("force") ? .bool(true) : nil)]),
      isMissing: { _ in false }, language)
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : TerminalText.line(line(answer)[language]) + "\n")
    }
    return ExitCode.done
  }

  private static func line(_ answer: JSONValue) -> BilingualText {
    let (alias, orders) = (answer["userId"]?.string ?? "", answer["orders"]?.integer ?? 0)
    let payments = answer["payments"]?.integer ?? 0
    return BilingualText(
      "erased; \(orders) orders and \(payments) payments are kept under \(alias)",
      "已删除；\(orders) 个订单与 \(payments) 笔支付保留在代号 \(alias) 下")
  }
}
