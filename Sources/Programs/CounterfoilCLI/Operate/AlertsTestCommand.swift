import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil alerts test`: sends a test message to the channels for alerts and prints their answers.
enum AlertsTestCommand {
  static let command = Command.of(
    "alerts test", BilingualText("send a test message to the channels for alerts", "向告警渠道发送测试消息"),
    usage: """
      usage: counterfoil alerts test [--channel NAME] [--config FILE] [--json]

      Sends a test message to each channel of [[alerts]] and prints what it answered. Vendors answer 200 also when they
      refuse a message: then the code of their answer is printed. The server need not run.

        --channel NAME      that channel alone
        --config FILE       the server's configuration (otherwise COUNTERFOIL_CONFIG, or counterfoil.toml here)
        --json              one JSON object a line

      Exit codes: 0 each channel took it, 1 a channel did not, 2 wrong usage, or there is no such channel.

      """,
    valued: ["channel", "config"]
  ) { options, platform in
    let language = CommandLineProgram.language(platform)
    guard let path = try ServerFlags.configurationPath(options, platform) else {
      throw UsageError("there is no configuration: name one with --config, or write one with `counterfoil init`.")
    }
    let configuration = try ServerConfiguration.read(path, refusingDoubts: true, platform)
    let named = try options.one("channel")
    let channels = configuration.alerts.filter { named == nil || $0.name == named }
    guard !channels.isEmpty else { throw CommandFailure(missing(named, language), code: ExitCode.usage) }
    var failures = 0
    for channel in channels {
      let exchange = try platform.exchange(channel.mayBeInside ? .anywhere : .publicOnly)
      let answer = await channel.test(
        by: exchange, platform.dependencies, isSimulated: configuration.profile == .simulated)
      if case .taken = answer {} else { failures += 1 }
      platform.print(
        options.has("json")
          ? json(answer, channel).text + "\n" : TerminalText.line(text(answer, channel)[language]) + "\n")
    }
    return failures == 0 ? ExitCode.done : ExitCode.failed
  }

  private static func missing(_ named: String?, _ language: Language) -> String {
    guard let named else {
      return BilingualText(
        "the configuration has no [[alerts]]: the server sends no alerts.", "配置中没有 [[alerts]]：服务器不发送告警。")[language]
    }
    return BilingualText(
      "the configuration has no channel \(named) in [[alerts]].", "配置的 [[alerts]] 中没有渠道 \(named)。")[language]
  }

  private static func text(_ answer: AlertAnswer, _ channel: AlertChannel) -> BilingualText {
    let head = "\(channel.name) (\(channel.kind.rawValue)): "
    switch answer {
    case .taken(let words): return BilingualText(head + "taken. \(words)", head + "已接收。\(words)")
    case .refused(let code, let words):
      return BilingualText(head + "REFUSED, \(code). \(words)", head + "被拒绝，\(code)。\(words)")
    case .unanswered(let why): return BilingualText(head + "NO ANSWER. \(why)", head + "没有应答。\(why)")
    }
  }

  private static func json(_ answer: AlertAnswer, _ channel: AlertChannel) -> JSONValue {
    let (code, words): (String?, String)
    switch answer {
    case .taken(let said): (code, words) = (nil, said)
    case .refused(let number, let said): (code, words) = (number, said)
    case .unanswered(let why): (code, words) = (nil, why)
    }
    return .members([
      ("channel", .string(channel.name)), ("kind", .string(channel.kind.rawValue)),
      ("result", .string(answer.result)), ("code", code.map { .string($0) }), ("answer", .string(words)),
    ])
  }
}
