import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// `counterfoil listen`: forwards what a backend would receive to an address on the developer's machine.
enum ListenCommand {
  static let command = Command.of(
    "listen", BilingualText("forward deliveries and events to a receiver under development", "把发货通知与事件转发给开发中的接收端"),
    usage: """
      usage: counterfoil listen --forward URL [--types WORDS] [--since MOMENT] [--ack] [--once] [--print] [--live]
                                [--until-quiet] [--environment E] [--app ID] [--server URL]

      Forwards each delivery of an app to a receiver, signed as the server signs, until it is ended. The place is kept:
      what comes while it does not run is forwarded at the next start, and what the receiver does not acknowledge comes
      again, under the same id. The secret is made once and stays the same; it is printed at the start.

        --forward URL       where the receiver listens, such as http://127.0.0.1:3000/counterfoil
        --types WORDS       types of messages, separated by commas (otherwise grant.created, grant.reversed,
                            grant.reinstated); events need `events = true` in the server's configuration
        --since MOMENT      forget the place, and begin with what happened then: 2025-10-09T00:00:00Z, or 30m, 1h, 2d
        --ack               acknowledge at the server what the receiver acknowledged; needs --server
        --once              pass over what the receiver refuses, which then stays open at the server; otherwise it
                            comes again until it is acknowledged
        --print             also the body of each message
        --live              forward messages of production too
        --until-quiet       end once there is nothing new
        --environment E     another environment than the app's own
        --server URL        the server at that address, with a secret key in COUNTERFOIL_SECRET_KEY; otherwise the
                            server that runs over the database on this machine
        --app ID            only that app's, where this machine's server has several
      \(ServerFlags.usage)

      Exit codes: 0 ended, 1 the server refused the call, or there are messages of production without --live,
      2 wrong usage.

      """,
    valued: ServerFlags.valued + ["forward", "types", "since", "environment", "app", "server"],
    flags: ["ack", "once", "print", "live", "until-quiet"]
  ) { options, platform in
    guard options.words.isEmpty else { throw UsageError("\(options.words[0]) is not understood.") }
    guard let target = try options.one("forward"), target.hasPrefix("http://") || target.hasPrefix("https://") else {
      throw UsageError("--forward must be the http:// or https:// address of a receiver.")
    }
    let types = try options.one("types").map { try messageTypes($0) } ?? Listening.grants
    let since = try options.one("since").map { try moment($0, before: platform.dependencies.now()) }
    let server = try await ListenServer.of(options, platform)
    guard !options.has("ack") || server.mayAcknowledge else { throw UsageError("--ack needs --server.") }
    var listening = Listening(
      server: server, target: target, types: types, environment: try options.one("environment"),
      acknowledges: options.has("ack"), isOnce: options.has("once"), prints: options.has("print"),
      isLive: options.has("live"), endsWhenQuiet: options.has("until-quiet"), platform: platform,
      exchange: try platform.exchange(.anywhere), state: try ListenState.open(platform))
    platform.print(listening.state.secretText + "\n")
    try await listening.run(since: since)
    return ExitCode.done
  }

  /// Types of messages. A name that no message has would wait for ever, and seem to work.
  private static func messageTypes(_ text: String) throws(UsageError) -> Set<String> {
    let known = Listening.grants.union(EventType.allCases.map(\.rawValue))
    let types = Set(text.split(separator: ",").map(String.init))
    let unknown = types.subtracting(known).sorted().map { "\"\($0)\"" }
    guard !types.isEmpty, unknown.isEmpty else {
      let names = unknown.isEmpty ? "nothing" : unknown.joined(separator: ", ")
      throw UsageError("--types names \(names). There are: \(known.sorted().joined(separator: ", ")).")
    }
    return types
  }

  /// A moment, or a span before now.
  private static func moment(_ text: String, before now: Timestamp) throws(UsageError) -> Timestamp {
    if let moment = Timestamp(iso8601: text) { return moment }
    if let unit = text.last, let number = Int64(text.dropLast()), (1...100_000).contains(number) {
      switch unit {
      case "m": return now - .minutes(number)
      case "h": return now - .hours(number)
      case "d": return now - .days(number)
      default: break
      }
    }
    throw UsageError("--since must be a moment such as 2025-10-09T00:00:00Z, or a span such as 30m, 1h or 2d.")
  }
}
