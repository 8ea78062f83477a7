import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil complaints`: what customers complain about at WeChat Pay.
enum ComplaintsCommand {
  private static let rows = OperatorList(
    path: "/v1/operator/complaints", member: "complaints", filters: ["state"],
    columns: ["openedAt", "complaintId", "state", "times", "answerDue", "endDue", "userId", "orderId"])

  static let command = Command.of(
    "complaints", BilingualText("read and answer complaints at WeChat Pay", "查看与回复微信支付投诉"),
    usage: """
      usage: counterfoil complaints list [--state open|all] [--limit N] [--after POSITION] [OPTIONS]
             counterfoil complaints show COMPLAINT [OPTIONS]
             counterfoil complaints answer COMPLAINT --text TEXT --talk TALK --reason TEXT [OPTIONS]
             counterfoil complaints complete COMPLAINT --reason TEXT [OPTIONS]

      WeChat Pay wants a first answer within 24 hours and an end within 72 hours. `list` has the open ones, the longest
      waiting first. Refunds that a complaint asks for are decided in the console.

        --state STATE       open (without it) or all, the newest first
        --text TEXT         what the customer reads: 1 to 200 characters, without line breaks and emoji
        --talk TALK         the place of the talk, as `show` prints it. If somebody wrote since, nothing is sent: so a
                            repetition is harmless
        --reason TEXT       your words, for the journal and the log
        --limit N           1 to \(PaymentEngine.listedMax) (otherwise 50)
        --after POSITION    goes on where a list ended, which names its position
      \(OperatorServer.usage)

      Exit codes: 0 done, 1 refused or no answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["after", "limit", "state", "text", "talk", "reason"], wordsMax: 2
  ) { options, platform in
    let words = options.words
    if words == ["list"] { return try await rows.print(options, platform) }
    guard words.count == 2 else {
      throw UsageError("`complaints list`, `complaints show ID`, `answer ID` or `complete ID` is needed.")
    }
    let path = "/v1/operator/complaints/" + RequestTarget.encode(words[1])
    let (rest, body) = try question(words[0], options)
    let answers = try await OperatorServer.of(options, platform).answers(
      to: path + rest, sending: body,
      isMissing: {
        [EngineErrorCode.complaintUnknown, .storeNotConfigured].map(\.rawValue).contains($0["code"]?.string)
      },
      CommandLineProgram.language(platform))
    for answer in answers { platform.print(options.has("json") ? answer.text + "\n" : report(answer)) }
    return ExitCode.done
  }

  /// What the server is asked behind the path of the complaint.
  private static func question(_ word: String, _ options: Options) throws -> (rest: String, body: JSONValue?) {
    switch word {
    case "show": return ("", nil)
    case "answer":
      guard let text = try options.one("text"), let talk = try options.one("talk"),
        let reason = try options.one("reason")
      else { throw UsageError("--text, --talk and --reason are needed.") }
      return (
        "/answer", .members([("text", .string(text)), ("talk", .string(talk)), ("reason", .string(reason))])
      )
    case "complete":
      guard let reason = try options.one("reason") else { throw UsageError("--reason is needed.") }
      return ("/complete", .members([("reason", .string(reason))]))
    default: throw UsageError("`complaints \(word)` is not known. Is show, answer or complete meant?")
    }
  }

  private static func report(_ story: JSONValue) -> String {
    let head = OperatorReport.line(
      story, ["complaintId", "state", "openedAt", "times", "answerDue", "endDue", "userId", "orderId"])
    let payments = (story["payments"]?.array ?? []).map {
      "  payment  " + OperatorReport.line($0, ["transactionId", "productId", "state", "orderId"])
    }
    let refunds = (story["refunds"]?.array ?? []).map {
      "  refund   " + OperatorReport.line($0, ["id", "amount", "currency", "state"])
    }
    let steps = (story["steps"]?.array ?? []).map { "  " + OperatorReport.line($0, ["at", "by", "what", "text"]) }
    let lines =
      [head, "  " + OperatorReport.line(story, ["text"])] + payments + refunds + steps
      + ["  talk " + OperatorReport.line(story, ["talk"])]
    return lines.map { $0 + "\n" }.joined()
  }
}
