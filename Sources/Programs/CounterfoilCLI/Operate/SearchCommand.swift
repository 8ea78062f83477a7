import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil search`: finds what has a number or name.
enum SearchCommand {
  static let command = Command.of(
    "search", BilingualText("find an order, payment, user or message by any of its numbers", "按任意编号查找订单、支付、用户或通知"),
    usage: """
      usage: counterfoil search TERM [--app ID] [--server URL] [--json]

      Finds what has this number or name, in all environments: order ids (appAccountToken, out_trade_no), references,
      support codes, transaction ids of both stores, refund numbers, ids of users, deliveries and notifications.

      \(OperatorServer.usage)

      Exit codes: 0 found, 1 nothing found or the server did not answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued, wordsMax: 1
  ) { options, platform in
    guard let word = options.words.first, let term = SearchTerm(word) else {
      throw UsageError("one TERM of 1 to \(SearchTerm.bytesMax) bytes without control characters is needed.")
    }
    let language = CommandLineProgram.language(platform)
    let answers = try await OperatorServer.of(options, platform).answers(
      to: path(term.text), isMissing: { _ in false }, language)
    let hits = answers.flatMap { $0["hits"]?.array ?? [] }
    if options.has("json") {
      for answer in answers { platform.print(answer.text + "\n") }
    } else {
      for hit in hits { platform.print(line(hit) + "\n") }
      if answers.contains(where: { $0["more"]?.bool == true }) {
        platform.printError(BilingualText("There are more: use another number.\n", "还有更多结果：请换用其他编号。\n")[language])
      }
      if hits.isEmpty {
        let tried = (answers.first?["tried"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        platform.printError(
          BilingualText("Nothing has this number or name. Tried: \(tried).\n", "没有找到该编号或名称。已查找：\(tried)。\n")[language])
      }
    }
    return hits.isEmpty ? ExitCode.failed : ExitCode.done
  }

  static func path(_ term: String) -> String { "/v1/operator/search?q=" + RequestTarget.encode(term) }

  private static func line(_ hit: JSONValue) -> String {
    let words = ["kind", "app", "environment", "store", "id", "title", "state"].compactMap { hit[$0]?.string }
    return TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }
}
