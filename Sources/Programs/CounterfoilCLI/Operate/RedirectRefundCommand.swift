import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil redirect-refund`: sends a stuck refund to a bank account.
enum RedirectRefundCommand {
  /// The largest file of a card: three short texts.
  private static let cardBytesMax = 4096

  static let command = Command.of(
    "redirect-refund", BilingualText("send a stuck refund of WeChat Pay to a bank account", "将卡住的微信支付退款转到银行账户"),
    usage: """
      usage: counterfoil redirect-refund NUMBER --to merchant-account --reason TEXT [OPTIONS]
             counterfoil redirect-refund NUMBER --to payer-card --card FILE --reason TEXT [OPTIONS]

      A refund is stuck if the payer's account takes no money: WeChat Pay calls it ABNORMAL.
      `refunds list --state stuck` lists them. WeChat Pay sends the money to a debit card of the payer, or to your own
      bank account; then you pay the payer in another way. If no answer comes, send the same again: WeChat Pay is asked
      for the state first.

        --to WHERE          payer-card or merchant-account
        --card FILE         JSON: {"bank": "CMB_DEBIT", "account": "DIGITS", "holder": "NAME"}. Delete it afterwards;
                            it is encrypted for WeChat Pay, and neither stored nor logged
        --reason TEXT       your words, for the journal and the log
      \(OperatorServer.usage)

      Exit codes: 0 done, 1 it is not stuck or no answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["to", "card", "reason"], wordsMax: 1
  ) { options, platform in
    guard let number = options.words.first, let reason = try options.one("reason") else {
      throw UsageError("the refund's number and --reason are needed.")
    }
    var members: [(String, JSONValue?)] = [("reason", .string(reason))]
    switch (try options.one("to"), try options.one("card")) {
    case ("merchant-account", nil): members.append(("destination", "merchantAccount"))
    case ("payer-card", let file?):
      guard let bytes = try platform.files.read(file, cardBytesMax) else {
        throw UsageError("there is no file \(file).")
      }
      members += [("destination", "payerCard"), ("card", try JSONReader.read(bytes))]
    default: throw UsageError("--to merchant-account, or --to payer-card with --card, is needed.")
    }
    let language = CommandLineProgram.language(platform)
    let answers = try await OperatorServer.of(options, platform).answers(
      to: "/v1/operator/refunds/\(RequestTarget.encode(number))/redirect", sending: .members(members),
      isMissing: { [EngineErrorCode.refundUnknown, .storeNotConfigured].map(\.rawValue).contains($0["code"]?.string) },
      language)
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : TerminalText.line(line(answer)[language]) + "\n")
    }
    return answers.contains { $0["redirected"]?.bool == false } ? ExitCode.failed : ExitCode.done
  }

  private static func line(_ answer: JSONValue) -> BilingualText {
    let state = answer["refund"]?["state"]?.string ?? ""
    return answer["redirected"]?.bool == true
      ? BilingualText("on its way: \(state)", "已转出：\(state)")
      : BilingualText("nothing was sent: the refund is \(state)", "未发送：该退款状态为 \(state)")
  }
}
