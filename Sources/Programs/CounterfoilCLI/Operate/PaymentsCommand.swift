import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// `counterfoil payments`: a list, or all that is known of a transaction.
enum PaymentsCommand {
  static let command = Command.of(
    "payments", BilingualText("list payments, or show all that is known of one", "列出支付，或显示某笔支付的全部信息"),
    usage: """
      usage: counterfoil payments show TRANSACTION_ID [--store S] [--environment E] [OPTIONS]
             counterfoil payments list [--state STATE] [--store S] [--product ID] [--user ID] [--from MOMENT]
                                  [--to MOMENT] [OPTIONS]

      Shows a payment, also one without an order: its state, what an operator can do, its evidence and its journal.
      Or lists payments, the newest purchase first.

        --store S           appStore or weChatPay; `show` otherwise takes the store that has the transaction id
        --state STATE       fulfilled, unclaimed, held, setAside, revoked, imported, reversed or reinstated
        --product ID        the store's product id
        --user ID           only that owner's
        --from MOMENT       bought since then, such as 2025-10-09T00:00:00Z
        --to MOMENT         bought before then
      \(OperatorList.pagingUsage)
      \(OperatorServer.usage)

      Exit codes: 0 shown, 1 no such payment or the server did not answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + OperatorList.paging + ["store", "state", "product", "user", "from", "to"],
    wordsMax: 2
  ) { options, platform in
    if options.words == ["list"] { return try await ListCommands.payments.print(options, platform) }
    guard options.words.count == 2, options.words[0] == "show", let term = SearchTerm(options.words[1]) else {
      throw UsageError("`payments show TRANSACTION_ID` or `payments list` is needed.")
    }
    let language = CommandLineProgram.language(platform)
    let server = try await OperatorServer.of(options, platform)
    let (store, environment) = (try options.one("store"), try options.one("environment"))
    let place: (store: String, environment: String)
    if let store, let environment {
      place = (store, environment)
    } else {
      place = try await found(term, store: store, environment: environment, at: server, in: language)
    }
    let path = ["payments", place.store, place.environment, term.text].map { "/" + RequestTarget.encode($0) }.joined()
    let answers = try await server.answers(
      to: "/v1/operator" + path, isMissing: { $0["code"]?.string == EngineErrorCode.paymentUnknown.rawValue }, language)
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : OperatorReport.payment(answer))
    }
    return ExitCode.done
  }

  /// The only store and environment with that transaction id.
  private static func found(
    _ term: SearchTerm, store: String?, environment: String?, at server: OperatorServer, in language: Language
  ) async throws -> (store: String, environment: String) {
    let answers = try await server.answers(to: SearchCommand.path(term.text), isMissing: { _ in false }, language)
    let hits = answers.flatMap { $0["hits"]?.array ?? [] }.filter {
      $0["kind"]?.string == "payment" && (store == nil || $0["store"]?.string == store)
        && (environment == nil || $0["environment"]?.string == environment)
    }
    // A later id of a purchase finds the payment under its first id.
    let places = Set(hits.map { ($0["store"]?.string ?? "") + " " + ($0["environment"]?.string ?? "") }).sorted()
    guard let place = places.first else {
      throw CommandFailure("there is no payment \(term.text). Name --store and --environment if it was stopped.")
    }
    guard places.count == 1 else {
      throw CommandFailure(
        "several payments have that id: \(places.joined(separator: ", ")). Name --store and --environment.")
    }
    let words = place.split(separator: " ").map(String.init)
    return (words[0], words[1])
  }
}
