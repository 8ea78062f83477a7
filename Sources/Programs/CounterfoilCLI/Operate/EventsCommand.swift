import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// Follows the feed of events.
enum EventsCommand {
  private static let columns = ["at", "type", "orderId", "transactionId", "userId", "reference"]
  /// The longest that a server lets a call wait.
  private static let waitSeconds = 25

  static let command = Command.of(
    "events", BilingualText("follow what happens to orders and payments", "持续显示订单与支付的变化"),
    usage: """
      usage: counterfoil events tail [--since MOMENT | --after ID] [--until-quiet] [--environment E] [--app ID]
                                     [--server URL] [--json]

      Prints each event of an app, in the order in which every reader sees them, until it is ended.

        --since MOMENT      begin at the events of then, such as 2025-10-09T00:00:00Z (otherwise at those to come)
        --after ID          begin after that event
        --until-quiet       end once there is nothing new
        --environment E     another environment than the app's own
      \(OperatorServer.usage); with it, one event on a line

      Exit codes: 0 ended, 1 the server did not answer or has no such event, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["since", "after", "environment"], flags: ["until-quiet"], wordsMax: 1
  ) { options, platform in
    guard options.words == ["tail"] else { throw UsageError("`events tail` is needed.") }
    let (since, after) = (try options.one("since"), try options.one("after"))
    guard since == nil || after == nil else { throw UsageError("--since and --after exclude each other.") }
    let server = try await OperatorServer.of(options, platform)
    if case .here(_, let apps) = server, apps.count > 1 {
      throw UsageError("This server has several apps. Name one with --app.")
    }
    var place = after.map { ("after", $0) } ?? ("since", since ?? platform.dependencies.now().iso8601)
    let environment = try options.one("environment").map { [("environment", $0)] } ?? []
    while true {
      let wait = options.has("until-quiet") ? 0 : waitSeconds
      let query = [("limit", "100"), ("wait", "\(wait)"), place] + environment
      let answers = try await server.answers(
        to: "/v1/events?" + query.map { $0 + "=" + RequestTarget.encode($1) }.joined(separator: "&"),
        isMissing: { _ in false }, CommandLineProgram.language(platform))
      guard let answer = answers.first else { return ExitCode.failed }
      let events = answer["events"]?.array ?? []
      for event in events {
        platform.print(options.has("json") ? event.text + "\n" : OperatorReport.line(event, columns) + "\n")
      }
      let next = answer["next"]?.string.map { ("after", $0) } ?? place
      if options.has("until-quiet"), events.isEmpty, next == place { return ExitCode.done }
      place = next
    }
  }
}
