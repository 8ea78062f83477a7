import HTTPMessages
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil receiver`: whether a backend's receiver of deliveries is sound, and code to begin with.
enum ReceiverCommand {
  static let command = Command.of(
    "receiver",
    BilingualText("test a receiver of deliveries, or print one in your language", "测试发货通知的接收端，或打印所选语言的示例代码"),
    usage: """
      usage: counterfoil receiver test URL --secret FILE [--count-url URL] [--restart-url URL] [--environment E]
                                       [--app ID] [--certificate FILE] [--json]
             counterfoil receiver code --language LANGUAGE [--pull]

      Sends about sixty messages to a receiver and judges its answers by \(ReceiverCheck.allCases.count) checks:
      who may speak, what is booked once, what is taken back, what is new, and how it answers. Use a receiver with
      test data: users of this test have names that begin with receiver-test-. Or prints a small receiver that
      passes the test, or with --pull a program that asks for events and needs no address.

        --secret FILE       a file with the receiver's secret, whsec_…
        --count-url URL     where the receiver answers the units of a user as a number; userId is added to the query.
                            Without it, what was booked is not checked
        --restart-url URL   a POST there restarts the receiver; without it, that check is left out
        --environment E     the environment that the receiver books (otherwise production)
        --app ID            the app that messages name (otherwise demo)
        --certificate FILE  also writes the results there, as JSON
        --language LANGUAGE \(ReceiverCode.names)
        --pull              the program that asks: it keeps its place, and books each event once

      Exit codes: 0 every check passed, 1 one failed or was not checked, 2 wrong usage.

      """,
    valued: ["secret", "count-url", "restart-url", "environment", "app", "certificate", "language"], flags: ["pull"],
    wordsMax: 2
  ) { options, platform in
    switch options.words.first {
    case "code"?: return try code(options, platform)
    case "test"?: return try await test(options, platform)
    default: throw UsageError("`receiver test URL` or `receiver code` is needed.")
    }
  }

  private static func code(_ options: Options, _ platform: Platform) throws -> Int32 {
    guard options.words.count == 1, let name = try options.one("language"), let code = ReceiverCode(rawValue: name)
    else { throw UsageError("--language must be one of \(ReceiverCode.names).") }
    platform.print(options.has("pull") ? code.feedText : code.text)
    return ExitCode.done
  }

  private static func test(_ options: Options, _ platform: Platform) async throws -> Int32 {
    guard options.words.count == 2, options.words[1].hasPrefix("http") else {
      throw UsageError("The address of the receiver is needed: `receiver test http://127.0.0.1:3000/counterfoil`.")
    }
    guard !options.has("pull") else { throw UsageError("--pull is for `receiver code`.") }
    guard let file = try options.one("secret") else { throw UsageError("--secret is needed.") }
    guard let bytes = try platform.files.read(file, 1024) else {
      throw CommandFailure("there is no file \(file).", code: ExitCode.usage)
    }
    let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    guard let secret = WebhookSecret.secret(text) else {
      throw CommandFailure("\(file) holds no secret: whsec_ and base64 of 24 to 64 bytes.", code: ExitCode.usage)
    }
    guard let environment = StoreEnvironment(rawValue: try options.one("environment") ?? "production") else {
      throw UsageError(
        "--environment must be one of \(StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    var settings = ReceiverTesting.Settings(
      url: options.words[1], secretText: text, secret: secret, environment: environment,
      app: AppIdentifier(try options.one("app") ?? "demo"))
    settings.countURL = try options.one("count-url")
    settings.restartURL = try options.one("restart-url")
    let certificate = try options.one("certificate")
    let testing = ReceiverTesting(
      settings, exchange: try platform.exchange(.anywhere), dependencies: platform.dependencies,
      monotonicNanoseconds: platform.monotonicNanoseconds)
    let findings = try await testing.findings()
    let json = json(findings, settings, at: platform.dependencies.now())
    if let certificate { try platform.files.replace(certificate, Array((json.text + "\n").utf8)) }
    platform.print(
      options.has("json") ? json.text + "\n" : table(findings, CommandLineProgram.language(platform)))
    return findings.allSatisfy { $0.outcome == .passed } ? ExitCode.done : ExitCode.failed
  }

  private static func json(
    _ findings: [ReceiverFinding], _ settings: ReceiverTesting.Settings, at now: Timestamp
  ) -> JSONValue {
    .members([
      ("url", .string(settings.url)), ("testedAt", .string(now.iso8601)), ("version", .string(Version.text)),
      ("passed", .integer(findings.count { $0.outcome == .passed })),
      (
        "checks",
        .array(
          findings.map {
            .members([
              ("check", .string($0.check.rawValue)), ("outcome", .string($0.outcome.rawValue)),
              ("details", $0.details.isEmpty ? nil : .string($0.details)),
            ])
          })
      ),
    ])
  }

  private static func table(_ findings: [ReceiverFinding], _ language: Language) -> String {
    let width = (ReceiverCheck.allCases.map(\.rawValue.count).max() ?? 0) + 2
    let lines = findings.map { finding -> String in
      let mark =
        switch finding.outcome {
        case .passed: "ok  "
        case .failed: "FAIL"
        case .notChecked: "–   "
        }
      let name = finding.check.rawValue + String(repeating: " ", count: width - finding.check.rawValue.count)
      let details = finding.details.isEmpty ? "" : "  [" + finding.details + "]"
      return mark + "  " + name + finding.check.meaning[language] + details
    }
    let passed = findings.count { $0.outcome == .passed }
    let sum = BilingualText(
      "\(passed) of \(findings.count) checks passed.", "\(findings.count) 项检查中通过 \(passed) 项。")[language]
    return (lines.map { TerminalText.line($0) } + [sum]).map { $0 + "\n" }.joined()
  }
}
