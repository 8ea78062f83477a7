import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil extensions`: lets Apple put off renewal dates.
enum ExtensionsCommand {
  static let command = Command.of(
    "extensions", BilingualText("let Apple put off renewal dates of subscriptions", "让 Apple 延长订阅的续订日期"),
    usage: """
      usage: counterfoil extensions one ORIGINAL_TRANSACTION_ID --period-end MOMENT --days N --cause CAUSE
                 --reason TEXT [OPTIONS]
             counterfoil extensions all APPLE_PRODUCT_ID --request ID --days N --cause CAUSE --reason TEXT
                 [--storefront CODE…] [OPTIONS]
             counterfoil extensions status APPLE_PRODUCT_ID REQUEST_ID [OPTIONS]

      Apple puts the end of the current period off, and takes nothing back. A free trial, a subscription that has ended
      or is shared, and a third time in 365 days are refused.

        --period-end MOMENT where the period ends now, as `subscriptions show` says. If it ends elsewhere nothing is
                            asked: so a repetition is harmless
        --request ID        your own text; Apple does each once, and a repetition tells how far it is
        --days N            1 to 90
        --cause CAUSE       undeclared, customerSatisfaction, other or serviceIssue: Apple is told
        --reason TEXT       your words, for the journal and the log
        --storefront CODE   only subscribers there, such as CHN; repeatable
        --environment E     otherwise the app's own
      \(OperatorServer.usage)

      Exit codes: 0 done, 1 not extended or no answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + [
      "period-end", "request", "days", "cause", "reason", "storefront", "environment",
    ], wordsMax: 3
  ) { options, platform in
    let question = try Question(options)
    let language = CommandLineProgram.language(platform)
    let answers = try await OperatorServer.of(options, platform).answers(
      to: question.path, sending: question.body,
      isMissing: {
        [EngineErrorCode.paymentUnknown, .storeNotConfigured, .extensionUnknown].map(\.rawValue)
          .contains($0["code"]?.string)
      }, language)
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : TerminalText.line(line(answer, language)) + "\n")
    }
    return answers.contains { $0["extended"]?.bool == false } ? ExitCode.failed : ExitCode.done
  }

  /// What the server is asked.
  private struct Question {
    let path: String
    var body: JSONValue?

    init(_ options: Options) throws {
      let words = options.words
      let environment = try options.one("environment")
      func encoded(_ index: Int) -> String { RequestTarget.encode(words[index]) }
      switch (words.first, words.count) {
      case ("one", 2):
        guard let end = try options.one("period-end") else { throw UsageError("--period-end is needed.") }
        path = "/v1/operator/subscriptions/\(encoded(1))/extend"
        body = try Self.wish(options, in: environment, with: [("periodEnd", .string(end))])
      case ("all", 2):
        guard let request = try options.one("request") else { throw UsageError("--request is needed.") }
        let storefronts = options.all("storefront").map { JSONValue.string($0) }
        path = "/v1/operator/app-store-products/\(encoded(1))/extend"
        body = try Self.wish(
          options, in: environment,
          with: [
            ("requestIdentifier", .string(request)),
            ("storefronts", storefronts.isEmpty ? nil : .array(storefronts)),
          ])
      case ("status", 3):
        let query = environment.map { "?environment=" + RequestTarget.encode($0) } ?? ""
        path = "/v1/operator/app-store-products/\(encoded(1))/extensions/\(encoded(2))" + query
      default: throw UsageError("`extensions one ID`, `extensions all ID` or `extensions status ID REQUEST` is needed.")
      }
    }

    private static func wish(
      _ options: Options, in environment: String?, with more: [(String, JSONValue?)]
    ) throws -> JSONValue {
      guard let days = try options.number("days", in: 1...90), let cause = try options.one("cause"),
        let reason = try options.one("reason")
      else { throw UsageError("--days, --cause and --reason are needed.") }
      return .members(
        [
          ("days", .integer(days)), ("cause", .string(cause)), ("reason", .string(reason)),
          ("environment", environment.map(JSONValue.string)),
        ] + more)
    }
  }

  private static func line(_ answer: JSONValue, _ language: Language) -> String {
    if let isExtended = answer["extended"]?.bool {
      let end = answer["periodEnd"]?.string ?? ""
      let words =
        isExtended
        ? BilingualText("extended; the period ends \(end)", "已延长；周期结束于 \(end)")
        : BilingualText("not extended: the period ends \(end)", "未延长：周期结束于 \(end)")
      return words[language]
    }
    guard answer["complete"]?.bool == true else {
      return BilingualText("Apple is still at it", "Apple 仍在处理")[language]
    }
    let (done, failed) = (answer["succeeded"]?.integer ?? 0, answer["failed"]?.integer ?? 0)
    return BilingualText("done: \(done) extended, \(failed) not", "已完成：延长 \(done) 个，未延长 \(failed) 个")[language]
  }
}
