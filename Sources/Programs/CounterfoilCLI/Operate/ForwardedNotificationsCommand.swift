import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil notifications forwarded`: notifications for an earlier system that have not arrived there yet.
enum ForwardedNotificationsCommand {
  static let command = Command.of(
    "notifications forwarded", BilingualText("list notifications that still have to be passed on", "列出尚未转发成功的通知"),
    usage: """
      usage: counterfoil notifications forwarded [--app ID] [--limit N] [--redrive] [--json]

      Lists the App Store notifications that `forward_notifications_to` has not taken yet, oldest first: those that are
      tried again, and those that were parked after 30 days. Reads only, and works beside a running server; with
      --redrive the server is stopped.

        --app ID            only that app's
        --limit N           1 to 10000 of each app (otherwise 20)
        --redrive           send the parked ones off again, so many
      \(ServerFlags.usage)
        --json              one JSON object a line

      Exit codes: 0 printed, 2 wrong usage or no readable database.

      """,
    valued: ["app", "limit"] + ServerFlags.valued, flags: ["redrive"]
  ) { options, platform in
    let limit = Int(try options.number("limit", in: 1...10_000) ?? 20)
    let named = try options.one("app").map { AppIdentifier($0) }
    guard !options.has("redrive") else { return try await redrive(named, limit, options: options, platform: platform) }
    let database = try await ReportedDatabase.reading(options, platform)
    let apps = try known(named, among: database.apps.map(\.id))
    let forwards = try await database.reader.read { database in
      try apps.flatMap { try database.openForwards(of: $0, limit: limit) }
    }
    for forward in forwards {
      platform.print((options.has("json") ? json(forward).text : line(forward)) + "\n")
    }
    if forwards.isEmpty, !options.has("json") {
      platform.print(BilingualText("all were passed on\n", "已全部转发\n")[CommandLineProgram.language(platform)])
    }
    return ExitCode.done
  }

  private static func known(_ named: AppIdentifier?, among all: [AppIdentifier]) throws -> [AppIdentifier] {
    let apps = all.filter { named == nil || $0 == named }
    guard !apps.isEmpty else { throw UsageError("No app of that id is configured.") }
    return apps
  }

  private static func redrive(
    _ named: AppIdentifier?, _ limit: Int, options: Options, platform: Platform
  ) async throws -> Int32 {
    let configuration = try await ChosenConfiguration.of(options, platform)
    let apps = try known(named, among: configuration.apps.map(\.id))
    let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil forwards", isQuiet: true, platform)
    var count = 0
    do {
      let engine = assembly.engine
      let host = AccountsCommand.host(platform)
      for app in apps {
        count += try await engine.performOnHost("forwards.redrive", on: nil, of: app, by: host) {
          try await engine.redriveForwards(of: app, limit: limit)
        }
      }
    } catch {
      await assembly.database.close()
      throw error
    }
    await assembly.database.close()
    let words = BilingualText("sent again: \(count)\n", "已重新排队：\(count)\n")
    platform.print(
      options.has("json")
        ? JSONValue.members([("redriven", .integer(count))]).text + "\n" : words[CommandLineProgram.language(platform)])
    return ExitCode.done
  }

  private static func word(_ state: Delivery.State) -> String {
    switch state {
    case .pending: "pending"
    case .acknowledged: "acknowledged"
    case .parked: "parked"
    }
  }

  private static func line(_ forward: NotificationForward) -> String {
    let words = [
      forward.createdAt.iso8601, forward.appEnvironment.app.text, forward.appEnvironment.environment.rawValue,
      forward.notification,
      word(forward.state), "attempts: \(forward.attempts)", "next: \(forward.nextAttemptAt.iso8601)",
      forward.lastProblem ?? "",
    ]
    return TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }

  private static func json(_ forward: NotificationForward) -> JSONValue {
    .members([
      ("app", .string(forward.appEnvironment.app.text)),
      ("environment", .string(forward.appEnvironment.environment.rawValue)),
      ("notificationId", .string(forward.notification)), ("state", .string(word(forward.state))),
      ("createdAt", .string(forward.createdAt.iso8601)), ("attempts", .integer(forward.attempts)),
      ("nextAttemptAt", .string(forward.nextAttemptAt.iso8601)),
      ("lastProblem", forward.lastProblem.map(JSONValue.string)),
    ])
  }
}
