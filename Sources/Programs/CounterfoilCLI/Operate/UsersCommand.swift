import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil users show`: what a user has.
enum UsersCommand {
  static let command = Command.of(
    "users", BilingualText("show what a user has: orders, payments, balances", "显示某个用户的订单、支付与余额"),
    usage: """
      usage: counterfoil users show USER_ID [--environment E] [--limit N] [--app ID] [--server URL] [--json]

      Shows a user's orders, payments, balances, entitlements and refund ratio.

        --environment E     otherwise the app's own
        --limit N           orders, 1 to 100 (otherwise 20)
      \(OperatorServer.usage)

      Exit codes: 0 shown, 1 the server did not answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["environment", "limit"], wordsMax: 2
  ) { options, platform in
    guard options.words.count == 2, options.words[0] == "show", !options.words[1].isEmpty else {
      throw UsageError("`users show USER_ID` is needed.")
    }
    let limit = try options.number("limit", in: 1...100) ?? 20
    var path = "/v1/operator/users/\(RequestTarget.encode(options.words[1]))?limit=\(limit)"
    if let environment = try options.one("environment") { path += "&environment=" + RequestTarget.encode(environment) }
    let answers = try await OperatorServer.of(options, platform).answers(
      to: path, isMissing: { _ in false }, CommandLineProgram.language(platform))
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : OperatorReport.user(options.words[1], answer))
    }
    return ExitCode.done
  }
}
