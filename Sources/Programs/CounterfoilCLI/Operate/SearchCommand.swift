import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil search`: finds what has a number or name.
enum SearchCommand {
  static let command = Command.of(
    "search", BilingualText("find an order, payment, user or message by any of its numbers", "按任意编号查找订单、支付、用户或通知"),
    usage: """
      usage: counterfoil search TERM [--ask-apple] [--app ID] [--server URL] [--json]

      Finds what has this number or name, in all environments: order ids (appAccountToken, out_trade_no), references,
      support codes, transaction ids of both stores, refund numbers, numbers of complaints, ids of users, deliveries and
      notifications. The id of a request (X-Request-Id) leads to what it concerned, while the server remembers it; the
      log has older ones.

        --ask-apple         asks Apple first about TERM, the order number in Apple's mail to a customer (M…)
      \(OperatorServer.usage)

      Exit codes: 0 found, 1 nothing found or the server did not answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued, flags: ["ask-apple"], wordsMax: 1
  ) { options, platform in
    guard let word = options.words.first, let term = SearchTerm(word) else {
      throw UsageError("one TERM of 1 to \(SearchTerm.bytesMax) bytes without control characters is needed.")
    }
    let language = CommandLineProgram.language(platform)
    let server = try await OperatorServer.of(options, platform)
    if options.has("ask-apple") { try await askApple(term, server, in: language) }
    let answers = try await server.answers(
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
        if AppleOrderNumber(term.text) != nil, !options.has("ask-apple") {
          platform.printError(
            BilingualText(
              "If it is the order number of Apple's mail, ask Apple with --ask-apple.\n",
              "如果这是 Apple 邮件中的订单号，请用 --ask-apple 询问 Apple。\n")[language])
        }
      }
    }
    return hits.isEmpty ? ExitCode.failed : ExitCode.done
  }

  /// Lets the server ask Apple, which takes the payments in: then the search finds them.
  private static func askApple(_ term: SearchTerm, _ server: OperatorServer, in language: Language) async throws {
    guard let number = AppleOrderNumber(term.text) else {
      throw UsageError("--ask-apple needs the order number of Apple's mail, such as MK5TTT123H.")
    }
    _ = try await server.answers(
      to: "/v1/operator/orders/lookup", sending: .members([("number", .string(number.text))]),
      isMissing: {
        [EngineErrorCode.orderNumberUnknown.rawValue, EngineErrorCode.storeNotConfigured.rawValue]
          .contains($0["code"]?.string)
      }, language)
  }

  static func path(_ term: String) -> String { "/v1/operator/search?q=" + RequestTarget.encode(term) }

  private static func line(_ hit: JSONValue) -> String {
    let words = ["kind", "app", "environment", "store", "id", "title", "state"].compactMap { hit[$0]?.string }
    return TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }
}
